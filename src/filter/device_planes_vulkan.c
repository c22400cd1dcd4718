#include "filter/device_planes.h"

#include "core/plane_codes.h"

#include <inttypes.h>

static void write_words(FILE *out, const char *name, int k, int64_t value)
{
    fprintf(out, "const uvec2 %s_%d = uvec2(%" PRIu32 "u, %" PRIu32 "u);\n", name, k,
            (uint32_t)value, (uint32_t)((uint64_t)value >> 32));
}

// The code at column `x` of `row`, channel `channel` of a plane whose pixels have `step` samples.
static void write_code(FILE *out, const lg_planes *p, const char *x, int step, int channel)
{
    fprintf(out, "min(int(lg_code%d(row, %d * (%s) + %d)) >> %d, %d)", p->bits > 8 ? 16 : 8, step,
            x, channel, p->shift, (1 << p->bits) - 1);
}

// ---- planes to colours --------------------------------------------------------------------------

static void write_chroma(FILE *out, const lg_planes *p, int k)
{
    const lg_chroma_axis across = lg_chroma_across(p, 1), down = lg_chroma_down(p, 1);
    fprintf(out,
            "ivec2 lg_chroma_row_%d(int x0, int x1, int w, int y, uint z)\n{\n    ivec2 a, b;\n",
            k);
    for (int i = 0; i < 2; i++) {
        const int step = p->paired ? 2 : 1, channel = p->paired ? i : 0;
        fprintf(out, "    %srow = lg_row(lg.views[%d], uint(y), z);\n", i ? "" : "uvec2 ",
                p->paired ? k + 1 : k + 1 + i);
        for (int side = 0; side < 2; side++) {
            fprintf(out, "    %c[%d] = ", "ab"[side], i);
            write_code(out, p, side ? "x1" : "x0", step, channel);
            fputs(";\n", out);
        }
    }
    fprintf(out, "    return (4 - w) * a + w * b;\n}\n");
    fprintf(out,
            "ivec2 lg_chroma_%d(int x, int y, uint z)\n{\n"
            "    int across = %d * x - %d, down = %d * y - %d;\n"
            "    int x0 = max(across >> 2, 0), x1 = min((across >> 2) + 1, lg_param_int(%d) - 1);\n"
            "    int y0 = max(down >> 2, 0), y1 = min((down >> 2) + 1, lg_param_int(%d) - 1);\n"
            "    ivec2 sum = (4 - (down & 3)) * lg_chroma_row_%d(x0, x1, across & 3, y0, z);\n",
            k, 4 / across.factor, across.between, 4 / down.factor, down.between, 5 + 2 * (k + 1),
            6 + 2 * (k + 1), k);
    if (down.factor == 2)
        fprintf(out, "    sum += (down & 3) * lg_chroma_row_%d(x0, x1, across & 3, y1, z);\n", k);
    fprintf(out, "    return sum - %d;\n}\n", 16 * (128 << (p->bits - 8)));
}

// The sum that luma makes, with the half for rounding.
static void write_luma(FILE *out, const lg_planes *p, int black, int k)
{
    fprintf(out,
            "uvec2 lg_luma_%d(int x, int y, uint z)\n{\n"
            "    uvec2 row = lg_row(lg.views[%d], uint(y), z);\n    int code = ",
            k, k);
    write_code(out, p, "x", 1, 0);
    fprintf(
        out,
        " - %d;\n    return lg_add64(lg_code_times(code, lg_of_luma_%d), uvec2(0u, 128u));\n}\n",
        black, k);
}

static void write_colors(FILE *out, const lg_format *f, const lg_decoder *d, int k)
{
    const int most = d->range.most;
    write_words(out, "lg_red_cr", k, d->red_cr);
    write_words(out, "lg_green_cb", k, d->green_cb);
    write_words(out, "lg_green_cr", k, d->green_cr);
    write_words(out, "lg_blue_cb", k, d->blue_cb);
    fprintf(
        out,
        "%s lg_bits_%d(int x, int y, uint z)\n{\n"
        "    uvec2 luma = lg_luma_%d(x, y, z);\n    ivec2 c = lg_chroma_%d(x, y, z);\n"
        "    uvec2 green = lg_add64(lg_code_times(c.x, lg_green_cb_%d), "
        "lg_code_times(c.y, lg_green_cr_%d));\n"
        "    uint r = uint(lg_code_part(lg_add64(luma, lg_code_times(c.y, lg_red_cr_%d)), %d));\n"
        "    uint g = uint(lg_code_part(lg_add64(luma, green), %d));\n"
        "    uint b = uint(lg_code_part(lg_add64(luma, lg_code_times(c.x, lg_blue_cb_%d)), "
        "%d));\n"
        "    return %s;\n}\n",
        f->type == LG_U8 ? "uint" : "uvec2", k, k, k, k, k, k, most, most, k, most,
        f->type == LG_U8 ? "r | g << 8 | b << 16" : "uvec2(r | g << 16, b)");
}

