// OME-XML for what is left of a stack: some channels of it, or a page.
#include "io/description.h"

#include <string.h>

#define ROOM 1024

// The number of layers along an axis; 0: the layers have others, or are not so many.
static bool find_sizes(const lg_metadata *m, int32_t layers, int32_t sizes[3], char order[4])
{
    static const char names[] = "ZCT";
    int64_t product = 1;
    int used = 0;
    for (int i = LG_LAYER_AXES - 1; i >= 0 && layers > 1; i--) { // the fastest first
        const lg_layer_axis *axis = &m->axes[i];
        const char *at = axis->name ? strchr(names, axis->name) : NULL;
        if (!axis->name)
            continue;
        if (!at || strchr(order, axis->name))
            return false;
        sizes[at - names] = axis->size;
        order[used++] = axis->name;
        product *= axis->size;
    }
    for (const char *name = names; *name; name++)
        if (!strchr(order, *name))
            order[used++] = *name;
    return product == layers;
}

lg_status lg_ome_make(const lg_metadata *metadata, const lg_image_params *to, char **out,
                      lg_error *error)
{
    static const char *const types[] = {"uint8", "uint16", NULL, "float"};
    const double *size = metadata->pixel_size;
    int32_t sizes[3] = {1, 1, 1};
    char order[4] = "", depth[64] = "";
    *out = NULL;
    if (lg_file_channels(to) != 1 || !types[to->type] || !(size[0] > 0 && size[1] > 0) ||
        !find_sizes(metadata, to->layers, sizes, order))
        return LG_OK;
    *out = lg_alloc(ROOM);
    if (!*out)
        return lg_fail_memory(error, ROOM, "an image description");
    if (size[2] > 0)
        snprintf(depth, sizeof depth, " PhysicalSizeZ=\"%.10g\"", size[2]);
    snprintf(*out, ROOM,
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?><OME "
             "xmlns=\"http://www.openmicroscopy.org/Schemas/OME/2016-06\"><Image "
             "ID=\"Image:0\"><Pixels ID=\"Pixels:0\" DimensionOrder=\"XY%s\" Type=\"%s\" "
             "SizeX=\"%d\" SizeY=\"%d\" SizeZ=\"%d\" SizeC=\"%d\" SizeT=\"%d\" "
             "PhysicalSizeX=\"%.10g\" PhysicalSizeY=\"%.10g\"%s><TiffData/></Pixels></Image></OME>",
             order, types[to->type], to->width, to->height, sizes[0], sizes[1], sizes[2], size[0],
             size[1], depth);
    return LG_OK;
}
