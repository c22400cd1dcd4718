#include "measure/components/label_fetch.h"

#include "measure/components/label_sums.h"

#include <string.h>

// ---- records on the device --------------------------------------------------------------------------

static lg_status create(lg_context *context, size_t count, size_t size, lg_vk_buffer **out,
                        uint64_t *address, lg_error *error)
{
    const lg_status status =
        lg_vk_buffer_create(context->vk, count * size, LG_VK_DEVICE, out, error);
    *address = status ? 0 : (*out)->address;
    return status;
}

lg_status lg_label_records_create(lg_context *context, const lg_label_source *source, bool shape,
                                  uint32_t count, lg_label_request *request, lg_label_records *out,
                                  lg_error *error)
{
    const bool reals = request->intensity && request->intensity->type > LG_U16;
    request->capacity = count;
    if (count == 0)
        return LG_OK;
    lg_status status = create(context, count, lg_label_record_size(source, request), &out->figures,
                              &request->figures, error);
    if (!status && shape)
        status = create(context, count, sizeof(lg_label_shape_record), &out->shapes,
                        &request->shapes, error);
    if (!status && reals)
        status = create(context, count, sizeof(lg_label_real_record), &out->reals, &request->reals,
                        error);
    return status;
}

void lg_label_records_destroy(lg_context *context, lg_label_records *records)
{
    lg_vk_buffer_destroy(context->vk, &records->figures);
    lg_vk_buffer_destroy(context->vk, &records->shapes);
    lg_vk_buffer_destroy(context->vk, &records->reals);
}

// ---- records here -----------------------------------------------------------------------------------

static uint64_t sum_of(const uint32_t words[2])
{
    return words[0] | (uint64_t)words[1] << 32;
}

// What records do not hold follows from the one layer that a component has unless it is a volume.
static void take_record(const lg_label_record *r, const lg_label_source *source, bool volume,
                        lg_components *c, size_t i)
{
    const uint32_t row = r->first / source->width, layer = row / source->height;
    const uint64_t x = sum_of(r->x), y = sum_of(r->y), z = layer;
    c->basic[i] = (lg_component_basic){
        .area = r->area,
        .first = r->first,
        .sum = {x, y, volume ? sum_of(r->z) : z * r->area},
        .low = {(int32_t)~r->left, (int32_t)(volume ? ~r->top : row - layer * source->height),
                (int32_t)layer},
        .high = {(int32_t)r->right, (int32_t)r->bottom, (int32_t)(volume ? r->back : layer)}};
    if (c->second)
        c->second[i] = (lg_component_second){.xx = sum_of(r->xx),
                                             .yy = sum_of(r->yy),
                                             .zz = volume ? sum_of(r->zz) : z * z * r->area,
                                             .xy = sum_of(r->xy),
                                             .xz = volume ? sum_of(r->xz) : z * x,
                                             .yz = volume ? sum_of(r->yz) : z * y};
}

static void take_integers(const lg_label_record *r, bool volume, uint32_t layer,
                          lg_component_intensity *to)
{
    to->sum = (__int128)sum_of(r->sum);
    to->moment[0] = (__int128)sum_of(r->x_sum);
    to->moment[1] = (__int128)sum_of(r->y_sum);
    to->moment[2] = volume ? (__int128)sum_of(r->z_sum) : to->sum * layer;
    to->squares = sum_of(r->squares);
    to->count = r->area;
    to->min = 65535 - (int32_t)r->low;
    to->max = r->high;
}

static __int128 signed_of(const uint32_t words[3])
{
    const lg_u128 low = sum_of(words);
    return (__int128)(low | (lg_u128)words[2] << 64 | (lg_u128)(words[2] >> 31 ? ~0u : 0u) << 96);
}

static double value_of(lg_type type, uint32_t key)
{
    const bool negative = key < 1u << 31;
    const double v =
        (double)lg_label_magnitude(type, negative ? (1u << 31) - key : key - (1u << 31));
    return negative ? -v : v;
}

