// The kernel of a stage: source, chain and sink in one text.
#include "graph/stage_vulkan.h"

#include "graph/stage_byte_sums_vulkan.h"
#include "graph/stage_choice_vulkan.h"
#include "graph/stage_planes_vulkan.h"
#include "graph/stage_warp_vulkan.h"
#include "graph/stage_whole_vulkan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const lg_filter_entry *entry(const lg_filter *filter)
{
    return (const lg_filter_entry *)filter;
}

// ---- shapes of work ------------------------------------------------------------------------------

#define WINDOW_CHUNK 4 // more would not fit the registers

bool lg_stage_is_apart(const lg_plan *plan, const lg_plan_stage *s)
{
    if (s->source != LG_FILTER_WINDOW)
        return false;
    const lg_graph_node *n = &plan->graph->nodes[s->node];
    for (int axis = 0; axis < 2; axis++) {
        const lg_filter_param *p = lg_filter_step_param(n->filter, axis);
        const int at = p ? lg_filter_offset(n->filter, (int)(p - n->filter->params)) : -1;
        if (p && plan->nodes[s->node].values[at] != 1)
            return true;
        for (int i = 0; p && i < n->figure_count; i++)
            if (n->figures[i].at == at)
                return true;
    }
    return false;
}

// Whether a thread reads all rows that it needs before it computes.
static bool reads_ahead(const lg_plan *plan, const lg_plan_stage *s)
{
    if (s->source != LG_FILTER_WINDOW || lg_stage_is_apart(plan, s) ||
        lg_stage_is_choice(plan, s) || lg_stage_is_whole(plan, s))
        return false;
    const lg_plan_slot *in = &plan->slots[s->in[0]];
    return in->kind != LG_PLAN_PLANES && in->shape.type == LG_U8 && in->shape.channels != 2;
}

// Of grey bytes a thread takes two words of a row where nothing but the samples is kept.
static int window_span_of(const lg_plan *plan, const lg_plan_stage *s)
{
    const bool values = !(plan->graph->nodes[s->node].filter->flags & LG_FILTER_PER_CHANNEL);
    const bool grey = plan->slots[s->in[0]].shape.channels == 1;
    return grey && !values && reads_ahead(plan, s) ? 2 * WINDOW_CHUNK : WINDOW_CHUNK;
}

// The rows that a thread computes share what they read. Bytes gain up to four rows, planes of grey bytes
// up to eight; other types need too many registers for more than two. docs/notes/windows-and-warps.md
// has the times.
static int rows_of(const lg_plan *plan, const lg_plan_stage *s)
{
    if (s->source != LG_FILTER_WINDOW || lg_stage_is_apart(plan, s))
        return 1;
    const lg_plan_slot *in = &plan->slots[s->in[0]];
    if (in->shape.type != LG_U8)
        return 2;
    const bool grey_planes = in->kind == LG_PLAN_PLANES && in->shape.channels == 1;
    return grey_planes && !lg_stage_is_choice(plan, s) && !lg_stage_is_whole(plan, s) ? 8 : 4;
}

static int thread_span_of(const lg_plan *plan, const lg_plan_stage *s)
{
    lg_format formats[LG_MAX_VIEWS];
    const int count = lg_stage_formats(plan, s, formats);
    if (lg_stage_is_choice(plan, s))
        return 16 / plan->slots[s->out].shape.channels;
    if (lg_stage_is_whole(plan, s))
        return LG_WHOLE_SPAN;
    if (s->source == LG_FILTER_WINDOW)
        return window_span_of(plan, s);
    // A warp reads its image pixel by pixel.
    return s->source == LG_FILTER_WARP ? lg_word_span(formats + 1, count - 1)
                                       : lg_thread_span(formats, count);
}

// ---- parameters ---------------------------------------------------------------------------------

static int table_count(const lg_filter *f)
{
    int tables = 0;
    for (int i = 0; i < f->param_count; i++)
        tables += f->params[i].kind == LG_PARAM_TABLE;
    return tables;
}

