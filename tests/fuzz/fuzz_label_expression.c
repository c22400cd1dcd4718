// Expressions that choose components, for an image with three of them.
#include "fuzz.h"

static lg_error error;

static lg_components *components(void)
{
    static const uint8_t pixels[] = {1, 1, 0, 5, 0, 0, 0, 0, 7, 7, 7, 0};
    const lg_image_params shape = {
        .width = 4, .height = 3, .layers = 1, .channels = 1, .type = LG_U8};
    static lg_components *found;
    if (!found) {
        lg_label_params params = lg_label_params_default();
        params.moments = params.shape = true;
        lg_image *image = fuzz_image_of(&shape, pixels);
        EXPECT(!lg_label_image(fuzz_context(), image, &params, image, NULL, &found, &error));
        lg_image_destroy(&image);
    }
    return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t keep[3] = {9, 9, 9};
    char *text = fuzz_text(data, size);
    EXPECT(lg_components_count(components()) == 3);
    if (!lg_components_select(components(), text, keep, &error))
        EXPECT(keep[0] < 2 && keep[1] < 2 && keep[2] < 2);
    free(text);
    return 0;
}
