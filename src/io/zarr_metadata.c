#include "io/zarr.h"

#include <string.h>

// ---- axes -----------------------------------------------------------------------------------------

// What the description says of the layers, as long as there are as many: the slowest first. false: they are
// others.
static bool find_layers(const lg_metadata *m, int32_t layers, int32_t sizes[3], int32_t strides[3])
{
    static const char names[] = "TCZ";
    int64_t product = 1;
    for (int i = LG_LAYER_AXES - 1; i >= 0 && m; i--) {
        const char *at = m->axes[i].name ? strchr(names, m->axes[i].name) : NULL;
        if (!m->axes[i].name)
            continue;
        if (!at || strides[at - names] || product > layers)
            return false;
        sizes[at - names] = m->axes[i].size;
        strides[at - names] = (int32_t)product;
        product *= m->axes[i].size;
    }
    return product == layers;
}

static int add_axis(lg_zarr_axes *a, char name, int32_t size, double step, int32_t stride)
{
    a->name[a->count] = name;
    a->size[a->count] = size;
    a->step[a->count] = step;
    a->stride[a->count] = stride;
    return a->count++;
}

void lg_zarr_axes_of(const lg_image_params *shape, const lg_metadata *metadata, lg_zarr_axes *out)
{
    int32_t sizes[3] = {1, 1, 1}, strides[3] = {0};
    const double none[3] = {0}, *step = metadata ? metadata->pixel_size : none;
    if (!find_layers(metadata, shape->layers, sizes, strides)) {
        sizes[0] = sizes[1] = strides[0] = strides[1] = 0;
        sizes[2] = shape->layers;
        strides[2] = 1;
    }
    *out = (lg_zarr_axes){.color = -1, .channels = lg_file_channels(shape)};
    const int32_t colors = LG_MAX(sizes[1], 1) * out->channels;
    if (sizes[0] > 1)
        add_axis(out, 't', sizes[0], 0, strides[0]);
    if (colors > 1)
        out->color = add_axis(out, 'c', colors, 0, strides[1]);
    if (sizes[2] > 1)
        add_axis(out, 'z', sizes[2], step[2], strides[2]);
    add_axis(out, 'y', shape->height, step[1], 0);
    add_axis(out, 'x', shape->width, step[0], 0);
}

int32_t lg_zarr_place(const lg_zarr_axes *axes, int axis, int32_t layer, int channel)
{
    const bool color = axis == axes->color;
    const int32_t size = color ? axes->size[axis] / axes->channels : axes->size[axis];
    const int32_t at = axes->stride[axis] ? layer / axes->stride[axis] % size : 0;
    return color ? at * axes->channels + channel : at;
}

// ---- texts ----------------------------------------------------------------------------------------

static const char *type_of(lg_tile_sample sample)
{
    static const char *const little[] = {"|u1", "<u2", "<f2", "<f4", "<u2", "<u4"};
    static const char *const big[] = {"|u1", ">u2", ">f2", ">f4", ">u2", ">u4"};
    return (lg_host_is_little() ? little : big)[sample];
}

static void write_compressor(FILE *out, const char *name)
{
    if (strcmp(name, "none") == 0)
        fputs("null", out);
    else
        fprintf(out, "{\"id\": \"%s\", \"level\": %d}", name, strcmp(name, "zlib") == 0 ? 6 : 9);
}

void lg_zarr_write_array(FILE *out, const lg_zarr_array *array, const lg_tile_level *level)
{
    const lg_zarr_axes *a = &array->axes;
    fputs("{\n  \"zarr_format\": 2,\n  \"shape\": [", out);
    for (int i = 0; i < a->count - 2; i++)
        fprintf(out, "%d, ", a->size[i]);
    fprintf(out, "%d, %d],\n  \"chunks\": [", level->height, level->width);
    for (int i = 0; i < a->count - 2; i++)
        fputs("1, ", out);
    fprintf(out, "%d, %d],\n  \"dtype\": \"%s\",\n  \"compressor\": ", array->tile_height,
            array->tile_width, type_of(array->sample));
    write_compressor(out, array->compressor);
    fputs(",\n  \"fill_value\": 0,\n  \"order\": \"C\",\n  \"filters\": null,\n"
          "  \"dimension_separator\": \"/\"\n}\n",
          out);
}

