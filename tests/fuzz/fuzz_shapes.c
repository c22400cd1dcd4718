// CSV files of boxes and, where the first byte is odd, of polygons.
#include "fuzz.h"

#include "area_shapes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lg_area_shapes shapes = {.path = "shapes.csv"};
    lg_error error;
    if (size < 2)
        return 0;
    FILE *stream = fmemopen((void *)(uintptr_t)(data + 1), size - 1, "r");
    EXPECT(stream);
    const bool polygons = data[0] & 1;
    shapes.kind = polygons ? LG_SHAPES_POLYGONS : LG_SHAPES_BOXES;
    const lg_image_params image = {.width = 100, .height = 80, .layers = 3, .channels = 1};
    if (!(polygons ? lg_area_read_polygons : lg_area_read_boxes)(stream, &shapes, &error))
        lg_area_shapes_fit(&shapes, &image, &error);
    fclose(stream);
    lg_area_shapes_free(&shapes);
    return 0;
}
