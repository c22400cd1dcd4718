// Which components stay, and what is left when the others go.
#include "measure/components/components_expression.h"

#include "engine/tile.h"
#include "vulkan/vk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- expressions --------------------------------------------------------------------------------

enum { BLOCK = 256 }; // components at a time, so that the stack stays in the first cache

typedef struct evaluation {
    const lg_expression *expression;
    double *column[LG_COLUMNS]; // of the columns that occur
    double (*stack)[BLOCK];
} evaluation;

static bool is_true(double v)
{
    return v != 0 && !isnan(v);
}

static double combine(lg_step_kind kind, double a, double b)
{
    switch (kind) {
    case LG_STEP_ADD:
        return a + b;
    case LG_STEP_SUBTRACT:
        return a - b;
    case LG_STEP_MULTIPLY:
        return a * b;
    case LG_STEP_DIVIDE:
        return a / b;
    case LG_STEP_LESS:
        return a < b;
    case LG_STEP_LESS_EQUAL:
        return a <= b;
    case LG_STEP_GREATER:
        return a > b;
    case LG_STEP_GREATER_EQUAL:
        return a >= b;
    case LG_STEP_EQUAL:
        return a == b;
    case LG_STEP_UNEQUAL:
        return a < b || a > b; // false with NaN, as all others
    case LG_STEP_AND:
        return is_true(a) && is_true(b);
    default:
        return is_true(a) || is_true(b);
    }
}

// One step for the components from `first` on; *top is the number of entries.
static void do_step(const evaluation *e, const lg_step *step, int *top, uint32_t first, uint32_t n)
{
    double *to = e->stack[*top];
    if (step->kind <= LG_STEP_COLUMN) {
        for (uint32_t i = 0; i < n; i++)
            to[i] =
                step->kind == LG_STEP_NUMBER ? step->number : e->column[step->column][first + i];
        ++*top;
        return;
    }
    to = e->stack[*top - 1];
    if (step->kind <= LG_STEP_NOT) {
        for (uint32_t i = 0; i < n; i++)
            to[i] = step->kind == LG_STEP_NEGATE ? -to[i] : !is_true(to[i]);
        return;
    }
    double *left = e->stack[--*top - 1];
    for (uint32_t i = 0; i < n; i++)
        left[i] = combine(step->kind, left[i], to[i]);
}

static void evaluate(const evaluation *e, uint32_t count, uint8_t *keep)
{
    for (uint32_t first = 0; first < count; first += BLOCK) {
        const uint32_t n = LG_MIN((uint32_t)BLOCK, count - first);
        int top = 0;
        for (int i = 0; i < e->expression->steps; i++)
            do_step(e, &e->expression->step[i], &top, first, n);
        for (uint32_t i = 0; i < n; i++)
            keep[first + i] = is_true(e->stack[0][i]);
    }
}

static lg_status take_columns(const lg_components *components, evaluation *e, lg_error *error)
{
    for (int i = 0; i < e->expression->steps; i++) {
        const lg_step *step = &e->expression->step[i];
        double **to = &e->column[step->column];
        if (step->kind != LG_STEP_COLUMN || *to)
            continue;
        *to = lg_alloc_array(LG_MAX(components->count, 1u), sizeof **to);
        if (!*to)
            return lg_fail_memory(error, components->count * sizeof **to, "a column");
        const lg_status status = lg_components_column(components, step->column, *to, error);
        if (status != LG_OK)
            return status;
    }
    return LG_OK;
}

lg_status lg_components_select(const lg_components *components, const char *expression,
                               uint8_t *keep, lg_error *error)
{
    if (!components || !expression || (components->count && !keep))
        return lg_fail_null(error, "components, an expression, and a place for the answers");
    lg_expression *parsed = lg_alloc(sizeof *parsed);
    evaluation e = {.expression = parsed};
    if (!parsed)
        return lg_fail_memory(error, sizeof *parsed, "an expression");
    lg_status status = lg_expression_parse(expression, parsed, error);
    if (status == LG_OK)
        status = take_columns(components, &e, error);
    if (status == LG_OK && !(e.stack = lg_alloc_array((size_t)parsed->stack, sizeof *e.stack)))
        status = lg_fail_memory(error, (size_t)parsed->stack * sizeof *e.stack, "an expression");
    if (status == LG_OK)
        evaluate(&e, components->count, keep);
    for (int i = 0; i < LG_COLUMNS; i++)
        lg_free(e.column[i]);
    lg_free(e.stack);
    lg_free(parsed);
    return status;
}

