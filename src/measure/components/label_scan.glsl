// Sums over the threads of a workgroup, numbered by subgroups.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require

shared uint subgroup_sums[256];

uint thread()
{
    return gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
}

// The sum over the threads before this one; `total`: over all threads. Contains a barrier; another
// one must come before the next call.
uint sum_before(uint own, out uint total)
{
    const uint with_own = subgroupInclusiveAdd(own);
    if (gl_SubgroupInvocationID == gl_SubgroupSize - 1u)
        subgroup_sums[gl_SubgroupID] = with_own;
    barrier();
    uint before = with_own - own;
    total = 0u;
    for (uint i = 0u; i < gl_NumSubgroups; i++) {
        before += i < gl_SubgroupID ? subgroup_sums[i] : 0u;
        total += subgroup_sums[i];
    }
    return before;
}
