// The application's last shader: reads the figures that lumagraph has left on the device, and counts the
// white pixels of the mask.
#version 450
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430) readonly buffer Figures
{
    vec4 row[];
};
layout(buffer_reference, std430) readonly buffer Words
{
    uint at[];
};
layout(buffer_reference, std430) buffer Verdict
{
    float level, mean;
    uint white;
};
layout(push_constant) uniform Push
{
    Figures figures;
    Words mask;
    Verdict verdict;
    uint words;
};

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i == 0u) {
        verdict.level = figures.row[0].x;
        verdict.mean = figures.row[1].x;
    }
    if (i < words)
        atomicAdd(verdict.white, bitCount(mask.at[i]) / 8u);
}
