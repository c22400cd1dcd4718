#include "filter/device_glsl.h"

#include "core/core.h"
#include "filter/device_planes.h"

#include <string.h>

static int pixel_bytes(const lg_format *f)
{
    return (int)lg_type_size(f->type) * f->channels;
}

int lg_thread_span(const lg_format *views, int count)
{
    int span = 1;
    for (int i = 0; i < count; i++)
        span = views[i].part ? span : LG_MAX(span, 16 / pixel_bytes(&views[i]));
    return span;
}

int lg_word_span(const lg_format *views, int count)
{
    int span = 1;
    for (int i = 0; i < count; i++)
        span = LG_MAX(span, 4 / pixel_bytes(&views[i]));
    return span;
}

// Components as they lie in memory to the colour that they mean.
static const char *meaning(const lg_format *f)
{
    if (f->channels == 1)
        return "rgba(v.x, v.x, v.x, 1.0)";
    if (f->channels == 2)
        return f->alpha == LG_ALPHA_NONE            ? "rgba(v.x, v.y, 0.0, 1.0)"
               : f->alpha == LG_ALPHA_OPAQUE        ? "rgba(v.x, v.x, v.x, 1.0)"
               : f->alpha == LG_ALPHA_PREMULTIPLIED ? "lg_straight(rgba(v.x, v.x, v.x, v.y))"
                                                    : "rgba(v.x, v.x, v.x, v.y)";
    return f->alpha == LG_ALPHA_OPAQUE          ? "rgba(v.x, v.y, v.z, 1.0)"
           : f->alpha == LG_ALPHA_PREMULTIPLIED ? "lg_straight(rgba(v.x, v.y, v.z, v.w))"
                                                : "rgba(v.x, v.y, v.z, v.w)";
}

static const char *components(const lg_format *f)
{
    const bool premultiplied = f->alpha == LG_ALPHA_PREMULTIPLIED;
    if (f->channels == 1)
        return "vec4(c.r, 0.0, 0.0, 0.0)";
    if (f->channels == 2)
        return f->alpha == LG_ALPHA_NONE     ? "vec4(c.r, c.g, 0.0, 0.0)"
               : f->alpha == LG_ALPHA_OPAQUE ? "vec4(c.r, 1.0, 0.0, 0.0)"
               : premultiplied               ? "vec4(c.r * c.a, c.a, 0.0, 0.0)"
                                             : "vec4(c.r, c.a, 0.0, 0.0)";
    return f->alpha == LG_ALPHA_OPAQUE ? "vec4(c.r, c.g, c.b, 1.0)"
           : premultiplied             ? "vec4(c.r * c.a, c.g * c.a, c.b * c.a, c.a)"
                                       : "vec4(c.r, c.g, c.b, c.a)";
}

// The words of pixel `j` among vectors v.
static const char *words_of_pixel(int bytes)
{
    return bytes == 1   ? "v[j >> 4][j >> 2 & 3] >> (8 * (j & 3))"
           : bytes == 2 ? "v[j >> 3][j >> 1 & 3] >> (16 * (j & 1))"
           : bytes == 4 ? "v[j >> 2][j & 3]"
           : bytes == 8 ? "uvec2(v[j >> 1][2 * (j & 1)], v[j >> 1][2 * (j & 1) + 1])"
                        : "v[j]";
}

static const char *words_at(int bytes)
{
    return bytes == 1   ? "lg_words(row).at[x >> 2] >> (8 * (x & 3))"
           : bytes == 2 ? "lg_words(row).at[x >> 1] >> (16 * (x & 1))"
           : bytes == 4 ? "lg_words(row).at[x]"
           : bytes == 8 ? "uvec2(lg_words(row).at[2 * x], lg_words(row).at[2 * x + 1])"
                        : "lg_vectors(row).at[x]";
}

static void write_input(FILE *out, const lg_format *f, int k, int span)
{
    const int bytes = pixel_bytes(f), vectors = LG_MAX(1, span * bytes / 16);
    const char *type = lg_type_name(f->type);
    fprintf(out, "#define LG_VECTORS_%d %d\n#define LG_PIXEL_%d %d\n", k, vectors, k, bytes);
    fprintf(out, "color lg_color_%d(vec4 v) { return %s; }\n", k, meaning(f));
    fprintf(
        out,
        "color lg_load_%d(int x, int y, uint z) { uvec2 row = lg_row(lg.views[%d], uint(y), z); "
        "return lg_color_%d(lg_raw_%s_%d(%s)); }\n",
        k, k, k, type, f->channels, words_at(bytes));
    fprintf(out,
            "color lg_get_%d(int x, int y, uint z, int border) { "
            "int i = lg_border_index(x, lg_param_int(%d), border), j = lg_border_index(y, "
            "lg_param_int(%d), "
            "border); if (i < 0 || j < 0) return lg_color_%d(vec4(0.0)); "
            "return lg_load_%d(i, j, z); }\n",
            k, 5 + 2 * k, 6 + 2 * k, k, k);
    // From a row, whose address is given.
    fprintf(out, "void lg_take_%d(out uvec4 v[%d], uvec2 row, int x) { ", k, vectors);
    if (span * bytes == 8)
        fprintf(out, "v[0] = uvec4(lg_two_words(row).at[x * %d / 8], 0u, 0u); }\n", bytes);
    else if (span * bytes < 16) // fewer words than a vector
        fprintf(out,
                "v[0] = uvec4(0u); [[unroll]] for (int i = 0; i < %d; i++) "
                "v[0][i] = lg_words(row).at[x * %d / 4 + i]; }\n",
                span * bytes / 4, bytes);
    else
        fprintf(out,
                "[[unroll]] for (int i = 0; i < %d; i++) v[i] = lg_vectors(row).at[x * %d / 16 + "
                "i]; }\n",
                vectors, bytes);
    fprintf(out,
            "void lg_fetch_%d(out uvec4 v[%d], int x, int y, uint z) { "
            "lg_take_%d(v, lg_row(lg.views[%d], uint(y), z), x); }\n",
            k, vectors, k, k);
    fprintf(out,
            "color lg_unpack_%d(uvec4 v[%d], int j) { return lg_color_%d(lg_raw_%s_%d(%s)); }\n", k,
            vectors, k, type, f->channels, words_of_pixel(bytes));
}