void lg_glsl_read_planes(FILE *out, const lg_format *f, int k, int span)
{
    const lg_planes *p = f->planes;
    const lg_decoder d = lg_decoder_of(p, f->type);
    const int bytes = (int)lg_type_size(f->type) * f->channels;
    const int vectors = LG_MAX(1, span * bytes / 16);
    const char *raw = lg_type_name(f->type);
    static const char *const put[] = {[1] = "v[j >> 4][j >> 2 & 3] |= w << (8 * (j & 3));",
                                      [2] = "v[j >> 3][j >> 1 & 3] |= w << (16 * (j & 1));",
                                      [4] = "v[j >> 2][j & 3] = w;",
                                      [8] = "v[j >> 1][2 * (j & 1)] = w.x; "
                                            "v[j >> 1][2 * (j & 1) + 1] = w.y;"};
    static const char *const take[] = {[1] = "v[j >> 4][j >> 2 & 3] >> (8 * (j & 3))",
                                       [2] = "v[j >> 3][j >> 1 & 3] >> (16 * (j & 1))",
                                       [4] = "v[j >> 2][j & 3]",
                                       [8] = "uvec2(v[j >> 1][2 * (j & 1)], "
                                             "v[j >> 1][2 * (j & 1) + 1])"};
    write_words(out, "lg_of_luma", k, d.luma);
    write_luma(out, p, d.range.black, k);
    if (f->channels == 4) {
        write_chroma(out, p, k);
        write_colors(out, f, &d, k);
    } else {
        fprintf(out,
                "uint lg_bits_%d(int x, int y, uint z) { "
                "return uint(lg_code_part(lg_luma_%d(x, y, z), %d)); }\n",
                k, k, d.range.most);
    }
    fprintf(out, "#define LG_VECTORS_%d %d\n", k, vectors);
    fprintf(out, "color lg_color_%d(vec4 v) { return rgba(v.x, v.%c, v.%c, 1.0); }\n", k,
            f->channels == 4 ? 'y' : 'x', f->channels == 4 ? 'z' : 'x');
    fprintf(out,
            "color lg_load_%d(int x, int y, uint z) { "
            "return lg_color_%d(lg_raw_%s_%d(lg_bits_%d(x, y, z))); }\n",
            k, k, raw, f->channels, k);
    fprintf(out,
            "color lg_get_%d(int x, int y, uint z, int border) { "
            "int i = lg_border_index(x, lg_param_int(%d), border), j = lg_border_index(y, "
            "lg_param_int(%d), border); if (i < 0 || j < 0) return lg_color_%d(vec4(0.0)); "
            "return lg_load_%d(i, j, z); }\n",
            k, 5 + 2 * k, 6 + 2 * k, k, k);
    fprintf(out,
            "void lg_fetch_%d(out uvec4 v[%d], int x, int y, uint z) { "
            "[[unroll]] for (int i = 0; i < %d; i++) v[i] = uvec4(0u); "
            "[[unroll]] for (int j = 0; j < %d; j++) { "
            "%s w = lg_bits_%d(min(x + j, lg_param_int(%d) - 1), y, z); %s } }\n",
            k, vectors, vectors, span, bytes == 8 ? "uvec2" : "uint", k, 5 + 2 * k, put[bytes]);
    fprintf(out,
            "color lg_unpack_%d(uvec4 v[%d], int j) { return lg_color_%d(lg_raw_%s_%d(%s)); }\n", k,
            vectors, k, raw, f->channels, take[bytes]);
}

// ---- colours to planes --------------------------------------------------------------------------

// Samples of chroma that a thread makes: a word of them.
static int columns_of(const lg_planes *p)
{
    return p->bits > 8 ? 2 : 4;
}

int lg_planes_across(const lg_planes *p)
{
    return columns_of(p) * lg_chroma_across(p, 1).factor;
}

int lg_planes_rows(const lg_planes *p)
{
    return lg_chroma_down(p, 1).factor;
}

static void write_reader(FILE *out, const lg_format *f)
{
    static const char *const words[] = {
        [1] = "ivec3(int(lg_code8(row, x)))",
        [2] = "ivec3(int(lg_code16(row, x)))",
        [4] = "ivec3(uvec3(lg_words(row).at[x]) >> uvec3(0u, 8u, 16u) & 255u)",
        [8] = "ivec3(lg_words(row).at[2 * x] & 65535u, lg_words(row).at[2 * x] >> 16, "
              "lg_words(row).at[2 * x + 1] & 65535u)",
    };
    fprintf(out,
            "ivec3 lg_stored(int x, int y)\n{\n"
            "    x = clamp(x, 0, lg_param_int(5) - 1);\n"
            "    uvec2 row = lg_row(lg.views[0], uint(clamp(y, 0, lg_param_int(6) - 1)), 0u);\n"
            "    return %s;\n}\n",
            words[(int)lg_type_size(f->type) * f->channels]);
}

