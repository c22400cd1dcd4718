#include "graph/stage_byte_sums_vulkan.h"

#include "filter/stage.h"

void lg_stage_write_weights(FILE *out, const lg_filter *filter)
{
    fprintf(out,
            "    float weights[9];\n"
            "    [[unroll]] for (int i = 0; i < 9; i++)\n"
            "        weights[i] = %s_weight(i, p0);\n",
            filter->name);
}

void lg_stage_write_byte_sum(FILE *out, const lg_image_params *in)
{
    fputs("        color c = lines[(k + 2) % 3][j + 1];\n"
          "        vec3 sum = vec3(0.5);\n"
          "        [[unroll]] for (int i = 0; i < 9; i++) {\n"
          "            color q = lines[(k + 1 + i / 3) % 3][j + i % 3];\n"
          "            sum = fma(vec3(q.r, q.g, q.b), vec3(weights[i]), sum);\n"
          "        }\n"
          "        sum = floor(sum) * LG_UNIT_U8;\n"
          "        c.r = sum.x, c.g = sum.y, c.b = sum.z;\n",
          out);
    if (!lg_reads_opaque(in->channels, in->alpha))
        fputs("        c.a *= LG_UNIT_U8;\n", out);
}