static void write_output(FILE *out, const lg_format *f, int k, int span)
{
    const int bytes = pixel_bytes(f), vectors = LG_MAX(1, span * bytes / 16);
    char bits[96];
    snprintf(bits, sizeof bits, "lg_bits_%s_%d(%s)", lg_type_name(f->type), f->channels,
             components(f));
    fprintf(out, "#define LG_VECTORS_OUT %d\n", vectors);
    const char *put = bytes == 1   ? "v[j >> 4][j >> 2 & 3] |= w << (8 * (j & 3));"
                      : bytes == 2 ? "v[j >> 3][j >> 1 & 3] |= w << (16 * (j & 1));"
                                   : "v[j >> 2][j & 3] = w;";
    if (bytes <= 4)
        fprintf(out, "void lg_put(inout uvec4 v[%d], int j, uint w) { %s }\n", vectors, put);
    fprintf(out, "void lg_pack(inout uvec4 v[%d], int j, color c) { ", vectors);
    if (bytes == 1) // a sum takes one instruction where a mask, a shift and an or take three
        fprintf(out, "v[j >> 4][j >> 2 & 3] += (lg_unit_sum(c.r, 255.0) << (8 * (j & 3))) - "
                     "((j & 3) == 0 ? LG_WHOLE_BITS : 0u); }\n");
    else if (bytes <= 4)
        fprintf(out, "lg_put(v, j, %s); }\n", bits);
    else if (bytes == 8)
        fprintf(out,
                "uvec2 w = %s; v[j >> 1][2 * (j & 1)] = w.x; v[j >> 1][2 * (j & 1) + 1] = w.y; }\n",
                bits);
    else
        fprintf(out, "v[j] = %s; }\n", bits);
    fprintf(out, "void lg_flush(uvec4 v[%d], int x, int y, uint z) { ", vectors);
    if (span * bytes == 8)
        fprintf(out,
                "if (uint(x) < lg.width) "
                "lg_two_words(lg_row(lg.views[%d], uint(y), z)).at[x * %d / 8] = v[0].xy; }\n",
                k, bytes);
    else if (span * bytes < 16)
        fprintf(out,
                "lg_words row = lg_words(lg_row(lg.views[%d], uint(y), z)); "
                "[[unroll]] for (int i = 0; i < %d; i++) if (uint(x + i * %d) < lg.width) "
                "row.at[x * %d / 4 + i] = v[0][i]; }\n",
                k, span * bytes / 4, 4 / bytes, bytes);
    else
        fprintf(out,
                "lg_vectors row = lg_vectors(lg_row(lg.views[%d], uint(y), z)); "
                "[[unroll]] for (int i = 0; i < %d; i++) if (uint(x + i * %d) < lg.width) "
                "row.at[x * %d / 16 + i] = v[i]; }\n",
                k, vectors, 16 / bytes, bytes);
}

// The compiler makes tables of all functions of a version, and the first text waits for them: those of 450
// take it twice as long as those of 440, which has all that kernels use but 16-bit floats.
static int version_of(const lg_glsl_params *p)
{
    return p->before && strstr(p->before, "_float16") ? 450 : 440;
}

static bool has_planes(const lg_glsl_params *p)
{
    bool any = false;
    for (int k = 0; k < p->count; k++)
        any = any || p->views[k].planes;
    return any;
}

void lg_glsl_begin(FILE *out, const lg_glsl_params *p)
{
    const int span = p->span ? p->span : lg_thread_span(p->views, p->count);
    fprintf(out, "#version %d\n%s#define LG_VIEWS %d\n#define LG_EXTRA %d\n#define LG_SPAN %d\n",
            version_of(p), p->before ? p->before : "", p->count, LG_MAX(p->extra, 1), span);
    fprintf(out, "#define LG_GROUP_X %d\n#define LG_GROUP_Y %d\n", p->group_x, p->group_y);
    fprintf(out, "%s%s%s", lg_glsl_stage, lg_glsl_common, lg_glsl_stage_tail);
    if (has_planes(p))
        fputs(lg_glsl_stage_planes, out);
    for (int k = 0; k + 1 < p->count; k++)
        if (p->views[k].planes)
            lg_glsl_read_planes(out, &p->views[k], k, span);
        else if (!p->views[k].part)
            write_input(out, &p->views[k], k, span);
    write_output(out, &p->views[p->count - 1], p->count - 1, span);
    if (p->shared)
        fputs(p->shared, out);
}