int lg_node_words(const lg_filter *filter)
{
    return lg_filter_offset(filter, filter->param_count) + table_count(filter) * LG_TABLE_WORDS;
}

static const char *field_type(const lg_filter_param *p)
{
    return p->kind == LG_PARAM_POINT   ? "point"
           : p->kind == LG_PARAM_COLOR ? "color"
           : p->kind == LG_PARAM_TABLE ? "lg_table"
                                       : "float";
}

static bool has_field(const lg_filter_param *p)
{
    return p->kind != LG_PARAM_TEXT && p->kind != LG_PARAM_ALIAS && p->kind != LG_PARAM_BOX;
}

static void write_struct(FILE *out, const lg_filter *f)
{
    bool any = false;
    fprintf(out, "struct %s_params {", f->name);
    for (int i = 0; i < f->param_count; i++) {
        const lg_filter_param *p = &f->params[i];
        if (!has_field(p))
            continue;
        any = true;
        fprintf(out, " %s %s", field_type(p), p->name);
        if (p->kind == LG_PARAM_MATRIX)
            fprintf(out, "[%d]", p->size);
        fputc(';', out);
    }
    fprintf(out, "%s };\n", any ? "" : " float none;");
}

static void write_numbers(FILE *out, const char *type, int at, int count)
{
    fprintf(out, "%s(", type);
    for (int i = 0; i < count; i++)
        fprintf(out, "%slg_param_float(%d)", i ? ", " : "", at + i);
    fputc(')', out);
}

// NAME_params p3 = NAME_params(...), read from number `at` on.
static void write_load(FILE *out, const lg_filter *f, const float *values, int node, int at)
{
    const int start = at;
    int table = at + lg_filter_offset(f, f->param_count);
    bool any = false;
    fprintf(out, "    %s_params p%d = %s_params(", f->name, node, f->name);
    for (int i = 0; i < f->param_count; i++) {
        const lg_filter_param *p = &f->params[i];
        if (!has_field(p))
            continue;
        fputs(any ? ", " : "", out);
        any = true;
        if (p->kind == LG_PARAM_TABLE) {
            fprintf(out, "lg_table_at(%d)", table);
            table += LG_TABLE_WORDS;
        } else {
            char type[24];
            snprintf(type, sizeof type, "float[%d]", p->size);
            // What is chosen is part of the text: the compiler then leaves the other branch out.
            if (p->kind == LG_PARAM_CHOICE || p->kind == LG_PARAM_FLAG)
                fprintf(out, "%d.0", (int)values[at - start]);
            else
                write_numbers(out, p->kind == LG_PARAM_MATRIX ? type : field_type(p), at, p->size);
        }
        at += p->size;
    }
    fprintf(out, "%s);\n", any ? "" : "0.0");
}

// ---- the kernel ---------------------------------------------------------------------------------

// Each filter's text once, however often it is used.
static void write_kernels(FILE *out, const lg_plan *plan, const int *nodes, int count)
{
    for (int i = 0; i < count; i++) {
        const lg_filter *f = plan->graph->nodes[nodes[i]].filter;
        bool again = false;
        for (int k = 0; k < i; k++)
            again |= plan->graph->nodes[nodes[k]].filter == f;
        if (again)
            continue;
        write_struct(out, f);
        fprintf(out, "%s\n", entry(f)->text);
    }
}

