// Figures of shapes: a polygon or a mask becomes runs of rows, and these are one union of boxes.
#include "area_runs.h"
#include "areasum_planes.h"

// The layers that a shape goes through, where there are any.
typedef struct through {
    int dims;
    int64_t first, layers;
} through;

static const through flat = {.dims = 2};

static lg_status info_of(const lg_areasum *areasum, const through *depth, const double *out,
                         lg_areasum_info *info, lg_error *error)
{
    if (!out)
        return lg_fail_null(error, "a place for the figures");
    if (!areasum)
        return lg_fail_null(error, "area sums");
    lg_areasum_get_info(areasum, info);
    if (info->dims != depth->dims)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       depth->dims == 2
                           ? "polygons and masks are for arrays of 2 dimensions; this one has %d"
                           : "polygons and masks through layers are for arrays of 3 dimensions; "
                             "this one has %d",
                       info->dims);
    if (depth->dims == 3 &&
        (depth->first < 0 || depth->layers < 1 || depth->first > info->extent[2] - depth->layers))
        return lg_fail(
            error, LG_ERROR_ARGUMENT, "%lld layers from %lld; the array has layers 0 to %lld",
            (long long)depth->layers, (long long)depth->first, (long long)info->extent[2] - 1);
    return LG_OK;
}

// Runs of a plane as boxes through the layers, in place of them.
static lg_status deepen(const through *depth, int32_t **bounds, size_t count, lg_error *error)
{
    int32_t *deep = lg_alloc_array(LG_MAX(count, (size_t)1) * 6, sizeof *deep);
    if (!deep)
        return lg_fail_memory(error, count * 6 * sizeof *deep, "the runs of a shape");
    for (size_t i = 0; i < count; i++) {
        const int32_t *run = *bounds + 4 * i;
        const int32_t box[6] = {run[0], run[1], (int32_t)depth->first,
                                run[2], run[3], (int32_t)(depth->first + depth->layers)};
        memcpy(deep + 6 * i, box, sizeof box);
    }
    lg_area_runs_free(bounds);
    *bounds = deep;
    return LG_OK;
}

static lg_status query(lg_context *context, const lg_areasum *areasum, lg_area_figure figure,
                       const through *depth, int32_t **bounds, size_t count, double *out,
                       lg_error *error)
{
    lg_status status = depth->dims == 3 ? deepen(depth, bounds, count, error) : LG_OK;
    if (status == LG_OK)
        status = lg_area_query_union(context, areasum, figure, *bounds, count, out, error);
    lg_area_runs_free(bounds);
    return status;
}

static lg_status query_polygon(lg_context *context, const lg_areasum *areasum,
                               lg_area_figure figure, const lg_area_polygon *polygon,
                               const through *depth, double *out, lg_error *error)
{
    lg_areasum_info info;
    int32_t *bounds = NULL;
    size_t count = 0;
    lg_status status = info_of(areasum, depth, out, &info, error);
    if (status == LG_OK)
        status =
            lg_area_polygon_runs(polygon, info.extent[0], info.extent[1], &bounds, &count, error);
    return status ? status : query(context, areasum, figure, depth, &bounds, count, out, error);
}

static lg_status query_mask(lg_context *context, const lg_areasum *areasum, lg_area_figure figure,
                            const lg_image *mask, const through *depth, double *out,
                            lg_error *error)
{
    lg_areasum_info info;
    int32_t *bounds = NULL;
    size_t count = 0;
    lg_status status = info_of(areasum, depth, out, &info, error);
    if (status == LG_OK)
        status = lg_area_mask_runs(mask, info.extent[0], info.extent[1], &bounds, &count, error);
    return status ? status : query(context, areasum, figure, depth, &bounds, count, out, error);
}

lg_status lg_areasum_query_polygon(lg_context *context, const lg_areasum *areasum,
                                   lg_area_figure figure, const lg_area_polygon *polygon,
                                   double *out, lg_error *error)
{
    return query_polygon(context, areasum, figure, polygon, &flat, out, error);
}

lg_status lg_areasum_query_mask(lg_context *context, const lg_areasum *areasum,
                                lg_area_figure figure, const lg_image *mask, double *out,
                                lg_error *error)
{
    return query_mask(context, areasum, figure, mask, &flat, out, error);
}

lg_status lg_areasum_query_polygon_layers(lg_context *context, const lg_areasum *areasum,
                                          lg_area_figure figure, const lg_area_polygon *polygon,
                                          int64_t first, int64_t layers, double *out,
                                          lg_error *error)
{
    const through depth = {3, first, layers};
    return query_polygon(context, areasum, figure, polygon, &depth, out, error);
}

lg_status lg_areasum_query_mask_layers(lg_context *context, const lg_areasum *areasum,
                                       lg_area_figure figure, const lg_image *mask, int64_t first,
                                       int64_t layers, double *out, lg_error *error)
{
    const through depth = {3, first, layers};
    return query_mask(context, areasum, figure, mask, &depth, out, error);
}
