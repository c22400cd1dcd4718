#include "graph/stage_byte_sums_vulkan.h"

#include "filter/stage.h"

unsigned lg_stage_summed(const lg_plan *plan, const lg_plan_stage *s)
{
    const lg_byte_sums sums = lg_stage_byte_sums(plan, s);
    unsigned used = 0;
    for (int i = 0; sums.any && i < 9; i++)
        used |= (sums.weight[i] != 0 ? 1u : 0u) << i;
    return sums.any ? used | LG_SUMMED : 0;
}

void lg_stage_write_weights(FILE *out, const lg_filter *filter, unsigned summed)
{
    for (int i = 0; i < 9; i++)
        if (summed >> i & 1)
            fprintf(out, "    const float weight%d = %s_weight(%d, p0);\n", i, filter->name, i);
}

// Sums are multiples of 2^-7 below 2^15. 2^-9 more is still exact, and has the sink round halves up: what the
// product and the sink's own are off by is a fortieth of it. Rounding here would be a slow conversion.
void lg_stage_write_byte_sum(FILE *out, const lg_image_params *in, unsigned summed)
{
    fputs("        color c = lines[(k + 2) % 3][j + 1], q;\n"
          "        vec3 sum = vec3(1.0 / 512.0);\n",
          out);
    for (int i = 0; i < 9; i++)
        if (summed >> i & 1)
            fprintf(out,
                    "        q = lines[(k + %d) %% 3][j + %d];\n"
                    "        sum = fma(vec3(q.r, q.g, q.b), vec3(weight%d), sum);\n",
                    1 + i / 3, i % 3, i);
    fputs("        sum *= LG_UNIT_U8;\n"
          "        c.r = sum.x, c.g = sum.y, c.b = sum.z;\n",
          out);
    if (!lg_reads_opaque(in->channels, in->alpha))
        fputs("        c.a *= LG_UNIT_U8;\n", out);
}