// Line k of a thread's pixels, the one below row y, takes the place of line k - 3. It is one pixel wider on
// either side, and read as part of a vector where no edge is near. Each pixel is read and decoded once for
// LG_WINDOW_ROWS rows of results. A filter of values keeps these, and the colours of the line.
// `ahead`: channels of bytes that were read before, or 0.
static void write_line(FILE *out, const lg_filter *f, int border, int ahead)
{
    const bool values = !(f->flags & LG_FILTER_PER_CHANNEL);
    char open[80] = "", keep[80] = "", keep_any[120] = "";
    const char *close = values ? ")" : "";
    char left[64], right[64]; // a word read before has one pixel or four
    snprintf(left, sizeof left, "lg_color_0(lg_raw_u8_%d(beside[k].x%s))", ahead,
             ahead == 1 ? " >> 24" : "");
    snprintf(right, sizeof right, "lg_color_0(lg_raw_u8_%d(beside[k].y))", ahead);
    if (values) {
        snprintf(open, sizeof open, "%s_value(", f->name);
        snprintf(keep, sizeof keep, "colors[k %% 3][j] = lg_unpack_0(v, j);");
        snprintf(keep_any, sizeof keep_any,
                 "if (j > 0 && j <= LG_SPAN) colors[k %% 3][j - 1] = c;");
    }
    fprintf(out,
            "        int row = lg_border_index(y + 1, lg_param_int(6), %d);\n"
            "        if (inside && row >= 0) {\n"
            "            uvec4 v[LG_VECTORS_0];\n"
            "            %s;\n"
            "            lines[k %% 3][0] = %s%s%s;\n"
            "            [[unroll]] for (int j = 0; j < LG_SPAN; j++) {\n"
            "                lines[k %% 3][j + 1] = %slg_unpack_0(v, j)%s;\n"
            "                %s\n"
            "            }\n"
            "            lines[k %% 3][LG_SPAN + 1] = %s%s%s;\n"
            "        } else {\n"
            "            [[unroll]] for (int j = 0; j < LG_SPAN + 2; j++) {\n"
            "                int x = lg_border_index(x0 + j - 1, lg_param_int(5), %d);\n"
            "                color c = lg_load_0(max(x, 0), max(row, 0), z);\n"
            "                if (x < 0 || row < 0)\n"
            "                    c = lg_color_0(vec4(0.0));\n"
            "                lines[k %% 3][j] = %sc%s;\n"
            "                %s\n"
            "            }\n"
            "        }\n",
            border, ahead ? "v = vectors[k]" : "lg_fetch_0(v, x0, row, z)", open,
            ahead ? left : "lg_load_0(x0 - 1, row, z)", close, open, close, keep, open,
            ahead ? right : "lg_load_0(x0 + LG_SPAN, row, z)", close, border, open, close,
            keep_any);
}

// All words that rows of bytes need, where no edge is near. Their addresses are sums, and all are on their
// way before the first one is waited for.
static const char read_ahead[] =
    "    uvec4 vectors[LG_WINDOW_ROWS + 2][LG_VECTORS_0];\n"
    "    uvec2 beside[LG_WINDOW_ROWS + 2];\n"
    "    inside = inside && top > 0 && top + LG_WINDOW_ROWS < lg_param_int(6);\n"
    "    if (inside) {\n"
    "        uvec2 row = lg_row(lg.views[0], uint(top - 1), z);\n"
    "        [[unroll]] for (int k = 0; k < LG_WINDOW_ROWS + 2; k++) {\n"
    "            lg_take_0(vectors[k], row, x0);\n"
    "            beside[k].x = lg_words(row).at[x0 * LG_PIXEL_0 / 4 - 1];\n"
    "            beside[k].y = lg_words(row).at[(x0 + LG_SPAN) * LG_PIXEL_0 / 4];\n"
    "            row = lg_add64(row, uvec2(lg.views[0].row_stride, 0u));\n"
    "        }\n"
    "    }\n";

// The rows of a window: lines are read from above to below, and a row of results is computed when the
// line below it is there.
static void write_rows(FILE *out, const lg_filter *f, int border, int ahead)
{
    const bool values = !(f->flags & LG_FILTER_PER_CHANNEL);
    fprintf(out,
            "    %s lines[3][LG_SPAN + 2];\n%s"
            "    bool inside = x0 > 0 && x0 + LG_SPAN < lg_param_int(5);\n"
            "    int top = y;\n"
            "%s"
            "    [[unroll]] for (int k = 0; k < LG_WINDOW_ROWS + 2; k++) {\n"
            "        y = top + k - 2;\n"
            "        if (y >= int(lg.extra[0]))\n"
            "            break;\n",
            values ? "float" : "color", values ? "    color colors[3][LG_SPAN];\n" : "",
            ahead ? read_ahead : "");
    write_line(out, f, border, ahead);
    fprintf(out, "        if (k < 2)\n            continue;\n");
}

