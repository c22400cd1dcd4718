// Figures of labels in host memory.
#include "measure/components/components.h"
#include "measure/components/label_sums.h"

#include <string.h>

lg_status lg_label_measure_host(lg_context *context, const lg_label_task *task,
                                const lg_labels *labels, lg_components *components, lg_error *error)
{
    lg_label_sums sums = {0};
    const uint32_t count = labels->count;
    int32_t *begin = lg_alloc_uninit((size_t)labels->width * sizeof *begin);
    int32_t *end = lg_alloc_uninit((size_t)labels->width * sizeof *end);
    uint32_t *part = lg_alloc_uninit((size_t)labels->width * sizeof *part);
    lg_status status = LG_OK;
    if (!begin || !end || !part)
        status = lg_fail_memory(error, (size_t)labels->width * sizeof *begin, "the runs of a row");
    if (!status)
        status = lg_label_sums_create(task, labels->width, labels->height, count, &sums, error);
    for (int32_t z = 0; z < labels->layers && !status; z++) {
        for (int32_t y = 0; y < labels->height && !status; y++) {
            const uint32_t *row =
                (const uint32_t *)((const char *)labels->data + (size_t)z * labels->layer_stride +
                                   (size_t)y * labels->row_stride);
            size_t n = 0;
            for (int32_t x = 0; x < labels->width; n++) {
                const uint32_t label = row[x];
                begin[n] = x;
                while (x < labels->width && row[x] == label)
                    x++;
                end[n] = x;
                part[n] = label - 1;
                if (label == 0)
                    n--;
                else if (label > count) {
                    status = lg_fail(error, LG_ERROR_ARGUMENT, "label %u among labels up to %u",
                                     label, count);
                    break;
                }
            }
            const lg_label_runs runs = {
                .n = n, .begin = begin, .end = end, .part = part, .y = y, .z = z};
            if (!status)
                lg_label_sums_add(&sums, &runs);
        }
    }
    if (!status)
        memcpy(components->basic, sums.basic, (size_t)count * sizeof *components->basic);
    lg_free(begin);
    lg_free(end);
    lg_free(part);
    lg_label_sums_destroy(&sums);
    return status;
}
