// Figures of shapes: a polygon or a mask becomes runs of rows, and these are one union of boxes.
#include "area_runs.h"
#include "areasum_planes.h"

static lg_status plane_of(const lg_areasum *areasum, lg_areasum_info *info, lg_error *error)
{
    if (!areasum)
        return lg_fail_null(error, "area sums");
    lg_areasum_get_info(areasum, info);
    return info->dims == 2 ? LG_OK
                           : lg_fail(error, LG_ERROR_ARGUMENT,
                                     "polygons and masks are for arrays of 2 dimensions; this one "
                                     "has %d",
                                     info->dims);
}

lg_status lg_areasum_query_polygon(lg_context *context, const lg_areasum *areasum,
                                   lg_area_figure figure, const lg_area_polygon *polygon,
                                   double *out, lg_error *error)
{
    lg_areasum_info info;
    int32_t *bounds = NULL;
    size_t count = 0;
    if (!out)
        return lg_fail_null(error, "a place for the figures");
    lg_status status = plane_of(areasum, &info, error);
    if (status == LG_OK)
        status =
            lg_area_polygon_runs(polygon, info.extent[0], info.extent[1], &bounds, &count, error);
    if (status == LG_OK)
        status = lg_area_query_union(context, areasum, figure, bounds, count, out, error);
    lg_area_runs_free(&bounds);
    return status;
}

lg_status lg_areasum_query_mask(lg_context *context, const lg_areasum *areasum,
                                lg_area_figure figure, const lg_image *mask, double *out,
                                lg_error *error)
{
    lg_areasum_info info;
    int32_t *bounds = NULL;
    size_t count = 0;
    if (!out)
        return lg_fail_null(error, "a place for the figures");
    lg_status status = plane_of(areasum, &info, error);
    if (status == LG_OK)
        status = lg_area_mask_runs(mask, info.extent[0], info.extent[1], &bounds, &count, error);
    if (status == LG_OK)
        status = lg_area_query_union(context, areasum, figure, bounds, count, out, error);
    lg_area_runs_free(&bounds);
    return status;
}
