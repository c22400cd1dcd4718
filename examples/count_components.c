// Counts what is brighter than Otsu's level: count_components FILE [LEAST_AREA]
#include <lumagraph/io.h>
#include <lumagraph/lumagraph.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static lg_status count(lg_context *context, const lg_image *image, double least, lg_error *error)
{
    lg_threshold level;
    lg_components *components = NULL;
    lg_label_params params = lg_label_params_default();
    lg_status status = lg_threshold_image(context, image, NULL, &level, 1, NULL, error);
    if (status)
        return status;
    params.foreground = LG_FOREGROUND_ABOVE;
    params.level = level.level[0];
    params.fill_holes = true;
    status = lg_label_image(context, image, &params, NULL, NULL, &components, error);
    if (status)
        return status;
    const uint32_t all = lg_components_count(components);
    double *area = malloc((all + 1) * sizeof *area);
    int found = 0;
    if (!area)
        status = error->status = LG_ERROR_MEMORY;
    else
        status = lg_components_column(components, LG_COLUMN_AREA, area, error);
    for (uint32_t i = 0; i < all && !status; i++)
        found += area[i] >= least;
    if (!status)
        printf("%d of %u components have at least %g pixels; the level is %g\n", found, all, least,
               level.level[0]);
    free(area);
    lg_components_destroy(&components);
    return status;
}

int main(int argc, char **argv)
{
    lg_context *context = NULL;
    lg_image *image = NULL;
    lg_error error = {0};
    if (argc < 2) {
        fprintf(stderr, "usage: count_components FILE [LEAST_AREA]\n");
        return 2;
    }
    lg_status status = lg_context_create(NULL, &context, &error);
    if (!status)
        status = lg_image_read(context, argv[1], NULL, &image, NULL, &error);
    if (!status)
        status = count(context, image, argc > 2 ? atof(argv[2]) : 1, &error);
    if (status)
        fprintf(stderr, "%s: %s\n", argv[1], error.message);
    lg_image_destroy(&image);
    lg_context_destroy(&context);
    return status != LG_OK;
}