static void write_window(FILE *out, const lg_filter *f)
{
    static const char *const members[] = {"tl", "t", "tr", "l", "c", "r", "bl", "b", "br"};
    if (!(f->flags & LG_FILTER_PER_CHANNEL)) {
        fprintf(out, "        neighborhood n;\n");
        for (int i = 0; i < 9; i++)
            fprintf(out, "        n.%s = lines[(k + %d) %% 3][j + %d];\n", members[i], i / 3 + 1,
                    i % 3);
        fprintf(out, "        color c = %s_kernel(n, colors[(k + 2) %% 3][j], at, p0);\n", f->name);
        return;
    }
    fprintf(out, "        color c = lines[(k + 2) %% 3][j + 1];\n");
    for (const char *channel = "rgb"; *channel; channel++) {
        fprintf(out, "        c.%c = %s_channel(", *channel, f->name);
        for (int i = 0; i < 9; i++)
            fprintf(out, "lines[(k + %d) %% 3][j + %d].%c, ", i / 3 + 1, i % 3, *channel);
        fprintf(out, "p0);\n");
    }
}

// Whether neighbours may lie between pixels.
static bool steps_are_parts(const lg_plan *plan, const lg_plan_stage *s)
{
    const lg_graph_node *n = &plan->graph->nodes[s->node];
    for (int axis = 0; axis < 2; axis++) {
        const lg_filter_param *p = lg_filter_step_param(n->filter, axis);
        const int at = lg_filter_offset(n->filter, (int)(p - n->filter->params));
        const float step = plan->nodes[s->node].values[at];
        if (p->kind == LG_PARAM_NUMBER && step != floorf(step))
            return true;
        for (int i = 0; i < n->figure_count; i++)
            if (p->kind == LG_PARAM_NUMBER && n->figures[i].at == at)
                return true;
    }
    return false;
}

// The pixel at a distance from the one of a window, or what stands outside.
static void write_apart_reader(FILE *out, int border, bool parts)
{
    fprintf(out,
            "color lg_apart(int x, int y, uint z)\n{\n"
            "    x = lg_border_index(x, lg_param_int(5), %d);\n"
            "    y = lg_border_index(y, lg_param_int(6), %d);\n"
            "    color c = lg_load_0(max(x, 0), max(y, 0), z);\n"
            "    if (x < 0 || y < 0)\n"
            "        c = lg_color_0(vec4(0.0));\n"
            "    return c;\n}\n",
            border, border);
    // stage_apart.h has the same in C. Without branches: some drivers round differently behind them.
    if (parts)
        fputs(
            "color lg_neighbour(int x, int y, int side, int below, float across, float down, uint "
            "z)\n"
            "{\n"
            "    float column = floor(across), row = floor(down);\n"
            "    float part = side == 0 ? 0.0 : across - column;\n"
            "    float part_down = below == 0 ? 0.0 : down - row;\n"
            "    x += side * int(column);\n"
            "    y += below * int(row);\n"
            "    color q[4];\n"
            "    [[unroll]] for (int i = 0; i < 4; i++)\n"
            "        q[i] = lg_apart(x + (i & 1) * side, y + (i >> 1) * below, z);\n"
            "    LG_COLOR near = lg_color_between(lg_premultiplied(q[0]), lg_premultiplied(q[2]),\n"
            "                                     part_down);\n"
            "    LG_COLOR next = lg_color_between(lg_premultiplied(q[1]), lg_premultiplied(q[3]),\n"
            "                                     part_down);\n"
            "    LG_COLOR c = lg_straight(lg_color_between(near, next, part));\n"
            "    bool mixed = part > 0.0 || part_down > 0.0;\n"
            "    c.r = mixed ? c.r : q[0].r;\n"
            "    c.g = mixed ? c.g : q[0].g;\n"
            "    c.b = mixed ? c.b : q[0].b;\n"
            "    c.a = mixed ? c.a : q[0].a;\n"
            "    return c;\n}\n",
            out);
}

