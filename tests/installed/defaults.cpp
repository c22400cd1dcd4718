// Every default of the library from C++20, put to use: the figures of a ramp of 256 columns.
#include <lumagraph/lumagraph.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

static lg_error error;

static void check(lg_status status, const char *what)
{
    if (status != LG_OK) {
        std::fprintf(stderr, "%s: %s\n", what, error.message);
        std::exit(1);
    }
}

int main()
{
    std::vector<std::uint8_t> pixels(256 * 4);
    for (std::size_t i = 0; i < pixels.size(); i++)
        pixels[i] = static_cast<std::uint8_t>(i % 256);
    lg_image_params shape{};
    shape.width = 256;
    shape.height = 4;
    shape.layers = shape.channels = 1;
    shape.type = LG_U8;
    shape.row_stride = 256;

    lg_context_params device = lg_context_params_default();
    device.device = LG_DEVICE_CPU;
    lg_context *context = nullptr;
    lg_image *image = nullptr;
    check(lg_context_create(&device, &context, &error), "context");
    check(lg_image_wrap(context, &shape, pixels.data(), &image, &error), "image");

    const lg_select select = lg_select_default();
    lg_moments_params moments_params = lg_moments_params_default();
    moments_params.select = select;
    lg_moments moments;
    check(lg_measure_moments(context, image, &moments_params, &moments, 1, &error), "moments");

    const lg_histogram_params histogram_params = lg_histogram_params_default();
    lg_histogram *histogram = nullptr;
    check(lg_measure_histogram(context, image, &histogram_params, &histogram, &error), "histogram");

    lg_threshold_params threshold_params = lg_threshold_params_default();
    threshold_params.method = LG_THRESHOLD_MEAN;
    lg_threshold threshold;
    check(lg_threshold_image(context, image, &threshold_params, &threshold, 1, nullptr, &error),
          "threshold");

    const lg_areasum_params areasum_params = lg_areasum_params_default();
    const std::int32_t box[] = {0, 0, 4, 4};
    lg_area_array array;
    lg_areasum *areasum = nullptr;
    double sum = 0;
    check(lg_area_array_of_image(image, &array, &error), "array");
    check(lg_areasum_create(context, &array, &areasum_params, &areasum, &error), "area sums");
    check(lg_areasum_query(context, areasum, LG_AREA_SUM, box, 1, &sum, &error), "a box");

    const lg_label_params label_params = lg_label_params_default();
    const lg_overlay_params overlay_params = lg_overlay_params_default();
    lg_labels *labels = nullptr;
    lg_image *overlay = nullptr;
    check(lg_label_image(context, image, &label_params, nullptr, &labels, nullptr, &error),
          "label");
    check(lg_labels_overlay(context, labels, image, &overlay_params, &overlay, &error), "overlay");

    std::printf("mean %g, %d bins, level %g, sum %g, %u component\n", moments.mean,
                histogram->channel[0].bins, threshold.level[0], sum, labels->count);
    lg_image_destroy(&overlay);
    lg_labels_destroy(&labels);
    lg_areasum_destroy(&areasum);
    lg_histogram_destroy(&histogram);
    lg_image_destroy(&image);
    lg_context_destroy(&context);
    return 0;
}