// ---- the largest --------------------------------------------------------------------------------

static int by_size(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

lg_status lg_components_largest(const lg_components *components, uint32_t k, uint8_t *keep,
                                lg_error *error)
{
    if (!components || (components->count && !keep))
        return lg_fail_null(error, "components, and which of them are kept");
    uint32_t candidates = 0;
    for (uint32_t i = 0; i < components->count; i++)
        candidates += keep[i] != 0;
    if (candidates <= k)
        return LG_OK;
    uint64_t *areas = lg_alloc_array(candidates, sizeof *areas);
    if (!areas)
        return lg_fail_memory(error, candidates * sizeof *areas, "areas");
    uint32_t n = 0;
    for (uint32_t i = 0; i < components->count; i++)
        if (keep[i])
            areas[n++] = components->basic[i].area;
    qsort(areas, n, sizeof *areas, by_size);
    const uint64_t min = k > 0 ? areas[k - 1] : UINT64_MAX;
    uint32_t ties = 0; // of the least area, so many stay
    while (ties < k && areas[k - 1 - ties] == min)
        ties++;
    lg_free(areas);
    for (uint32_t i = 0; i < components->count; i++) {
        const uint64_t area = components->basic[i].area;
        if (!keep[i] || area > min)
            continue;
        keep[i] = area == min && ties > 0;
        ties -= keep[i];
    }
    return LG_OK;
}

// ---- removal ------------------------------------------------------------------------------------

typedef struct renumbering {
    const lg_labels *labels;
    const uint32_t *map; // new label of an old one
} renumbering;

static lg_status renumber_row(void *arg, const lg_tile *t)
{
    const renumbering *r = arg;
    const lg_labels *l = r->labels;
    uint32_t *row = (uint32_t *)(void *)((uint8_t *)l->data + (size_t)t->layer * l->layer_stride +
                                         (size_t)t->y * l->row_stride);
    for (int32_t x = 0; x < l->width; x++)
        row[x] = row[x] <= l->count ? r->map[row[x]] : 0;
    return LG_OK;
}

// Moves the figures that stay to the front.
static void compact(lg_components *c, const uint8_t *keep)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        if (!keep[i])
            continue;
        c->basic[n] = c->basic[i];
        if (c->second)
            c->second[n] = c->second[i];
        if (c->intensity)
            c->intensity[n] = c->intensity[i];
        if (c->shape)
            c->shape[n] = c->shape[i];
        n++;
    }
    c->count = n;
}

static lg_status renumber(lg_context *context, lg_labels *labels, const uint8_t *keep,
                          lg_error *error)
{
    uint32_t *map = lg_alloc_array((size_t)labels->count + 1, sizeof *map), n = 0;
    if (!map)
        return lg_fail_memory(error, ((size_t)labels->count + 1) * sizeof *map, "new labels");
    lg_labels_private *p = lg_labels_internal(labels);
    lg_status status = lg_labels_download(context, labels, error);
    if (status == LG_OK) {
        if (p->device) // what it holds is no longer true
            lg_vk_buffer_destroy(p->context->attached, &p->device);
        for (uint32_t i = 0; i < labels->count; i++)
            map[i + 1] = keep[i] ? ++n : 0;
        renumbering r = {labels, map};
        const lg_tiling rows = {.height = labels->height,
                                .layers = labels->layers,
                                .band = 1,
                                .in_place = true,
                                .run = renumber_row,
                                .job = &r};
        if (n < labels->count)
            status = lg_tiling_run(context->pool, &rows, error);
        labels->count = n;
    }
    lg_free(map);
    return status;
}

lg_status lg_components_keep(lg_context *context, lg_labels *labels, lg_components *components,
                             const uint8_t *keep, lg_error *error)
{
    lg_status status = lg_context_check(context, error);
    if (status)
        return status;
    const uint32_t count = components ? components->count : labels ? labels->count : 0;
    if (count && !keep)
        return lg_fail_null(error, "which components are kept");
    if (labels && components && labels->count != components->count)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "%u labels and %u components do not belong together", labels->count,
                       components->count);
    if (labels)
        status = renumber(context, labels, keep, error);
    if (status == LG_OK && components)
        compact(components, keep);
    return status;
}