static void take_reals(const lg_label_real_record *r, lg_type type, bool volume, uint32_t layer,
                       lg_component_intensity *to)
{
    if (r->count == 0)
        return;
    to->sum = signed_of(r->sum);
    for (int i = 0; i < 3; i++)
        to->moment[i] = signed_of(r->moment[i]);
    if (!volume)
        to->moment[2] = to->sum * layer;
    to->squares = sum_of(r->squares) | (lg_u128)sum_of(r->squares + 2) << 64;
    to->count = r->count;
    to->min = value_of(type, ~r->low);
    to->max = value_of(type, r->high);
}

// Each pixel of a component is in four windows.
static void take_shape(const lg_label_shape_record *r, uint64_t area, lg_component_shape *to)
{
    uint64_t rest = 4 * area;
    for (unsigned i = 1; i < 15; i++) {
        to->windows[i] = r->windows[i - 1];
        rest -= (uint64_t)__builtin_popcount(i) * to->windows[i];
    }
    to->windows[15] = rest / 4;
    for (int i = 0; i < 3; i++)
        to->border[i] = r->border[i];
    for (int i = 0; i < 9; i++)
        to->down[i] = r->down[i];
}

// ---- all of them ------------------------------------------------------------------------------------

#define RECORDS_AT_ONCE (1 << 16)

typedef struct records_job {
    const lg_label_source *source;
    const lg_label_request *request;
    size_t size; // of a record of figures
    char *figures;
    lg_label_shape_record *shapes; // or NULL, as those below
    lg_label_real_record *reals;
    lg_components *components;
} records_job;

static void take_records(void *arg, size_t index, int worker)
{
    const records_job *job = arg;
    lg_components *c = job->components;
    const lg_label_source *source = job->source, *intensity = job->request->intensity;
    const bool volume = lg_connectivity_is_volume(job->request->connectivity) && source->layers > 1;
    const size_t end = LG_MIN((index + 1) * RECORDS_AT_ONCE, (size_t)c->count);
    for (size_t i = index * RECORDS_AT_ONCE; i < end; i++) {
        lg_label_record record = {0};
        memcpy(&record, job->figures + i * job->size, job->size);
        take_record(&record, source, volume, c, i);
        const uint32_t layer = (uint32_t)c->basic[i].low[2];
        if (job->reals)
            take_reals(&job->reals[i], intensity->type, volume, layer, &c->intensity[i]);
        else if (c->intensity)
            take_integers(&record, volume, layer, &c->intensity[i]);
        if (job->shapes)
            take_shape(&job->shapes[i], record.area, &c->shape[i]);
    }
}

static lg_status fetch(lg_context *context, lg_vk_buffer *from, size_t bytes, void *out,
                       lg_error *error)
{
    void *to = lg_alloc_uninit(bytes);
    if (!to)
        return lg_fail_memory(error, bytes, "figures of components");
    memcpy(out, &to, sizeof to);
    return lg_vk_download(context->vk, to, bytes, from, 0, bytes, bytes, 1, error);
}

lg_status lg_label_fetch(lg_context *context, const lg_label_source *source,
                         const lg_label_request *request, const lg_label_records *records,
                         uint32_t largest, lg_components *components, lg_error *error)
{
    const size_t count = components->count;
    records_job job = {.source = source,
                       .request = request,
                       .size = lg_label_record_size(source, request),
                       .components = components};
    if (request->largest)
        components->unit = lg_label_unit(request->intensity->type, count ? largest : 0);
    if (count == 0)
        return LG_OK;
    const double start = lg_time_seconds();
    lg_status status = fetch(context, records->figures, count * job.size, &job.figures, error);
    if (!status && records->shapes)
        status = fetch(context, records->shapes, count * sizeof *job.shapes, &job.shapes, error);
    if (!status && records->reals)
        status = fetch(context, records->reals, count * sizeof *job.reals, &job.reals, error);
    if (!status) {
        context->report.download =
            LG_MAX(context->report.download, 0.0) + lg_time_seconds() - start;
        lg_pool_run(context->pool, (count + RECORDS_AT_ONCE - 1) / RECORDS_AT_ONCE, take_records,
                    &job);
    }
    lg_free(job.figures);
    lg_free(job.shapes);
    lg_free(job.reals);
    return status;
}