static void write_apart(FILE *out, const lg_filter *f, bool parts)
{
    static const char *const members[] = {"tl", "t", "tr", "l", "c", "r", "bl", "b", "br"};
    fprintf(out, "        %s across = %s(p0.%s), down = %s(p0.%s);\n        color q[9];\n",
            parts ? "float" : "int", parts ? "float" : "int", lg_filter_step_param(f, 0)->name,
            parts ? "float" : "int", lg_filter_step_param(f, 1)->name);
    for (int i = 0; i < 9; i++)
        if (parts)
            fprintf(out, "        q[%d] = lg_neighbour(x, y, %d, %d, across, down, z);\n", i,
                    i % 3 - 1, i / 3 - 1);
        else
            fprintf(out, "        q[%d] = lg_apart(x + %d * across, y + %d * down, z);\n", i,
                    i % 3 - 1, i / 3 - 1);
    if (!(f->flags & LG_FILTER_PER_CHANNEL)) {
        fprintf(out, "        neighborhood n;\n");
        for (int i = 0; i < 9; i++)
            fprintf(out, "        n.%s = %s_value(q[%d]);\n", members[i], f->name, i);
        fprintf(out, "        color c = %s_kernel(n, q[4], at, p0);\n", f->name);
        return;
    }
    fprintf(out, "        color c = q[4];\n");
    for (const char *channel = "rgb"; *channel; channel++) {
        fprintf(out, "        c.%c = %s_channel(", *channel, f->name);
        for (int i = 0; i < 9; i++)
            fprintf(out, "q[%d].%c, ", i, *channel);
        fprintf(out, "p0);\n");
    }
}

static void write_source(FILE *out, const lg_plan *plan, const lg_plan_stage *s)
{
    if (s->source == LG_FILTER_POINT) {
        fprintf(out, "        color c = lg_unpack_0(v0, j);\n");
        return;
    }
    const lg_graph_node *n = &plan->graph->nodes[s->node];
    if (lg_stage_is_apart(plan, s))
        write_apart(out, n->filter, steps_are_parts(plan, s));
    else if (lg_stage_summed(plan, s))
        lg_stage_write_byte_sum(out, &plan->slots[s->in[0]].shape, lg_stage_summed(plan, s));
    else if (s->source == LG_FILTER_WINDOW)
        write_window(out, n->filter);
    else if (s->source == LG_FILTER_WARP)
        lg_stage_write_reading(out, n->filter);
    else {
        // As the image in which the pixels might be stored would be read back.
        const lg_image_params *made = &plan->nodes[s->node].shape;
        fprintf(out, "        color c = %s_kernel(at, p0);\n", n->filter->name);
        if (lg_reads_grey(made->channels, made->alpha))
            fprintf(out, "        c.g = c.b = c.r;\n");
        if (lg_reads_opaque(made->channels, made->alpha))
            fprintf(out, "        c.a = 1.0;\n");
    }
}

// ---- chains that begin with a table -------------------------------------------------------------

// What a chain on bytes begins with. A workgroup computes it once, with the kernels themselves.
typedef enum first_lookup {
    NO_TABLE,
    TABLE_OF_COLORS, // of all 256 values, after the first filters
    TABLE_OF_PIXELS, // as they are stored: nothing is left to be done with a pixel
} first_lookup;

