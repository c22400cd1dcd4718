// Measures image files and writes the last one again: measure_files IN... OUT. Exit status: that of the
// library.
#include <lumagraph/io.h>

#include <stdio.h>

static lg_status measure(lg_context *context, const char *path, lg_image **image, lg_error *error)
{
    lg_moments moments[LG_MAX_CHANNELS];
    lg_read_info info;
    lg_image_destroy(image);
    lg_status status = lg_image_read(context, path, NULL, image, &info, error);
    if (!status)
        status = lg_measure_moments(context, *image, NULL, moments, LG_MAX_CHANNELS, error);
    if (!status)
        printf("%s %d x %d, mean %.9g\n", info.format, (*image)->shape.width,
               (*image)->shape.height, moments[0].mean);
    return status;
}

int main(int argc, char **argv)
{
    lg_context *context = NULL;
    lg_image *image = NULL;
    lg_error error = {LG_OK, ""};
    lg_context_params params = lg_context_params_default();
    params.device = LG_DEVICE_CPU;
    lg_status status = lg_context_create(&params, &context, &error);
    for (int i = 1; i < argc - 1 && !status; i++)
        status = measure(context, argv[i], &image, &error);
    if (!status)
        status = lg_image_write(image, argv[argc - 1], NULL, &error);
    if (status)
        fprintf(stderr, "%s\n", error.message);
    lg_image_destroy(&image);
    lg_context_destroy(&context);
    lg_io_shutdown();
    return (int)status;
}