static void write_code_of(FILE *out, const char *name, const lg_planes *p, const int64_t *weights,
                          int start)
{
    const int64_t begin = ((int64_t)start << LG_CODE_SHIFT) + (INT64_C(1) << (LG_CODE_SHIFT - 1));
    for (int c = 0; c < 3; c++)
        write_words(out, name, c, weights[c]);
    write_words(out, name, 3, begin);
    fprintf(out,
            "uint %s(ivec3 c)\n{\n"
            "    uvec2 sum = lg_add64(%s_3, lg_code_times(c.x, %s_0));\n"
            "    sum = lg_add64(sum, lg_code_times(c.y, %s_1));\n"
            "    sum = lg_add64(sum, lg_code_times(c.z, %s_2));\n"
            "    return uint(lg_code_part(sum, %d)) << %d;\n}\n",
            name, name, name, name, name, (1 << p->bits) - 1, p->shift);
}

static void write_weights(FILE *out, const char *name, const lg_chroma_spread *s)
{
    fprintf(out, "const int %s[%d] = int[](", name, s->count);
    for (int i = 0; i < s->count; i++)
        fprintf(out, "%s%d", i ? ", " : "", s->weight[i]);
    fprintf(out, ");\n");
}

static void write_chroma_codes(FILE *out, const lg_planes *p)
{
    const lg_chroma_axis across = lg_chroma_across(p, 1), down = lg_chroma_down(p, 1);
    const lg_chroma_spread *sx = lg_chroma_spread_of(&across), *sy = lg_chroma_spread_of(&down);
    const int columns = columns_of(p), bits = 32 / columns;
    write_weights(out, "lg_weight_across", sx);
    write_weights(out, "lg_weight_down", sy);
    fprintf(out,
            "void lg_write_chroma(int x, int y)\n{\n"
            "    uvec2 words = uvec2(0u);\n"
            "    for (int k = 0; k < %d; k++) {\n        ivec3 sum = ivec3(0);\n"
            "        for (int j = 0; j < %d; j++)\n            for (int i = 0; i < %d; i++)\n"
            "                sum += lg_weight_down[j] * lg_weight_across[i] * "
            "lg_stored(x + %d * k + i + %d, y + j + %d);\n"
            "        uint cb = lg_code_cb(sum), cr = lg_code_cr(sum);\n",
            columns, sy->count, sx->count, across.factor, sx->first, sy->first);
    if (p->paired)
        fprintf(out,
                "        words[k / %d] |= (cb | cr << %d) << (%d * (k %% %d));\n    }\n"
                "    lg_words row = lg_words(lg_row(lg.views[2], uint(y / %d), 0u));\n"
                "    row.at[x / %d] = words.x;\n    row.at[x / %d + 1] = words.y;\n}\n",
                columns / 2, bits, 2 * bits, columns / 2, down.factor, across.factor * columns / 2,
                across.factor * columns / 2);
    else
        fprintf(out,
                "        words.x |= cb << (%d * k);\n        words.y |= cr << (%d * k);\n    }\n"
                "    lg_words(lg_row(lg.views[2], uint(y / %d), 0u)).at[x / %d] = words.x;\n"
                "    lg_words(lg_row(lg.views[3], uint(y / %d), 0u)).at[x / %d] = words.y;\n}\n",
                bits, bits, down.factor, across.factor * columns, down.factor,
                across.factor * columns);
}

void lg_glsl_write_planes(FILE *out, const lg_format *colors, const lg_planes *p)
{
    const lg_encoder e = lg_encoder_of(p, colors->type);
    const bool chroma = p->chroma != LG_CHROMA_NONE, grey = colors->channels == 1;
    const int64_t of_grey[3] = {e.grey, 0, 0};
    const int across = lg_planes_across(p), each = columns_of(p), bits = 32 / each;
    write_reader(out, colors);
    write_code_of(out, "lg_code_y", p, grey ? of_grey : e.luma, e.range.black);
    if (chroma) {
        write_code_of(out, "lg_code_cb", p, e.chroma[0], e.range.grey);
        write_code_of(out, "lg_code_cr", p, e.chroma[1], e.range.grey);
        write_chroma_codes(out, p);
    }
    fprintf(out,
            "void lg_write_planes(int x, int y)\n{\n"
            "    for (int j = 0; j < %d && y + j < lg_param_int(6); j++) {\n"
            "        lg_words row = lg_words(lg_row(lg.views[1], uint(y + j), 0u));\n"
            "        for (int i = 0; i < %d && x + i < lg_param_int(5); i += %d) {\n"
            "            uint word = 0u;\n"
            "            for (int k = 0; k < %d; k++)\n"
            "                word |= lg_code_y(lg_stored(x + i + k, y + j)) << (%d * k);\n"
            "            row.at[(x + i) / %d] = word;\n        }\n    }\n%s}\n",
            lg_planes_rows(p), across, each, each, bits, each,
            chroma ? "    lg_write_chroma(x, y);\n" : "");
}