// The filters that the table stands for: those that make of a byte one of 256 values.
static first_lookup tabled(const lg_plan *plan, const lg_plan_stage *s, int *count)
{
    const lg_image_params *in = s->in[0] >= 0 ? &plan->slots[s->in[0]].shape : NULL;
    *count = 0;
    if (s->source != LG_FILTER_POINT || in->type != LG_U8 || in->channels == 2 ||
        in->alpha == LG_ALPHA_PREMULTIPLIED)
        return NO_TABLE;
    bool worth = false;
    while (*count < s->count) {
        const int node = s->chain[*count];
        const lg_filter *f = plan->graph->nodes[node].filter;
        if (!lg_filter_fits_table(f, plan->nodes[node].values, in->channels))
            break;
        worth |= lg_filter_is_expensive(f);
        ++*count;
    }
    // What is as cheap as the lookup is computed; of a grey a colour's pixels are more to look up.
    const lg_image_params *out = &plan->slots[s->out].shape;
    if (*count == s->count && in->channels == 1 && lg_pixel_size(out) <= 4 &&
        (worth || *count > (out->channels == 1 ? 1 : 2)))
        return TABLE_OF_PIXELS;
    return worth || *count > 2 || (*count > 0 && *count < s->count) ? TABLE_OF_COLORS : NO_TABLE;
}

#define LONG_CHAIN 4

// Whether workgroups go down many rows: a table, and what kernels make of their parameters, then serve
// many pixels.
static bool walks(const lg_plan *plan, const lg_plan_stage *s)
{
    if (s->source != LG_FILTER_POINT)
        return false;
    int count;
    bool prepares = s->count >= LONG_CHAIN || tabled(plan, s, &count);
    for (int i = 0; i < s->count; i++)
        prepares |= (plan->graph->nodes[s->chain[i]].filter->flags & LG_FILTER_PREPARES) != 0;
    return prepares;
}

// The table: a word with the pixel's bytes, or a float for each channel.
static void write_table(FILE *out, const lg_plan *plan, const lg_plan_stage *s, first_lookup part,
                        int count)
{
    fprintf(out, "    for (uint i = gl_LocalInvocationIndex; i < 256u; i += gl_WorkGroupSize.x) {\n"
                 "        float v = lg_from_uint(i) * LG_UNIT_U8;\n"
                 "        color c = rgba(v, v, v, 1.0);\n"
                 "        place at = lg_place_at(0, 0);\n");
    for (int i = 0; i < count; i++)
        fprintf(out, "        c = %s_kernel(c, at, p%d);\n",
                plan->graph->nodes[s->chain[i]].filter->name, i);
    if (part == TABLE_OF_PIXELS)
        fprintf(out, "        uvec4 words[LG_VECTORS_OUT];\n        words[0] = uvec4(0u);\n"
                     "        lg_pack(words, 0, c);\n        lg_packed[i] = words[0].x;\n");
    else
        fprintf(out, "        lg_column_r[i] = c.r;\n        lg_column_g[i] = c.g;\n"
                     "        lg_column_b[i] = c.b;\n        lg_column_a[i] = c.a;\n");
    fprintf(out, "    }\n    barrier();\n");
}

static void write_lookup(FILE *out, const lg_image_params *in, first_lookup part)
{
    if (in->channels == 1)
        fprintf(out, "        uint w = v0[j >> 4][j >> 2 & 3] >> (8 * (j & 3)) & 255u;\n");
    else
        fprintf(out, "        uint w = v0[j >> 2][j & 3];\n");
    if (part == TABLE_OF_PIXELS)
        fprintf(out, "        lg_put(result, j, lg_packed[w]);\n");
    else if (in->channels == 1)
        fprintf(out, "        color c = rgba(lg_column_r[w], lg_column_g[w], lg_column_b[w], "
                     "lg_column_a[w]);\n");
    else
        fprintf(out,
                "        color c = rgba(lg_column_r[w & 255u], lg_column_g[w >> 8 & 255u], "
                "lg_column_b[w >> 16 & 255u], %s);\n",
                in->alpha == LG_ALPHA_OPAQUE ? "1.0" : "lg_from_uint(w >> 24) * LG_UNIT_U8");
}

// ---- the whole kernel ---------------------------------------------------------------------------

// The images are read in front of the pixels: as vectors.
static void write_fetches(FILE *out, const lg_plan *plan, const lg_plan_stage *s, int view)
{
    if (s->source == LG_FILTER_POINT)
        fprintf(out, "    uvec4 v0[LG_VECTORS_0];\n    lg_fetch_0(v0, x0, y, z);\n");
    for (int i = 0, k = view; i < s->count; i++)
        if (s->over[i] >= 0 && plan->nodes[s->chain[i]].table_slot < 0) {
            fprintf(out, "    uvec4 v%d[LG_VECTORS_%d];\n    lg_fetch_%d(v%d, x0, y, z);\n", k, k,
                    k, k);
            k++;
        }
}

