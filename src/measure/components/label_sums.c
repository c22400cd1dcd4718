#include "measure/components/label_sums.h"

#include <string.h>

lg_status lg_label_sums_create(const lg_label_task *task, int32_t width, int32_t height,
                               uint32_t parts, lg_label_sums *out, lg_error *error)
{
    lg_label_sums s = {
        .width = width, .height = height, .parts = parts, .intensity = task->intensity};
    s.basic = lg_alloc_array(parts, sizeof *s.basic);
    if (!s.basic) {
        lg_label_sums_destroy(&s);
        return lg_fail_memory(error, parts * sizeof *s.basic, "sums of components");
    }
    *out = s;
    return LG_OK;
}

void lg_label_sums_destroy(lg_label_sums *s)
{
    lg_free(s->basic);
    lg_free(s->second);
    lg_free(s->intensities);
    *s = (lg_label_sums){0};
}

static void add_basic(lg_component_basic *b, int32_t begin, int32_t end, int32_t y, int32_t z,
                      uint64_t first)
{
    const uint64_t n = (uint64_t)(end - begin);
    if (b->area == 0) {
        b->first = first;
        b->low[0] = begin;
        b->high[0] = end - 1;
        b->low[1] = b->high[1] = y;
        b->low[2] = b->high[2] = z;
    }
    b->area += n;
    b->sum[0] += n * (uint64_t)(begin + end - 1) / 2;
    b->sum[1] += n * (uint64_t)y;
    b->sum[2] += n * (uint64_t)z;
    b->low[0] = LG_MIN(b->low[0], begin);
    b->high[0] = LG_MAX(b->high[0], end - 1);
    b->low[1] = LG_MIN(b->low[1], y); // rows of a layer come one after the other, layers begin anew
    b->high[1] = LG_MAX(b->high[1], y);
    b->high[2] = z;
}

void lg_label_sums_add(lg_label_sums *s, const lg_label_runs *r)
{
    const uint64_t row = (uint64_t)r->z * (uint64_t)s->height + (uint64_t)r->y;
    for (size_t i = 0; i < r->n; i++)
        add_basic(&s->basic[r->first_part + r->part[i]], r->begin[i], r->end[i], r->y, r->z,
                  row * (uint64_t)s->width + (uint64_t)r->begin[i]);
}

static void merge_basic(lg_component_basic *to, const lg_component_basic *from)
{
    if (from->area == 0)
        return;
    if (to->area == 0) {
        *to = *from;
        return;
    }
    to->area += from->area;
    to->first = LG_MIN(to->first, from->first);
    for (int i = 0; i < 3; i++) {
        to->sum[i] += from->sum[i];
        to->low[i] = LG_MIN(to->low[i], from->low[i]);
        to->high[i] = LG_MAX(to->high[i], from->high[i]);
    }
}

lg_status lg_label_sums_finish(lg_label_sums *s, const lg_label_task *task, const uint32_t *label,
                               uint32_t count, lg_components *c, lg_error *error)
{
    const lg_status status = lg_components_reserve(c, task, count, error);
    if (status)
        return status;
    for (uint32_t i = 0; i < s->parts; i++)
        if (label[i])
            merge_basic(&c->basic[label[i] - 1], &s->basic[i]);
    return LG_OK;
}