// Bytes of a character in UTF-8, 0: there is none. RFC 3629.
static int character_at(const unsigned char *at)
{
    const int more = *at < 0x80   ? 0
                     : *at < 0xc2 ? -1
                     : *at < 0xe0 ? 1
                     : *at < 0xf0 ? 2
                     : *at < 0xf5 ? 3
                                  : -1;
    const bool other = (*at == 0xe0 && at[1] < 0xa0) || (*at == 0xed && at[1] > 0x9f) ||
                       (*at == 0xf0 && at[1] < 0x90) || (*at == 0xf4 && at[1] > 0x8f);
    for (int i = 1; i <= more; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    return other ? 0 : more + 1;
}

// A byte that is of no character, as names of files may have, becomes U+FFFD.
static void write_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        const int bytes = character_at(at);
        if (*at < ' ' || *at == '"' || *at == '\\' || *at == 127)
            fprintf(out, "\\u%04x", *at);
        else if (bytes)
            fwrite(at, 1, (size_t)bytes, out);
        else
            fputs("\\ufffd", out);
        at += LG_MAX(bytes, 1);
    }
    fputc('"', out);
}

static void write_axis(FILE *out, const lg_zarr_axes *a, int i)
{
    const char *type = a->name[i] == 't' ? "time" : a->name[i] == 'c' ? "channel" : "space";
    fprintf(out, "%s{\"name\": \"%c\", \"type\": \"%s\"", i ? ", " : "", a->name[i], type);
    if (a->step[i] > 0)
        fputs(", \"unit\": \"micrometer\"", out);
    fputc('}', out);
}

// The centre of the first pixel of a level lies between those pixels whose mean it is.
static void write_level(FILE *out, const lg_zarr_array *array, int level)
{
    const lg_zarr_axes *a = &array->axes;
    const bool first = array->sample == LG_TILE_LABEL16 || array->sample == LG_TILE_LABEL32;
    const double factor = (double)((int64_t)1 << level);
    fprintf(out, "%s{\"path\": \"%d\", \"coordinateTransformations\": [{\"type\": \"scale\", ",
            level ? ",\n      " : "", level);
    for (int i = 0; i < a->count; i++)
        fprintf(out, "%s%.17g", i ? ", " : "\"scale\": [",
                (a->step[i] > 0 ? a->step[i] : 1) * (i >= a->count - 2 ? factor : 1));
    fputs("]}", out);
    for (int i = 0; i < a->count && level && !first; i++)
        fprintf(out, "%s%.17g", i ? ", " : ", {\"type\": \"translation\", \"translation\": [",
                (a->step[i] > 0 ? a->step[i] : 1) * (i >= a->count - 2 ? (factor - 1) / 2 : 0));
    fputs(level && !first ? "]}]}" : "]}", out);
}

void lg_zarr_write_attributes(FILE *out, const lg_zarr_array *array, const char *name, int levels)
{
    const lg_zarr_axes *a = &array->axes;
    fputs("{\n  \"multiscales\": [{\n    \"version\": \"0.4\",\n    \"name\": ", out);
    write_text(out, name);
    fputs(",\n    \"axes\": [", out);
    for (int i = 0; i < a->count; i++)
        write_axis(out, a, i);
    fputs("],\n    \"datasets\": [\n      ", out);
    for (int i = 0; i < levels; i++)
        write_level(out, array, i);
    const bool labels = array->sample == LG_TILE_LABEL16 || array->sample == LG_TILE_LABEL32;
    fprintf(out, "\n    ],\n    \"type\": \"%s\"\n  }]%s", labels ? "nearest" : "mean",
            labels ? ",\n  \"image-label\": {\"version\": \"0.4\"}" : "");
    // What tells colours from channels of a microscope.
    if (a->channels > 1)
        fprintf(out, ",\n  \"lumagraph\": {\"channels\": %d, \"alpha\": \"%s\"}", a->channels,
                array->alpha == LG_ALPHA_STRAIGHT        ? "straight"
                : array->alpha == LG_ALPHA_PREMULTIPLIED ? "premultiplied"
                                                         : "none");
    fputs("\n}\n", out);
}