static void write_pixels(FILE *out, const lg_plan *plan, const lg_plan_stage *s, int view,
                         first_lookup part, int table)
{
    const int first = s->node >= 0; // of the chain among the nodes
    fprintf(out,
            "    uvec4 result[LG_VECTORS_OUT];\n"
            "    [[unroll]] for (int i = 0; i < LG_VECTORS_OUT; i++)\n"
            "        result[i] = uvec4(0u);\n"
            "    [[unroll]] for (int j = 0; j < LG_SPAN; j++) {\n"
            "        int x = x0 + j;\n"
            "        place at = %s(%sx, y);\n",
            s->source == LG_FILTER_WARP ? "lg_source_place" : "lg_place_at",
            s->source == LG_FILTER_WARP ? "source, " : "");
    if (lg_stage_is_words(plan, s)) {
        fprintf(out,
                "        lg_put(result, j, %s_word(v0[j >> 2][j & 3], p0)%s);\n    }\n"
                "    lg_flush(result, x0, y, z);\n",
                plan->graph->nodes[s->chain[0]].filter->name,
                plan->slots[s->out].shape.alpha == LG_ALPHA_OPAQUE ? " | 0xff000000u" : "");
        return;
    }
    if (part)
        write_lookup(out, &plan->slots[s->in[0]].shape, part);
    else
        write_source(out, plan, s);
    for (int i = table; i < s->count; i++) {
        const lg_filter *f = plan->graph->nodes[s->chain[i]].filter;
        if (f->kind == LG_FILTER_BLEND)
            fprintf(out, "        c = %s_kernel(c, lg_unpack_%d(v%d, j), at, p%d);\n", f->name,
                    view, view, first + i);
        else
            fprintf(out, "        c = %s_kernel(c, at, p%d);\n", f->name, first + i);
        view += f->kind == LG_FILTER_BLEND;
    }
    if (part != TABLE_OF_PIXELS)
        fprintf(out, "        lg_pack(result, j, c);\n");
    fprintf(out, "    }\n    lg_flush(result, x0, y, z);\n");
}

// Of the image that the source reads; planes have several.
static int views_of_source(const lg_plan *plan, const lg_plan_stage *s)
{
    lg_format formats[LG_MAX_VIEWS];
    const int count = lg_stage_formats(plan, s, formats);
    int views = s->in[0] >= 0 && s->source != LG_FILTER_GENERATE;
    while (views && views < count && formats[views].part)
        views++;
    return views;
}

