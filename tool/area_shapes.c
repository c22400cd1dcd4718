#include "area_shapes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool lg_area_grow(void *array, size_t *room, size_t used, size_t size)
{
    if (used < *room)
        return true;
    void *old, *larger;
    memcpy(&old, array, sizeof old); // a pointer to a pointer of any type
    const size_t wanted = *room ? *room * 2 : 256;
    larger = wanted > SIZE_MAX / size ? NULL : realloc(old, wanted * size);
    if (!larger)
        return false;
    memcpy(array, &larger, sizeof larger);
    *room = wanted;
    return true;
}

void lg_area_shapes_free(lg_area_shapes *shapes)
{
    for (size_t i = 0; i < shapes->count && shapes->polygon; i++)
        free(shapes->polygon[i].id);
    free(shapes->bounds);
    free(shapes->line);
    free(shapes->polygon);
    free(shapes->points);
    free(shapes->ring);
    *shapes = (lg_area_shapes){0};
}

// ---- reading ------------------------------------------------------------------------------------

static lg_status read_csv(const char *path, lg_area_shapes *out, lg_error *error)
{
    const bool standard = strcmp(path, "-") == 0;
    struct stat status_of;
    FILE *stream = standard ? stdin : fopen(path, "r");
    if (!stream)
        return lg_set_error(error, LG_ERROR_IO, "%s", strerror(errno));
    lg_status status = LG_OK;
    if (fstat(fileno(stream), &status_of) == 0 && S_ISDIR(status_of.st_mode))
        status = lg_set_error(error, LG_ERROR_IO, "is a folder");
    else
        status = out->kind == LG_SHAPES_BOXES ? lg_area_read_boxes(stream, out, error)
                                              : lg_area_read_polygons(stream, out, error);
    if (status == LG_OK && out->count == 0)
        status = lg_set_error(error, LG_ERROR_ARGUMENT, "has no %s",
                              out->kind == LG_SHAPES_BOXES ? "boxes" : "polygons");
    if (!standard)
        fclose(stream);
    return status;
}

static lg_status take_boxes(const lg_options *options, lg_area_shapes *out, lg_error *error)
{
    const int dims = out->dims = options->box[0].dims;
    out->ranges = options->box[0].ranges;
    out->bounds = calloc((size_t)options->box_count * 2 * (size_t)dims, sizeof *out->bounds);
    if (!out->bounds)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for the boxes");
    for (int i = 0; i < options->box_count && !out->ranges; i++) // ranges wait for their array
        for (int axis = 0; axis < dims; axis++) {
            const lg_option_box *box = &options->box[i];
            int32_t *bounds = out->bounds + 2 * dims * i;
            bounds[axis] = (int32_t)box->first[axis];
            bounds[dims + axis] = (int32_t)(box->first[axis] + box->side[axis]);
        }
    out->count = (size_t)options->box_count;
    return LG_OK;
}

lg_status lg_area_shapes_read(const lg_options *options, lg_area_shapes *out, lg_error *error)
{
    *out = (lg_area_shapes){
        .kind = options->polygons ? LG_SHAPES_POLYGONS
                : options->mask   ? LG_SHAPES_MASK
                                  : LG_SHAPES_BOXES,
        .path = options->polygons ? options->polygons : options->boxes,
        .first_layer = options->slab_first,
        .layers = options->slab_layers,
    };
    lg_status status = LG_OK;
    if (out->path)
        status = read_csv(out->path, out, error);
    else if (out->kind == LG_SHAPES_MASK)
        out->count = 1;
    else
        status = take_boxes(options, out, error);
    if (status != LG_OK) {
        const char *path = out->path;
        lg_area_shapes_free(out);
        out->path = path; // for the complaint
    }
    return status;
}

// ---- fit ----------------------------------------------------------------------------------------

static lg_status outside(const lg_area_shapes *shapes, size_t index, const int64_t *extent,
                         lg_error *error)
{
    char where[400] = "--box", box[200];
    const int dims = shapes->dims;
    const int32_t *b = shapes->bounds + 2 * (size_t)dims * index;
    if (shapes->path)
        snprintf(where, sizeof where, "%.300s: line %lu: box",
                 strcmp(shapes->path, "-") == 0 ? "standard input" : shapes->path,
                 (unsigned long)shapes->line[index]);
    if (dims == 2)
        snprintf(box, sizeof box, "%dx%d%+d%+d", b[2] - b[0], b[3] - b[1], b[0], b[1]);
    else
        snprintf(box, sizeof box, "%dx%dx%d%+d%+d%+d", b[3] - b[0], b[4] - b[1], b[5] - b[2], b[0],
                 b[1], b[2]);
    if (dims == 2)
        return lg_set_error(error, LG_ERROR_ARGUMENT,
                            "%s %s reaches outside the image of %lld x %lld pixels", where, box,
                            (long long)extent[0], (long long)extent[1]);
    return lg_set_error(error, LG_ERROR_ARGUMENT,
                        "%s %s reaches outside the image of %lld x %lld pixels and %lld layers",
                        where, box, (long long)extent[0], (long long)extent[1],
                        (long long)extent[2]);
}

lg_status lg_area_shapes_fit(const lg_area_shapes *shapes, const lg_image_params *image,
                             lg_error *error)
{
    const int64_t extent[3] = {image->width, image->height, image->layers};
    const int axes = image->layers > 1 ? 3 : 2;
    if (shapes->kind != LG_SHAPES_BOXES && shapes->layers &&
        shapes->first_layer + shapes->layers > image->layers)
        return lg_set_error(error, LG_ERROR_ARGUMENT,
                            "has %d layer%s; --layers %lld+%lld reaches beyond them", image->layers,
                            axes == 2 ? "" : "s", (long long)shapes->layers,
                            (long long)shapes->first_layer);
    if (shapes->kind != LG_SHAPES_BOXES)
        return LG_OK;
    if (shapes->dims != axes)
        return lg_set_error(
            error, LG_ERROR_ARGUMENT,
            axes == 3 ? "has %d layers; boxes need z and depth (x,y,z,width,height,depth or "
                        "WxHxD+X+Y+Z), or --page N picks one layer"
                      : "has %d layer; boxes must be x,y,width,height or WxH+X+Y, without z and "
                        "depth",
            image->layers);
    for (size_t i = 0; i < shapes->count; i++)
        for (int axis = 0; axis < axes; axis++) {
            const int32_t *bounds = shapes->bounds + 2 * (size_t)axes * i;
            if (bounds[axis] < 0 || bounds[axes + axis] > extent[axis])
                return outside(shapes, i, extent, error);
        }
    return LG_OK;
}
