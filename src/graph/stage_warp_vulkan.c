// What the kernels of warps have in front: how they read their image.
#include "graph/stage_warp_vulkan.h"

// The alpha of a pixel: its place in a stored pixel, and 1.
static const char *transparency(const lg_format *f)
{
    static const char *const by_type[LG_TYPES][2] = {
        [LG_U8] = {"((raw) >> 8 ^ 0xffu)", "((raw) >> 24 ^ 0xffu)"},
        [LG_U16] = {"((raw) >> 16 ^ 0xffffu)", "((raw).y >> 16 ^ 0xffffu)"},
        [LG_F16] = {"((raw) >> 16 ^ 0x3c00u)", "((raw).y >> 16 ^ 0x3c00u)"},
        [LG_F32] = {"((raw).y ^ 0x3f800000u)", "((raw).w ^ 0x3f800000u)"},
    };
    return lg_reads_opaque(f->channels, f->alpha) ? "0u" : by_type[f->type][f->channels == 4];
}

static const char *opaque(const lg_format *f)
{
    return f->channels == 4                                ? "rgba(v.x, v.y, v.z, 1.0)"
           : f->channels == 2 && f->alpha == LG_ALPHA_NONE ? "rgba(v.x, v.y, 0.0, 1.0)"
                                                           : "rgba(v.x, v.x, v.x, 1.0)";
}

void lg_stage_write_sampling(FILE *out, const lg_format *f, int border)
{
    const int bytes = (int)lg_type_size(f->type) * f->channels;
    const char *raw = bytes <= 4 ? "uint" : bytes == 8 ? "uvec2" : "uvec4";
    const char *memory = bytes == 1   ? "bytes"
                         : bytes == 2 ? "halves"
                         : bytes == 4 ? "words"
                         : bytes == 8 ? "doubles"
                                      : "vectors";
    fprintf(out,
            "#define LG_RAW %s\n#define LG_RAW_BYTES %du\n"
            "#define LG_RAW_AT(address, i) %s(lg_%s(address).at[i])\n"
            "#define LG_RAW_COMPONENTS(raw) lg_raw_%s_%d(raw)\n"
            "#define LG_RAW_TRANSPARENT(raw) %s\n#define LG_WARP_BORDER %d\n"
            "#define LG_WARP_OPAQUE %d\n"
            "color lg_opaque(vec4 v) { return %s; }\n"
            "#define LG_RAW_OPAQUE(raw) lg_opaque(LG_RAW_COMPONENTS(raw))\n%s",
            raw, bytes, raw, memory, lg_type_name(f->type), f->channels, transparency(f), border,
            lg_reads_opaque(f->channels, f->alpha), opaque(f), lg_glsl_stage_warp);
}

static void write_line(FILE *out, const lg_filter *f)
{
    fprintf(out,
            "        int points = int(%s_count(p0));\n"
            "        lg_line sum = lg_line_begin();\n"
            "        for (int k = 0; k < points; k++) {\n"
            "            float t = lg_line_place(k, points);\n"
            "            sum = lg_line_add(sum, lg_sample(source, %s_along(t, at, p0)), "
            "lg_line_weight(t));\n"
            "        }\n"
            "        color c = lg_whole(lg_line_mean(sum));\n",
            f->name, f->name);
}

void lg_stage_write_reading(FILE *out, const lg_filter *f)
{
    const lg_filter_loops *loops = lg_filter_get_loops(f, LG_CPU_BASE);
    if (!loops->points)
        fprintf(out, "        color c = lg_whole(lg_sample(source, %s_kernel(at, p0)));\n",
                f->name);
    else
        write_line(out, f);
    if (loops->after)
        fprintf(out, "        c = %s_finish(c, at, p0);\n", f->name);
}

// Lanes 8 wide and 4 high: the pixels that they read lie close together, however the image is turned.
// Each computes the pixels of a word, then those 4 rows below.
void lg_stage_write_lanes(FILE *out)
{
    fprintf(out,
            "    uint lane = gl_LocalInvocationIndex & 31u;\n"
            "    int x0 = int(gl_WorkGroupID.x * %d + gl_LocalInvocationIndex / 32u * 8u + (lane & "
            "7u)) * "
            "LG_SPAN;\n"
            "    int top = int(gl_WorkGroupID.y * %d + lg.first_row);\n"
            "    int y = top + int(lane >> 3);\n"
            "    int end = min(top + %d, int(lg.extra[0]));\n"
            "    uint z = gl_WorkGroupID.z;\n",
            LG_WARP_ACROSS, LG_WARP_DOWN, LG_WARP_DOWN);
}