static void write_main(FILE *out, const lg_plan *plan, const lg_plan_stage *s, const int *nodes,
                       int count)
{
    const int view = views_of_source(plan, s);
    int at = LG_STAGE_HEADER, table;
    const first_lookup part = tabled(plan, s, &table);
    if (part == TABLE_OF_PIXELS)
        fprintf(out, "shared uint lg_packed[256];\n");
    else if (part)
        fprintf(out, "shared float lg_column_r[256], lg_column_g[256], lg_column_b[256], "
                     "lg_column_a[256];\n");
    const bool rows = walks(plan, s), warp = s->source == LG_FILTER_WARP;
    const lg_graph_node *source = s->node >= 0 ? &plan->graph->nodes[s->node] : NULL;
    const int border = source ? (int)lg_node_border(source, plan->nodes[s->node].values) : 0;
    const bool apart = lg_stage_is_apart(plan, s);
    const bool lines = s->source == LG_FILTER_WINDOW && !apart;
    if (apart)
        write_apart_reader(out, border, steps_are_parts(plan, s));
    fprintf(out, "void main()\n{\n");
    if (warp)
        lg_stage_write_lanes(out);
    else
        fprintf(out,
                "    int x0 = int(gl_GlobalInvocationID.x) * LG_SPAN;\n"
                "    int y = int(gl_WorkGroupID.y * %d + lg.first_row);\n"
                "    uint z = gl_WorkGroupID.z;\n",
                rows_of(plan, s));
    if (!rows)
        fprintf(out, "    if (uint(x0) >= lg.width)\n        return;\n");
    for (int i = 0; i < count; i++) {
        const lg_filter *f = plan->graph->nodes[nodes[i]].filter;
        write_load(out, f, plan->nodes[nodes[i]].values, i, at);
        at += lg_node_words(f);
    }
    if (lg_stage_is_whole(plan, s)) {
        fprintf(out, "    lg_whole_rows(x0, y, z, p0);\n}\n");
        return;
    }
    if (lg_stage_summed(plan, s))
        lg_stage_write_weights(out, source->filter, lg_stage_summed(plan, s));
    if (part)
        write_table(out, plan, s, part, table);
    if (rows)
        fprintf(out, "    if (uint(x0) >= lg.width)\n        return;\n"
                     "    for (; y < int(lg.extra[0]); y += int(gl_NumWorkGroups.y)) {\n");
    if (warp)
        fprintf(out, "    lg_source source = lg_source_at(z);\n    for (; y < end; y += %d) {\n",
                LG_WARP_STEP);
    if (lines)
        write_rows(out, source->filter, border,
                   reads_ahead(plan, s) ? plan->slots[s->in[0]].shape.channels : 0);
    write_fetches(out, plan, s, view);
    write_pixels(out, plan, s, view, part, part ? table : 0);
    fprintf(out, "%s}\n", rows || warp || lines ? "    }\n" : "");
}

lg_status lg_stage_compile(lg_plan *plan, const lg_plan_stage *s, lg_stage_kernel *kernel,
                           lg_error *error)
{
    if (s->encodes >= 0)
        return lg_stage_compile_planes(plan, s, kernel, error);
    int nodes[LG_CHAIN_LENGTH + 1];
    lg_format formats[LG_MAX_VIEWS];
    const int views = lg_stage_formats(plan, s, formats), count = lg_stage_nodes(s, nodes);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return lg_fail_memory(error, 65536, "the text of a kernel");
    const bool warp = s->source == LG_FILTER_WARP, choice = lg_stage_is_choice(plan, s);
    const bool whole = lg_stage_is_whole(plan, s);
    const int span = thread_span_of(plan, s);
    kernel->whole = whole;
    kernel->summed = lg_stage_summed(plan, s);
    kernel->walks = walks(plan, s);
    const int lanes = kernel->walks ? LG_WALK_GROUP : LG_STAGE_GROUP;
    kernel->across = span * (warp ? LG_WARP_ACROSS : lanes);
    kernel->down = warp ? LG_WARP_DOWN : rows_of(plan, s);
    const bool dot = lg_stage_is_words(plan, s) && lg_vk_get_limits(plan->context->vk)->integer_dot;
    lg_glsl_begin(out, &(lg_glsl_params){formats, views, lanes, 1, 1, span,
                                         dot               ? "#define LG_INTEGER_DOT\n"
                                         : warp            ? LG_WARP_EXTENSIONS
                                         : choice || whole ? LG_CHOICE_EXTENSIONS
                                         : kernel->summed  ? LG_BYTE_SUMS_UNIT
                                                           : NULL});
    fprintf(out, "#define LG_WINDOW_ROWS %d\n", rows_of(plan, s));
    if (warp)
        lg_stage_write_sampling(
            out, &formats[0],
            (int)lg_node_border(&plan->graph->nodes[s->node], plan->nodes[s->node].values));
    if (choice) {
        lg_stage_write_choice(out, plan, s);
    } else {
        write_kernels(out, plan, nodes, count);
        if (whole)
            lg_stage_write_whole(out, plan, s);
        write_main(out, plan, s, nodes, count);
    }
    return lg_device_compile(plan->context, s->name, out, &text, &kernel->pipeline, error);
}
