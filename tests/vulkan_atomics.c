// A histogram variant whose counters are wrong in single bins, though their sum
// is right, is not chosen.
#include "check.h"
#include "core/core.h"
#include "device/workspace.h"

#include <stdlib.h>
#include <string.h>

#include "device.h"

enum { WIDTH = 301, HEIGHT = 77, PIXELS = WIDTH * HEIGHT };

static uint16_t samples[4 * PIXELS];

static lg_histogram *measure(lg_context *context, lg_type type, int channels,
                             lg_histogram_variant variant)
{
    const size_t row = (size_t)WIDTH * (size_t)channels * lg_type_size(type);
    const lg_image_params shape = {
        WIDTH, HEIGHT,      1, channels, type, channels == 4 ? LG_ALPHA_STRAIGHT : LG_ALPHA_NONE,
        row,   row * HEIGHT};
    lg_histogram_params params = lg_histogram_params_default();
    params.variant = variant;
    lg_image *image = NULL;
    lg_histogram *h = NULL;
    lg_error error = {LG_OK, ""};
    NEED(!lg_image_wrap(context, &shape, samples, &image, &error) &&
             !lg_measure_histogram(context, image, &params, &h, &error),
         "%s", error.message);
    lg_image_destroy(&image);
    return h;
}

static bool same(const lg_histogram *a, const lg_histogram *b)
{
    bool same = a && b;
    for (int i = 0; same && i < a->channels; i++)
        same = memcmp(a->channel[i].values, b->channel[i].values,
                      a->channel[i].value_count * sizeof *a->channel[i].values) == 0;
    return same;
}

// `broken`: a bit for each variant.
static void test_broken(const lg_histogram *right, lg_type type, int channels, uint32_t broken)
{
    lg_context *context = NULL;
    lg_workspace *work = NULL;
    lg_engine_report report;
    lg_context_params params = lg_context_params_default();
    params.device = LG_DEVICE_VULKAN;
    params.use_cache = false;
    if (lg_context_create(&params, &context, NULL) || lg_workspace_get(context, &work, NULL)) {
        check_skip("no Vulkan device");
        lg_context_destroy(&context);
        return;
    }
    work->miscounting = broken;
    lg_histogram *h = measure(context, type, channels, LG_HISTOGRAM_AUTO);
    lg_context_report(context, &report);
    CHECK(same(h, right), "%s x %d, %x broken: other counts", lg_type_name(type), channels, broken);
    CHECK(h && (broken == UINT32_MAX || !(broken >> h->variant & 1)), "a broken one was chosen");
    CHECK((broken == UINT32_MAX) == (report.fallback[0] != '\0'), "computed by %s because of '%s'",
          report.device, report.fallback);
    lg_histogram_destroy(&h);
    lg_context_destroy(&context);
}

int main(void)
{
    lg_context *cpu = device_open_cpu();
    random_seed(3);
    random_bytes(samples, sizeof samples);
    const struct {
        lg_type type;
        int channels;
    } cases[] = {{LG_U8, 1}, {LG_U8, 4}, {LG_U16, 1}};
    for (size_t i = 0; i < LG_COUNT(cases) && cpu && test_wants_vulkan(); i++) {
        lg_histogram *right = measure(cpu, cases[i].type, cases[i].channels, LG_HISTOGRAM_AUTO);
        for (int v = LG_HISTOGRAM_VK_LANE_PRIVATE; v < LG_HISTOGRAM_VARIANTS; v++)
            test_broken(right, cases[i].type, cases[i].channels, 1u << v);
        test_broken(right, cases[i].type, cases[i].channels, UINT32_MAX);
        lg_histogram_destroy(&right);
    }
    if (!test_wants_vulkan())
        check_skip("Vulkan is turned off");
    lg_context_destroy(&cpu);
    return check_finish("vulkan_atomics");
}
