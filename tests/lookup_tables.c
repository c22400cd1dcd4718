// Tables of lookup beside pictures of tiles and volumes: rows, HALD pictures, ranges; on every CPU level and
// on Vulkan.
#include "check.h"
#include "device.h"
#include "device_filter.h"
#include "kernel.h"
#include "pipeline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static lg_error error;

static lg_image *run(lg_context *context, const char *text, const lg_image *in,
                     const lg_image *table)
{
    const lg_image *const both[2] = {in, table};
    lg_image *out = NULL;
    const lg_status status = pipeline_run(context, text, both, 2, LG_F32, 1, &out, &error);
    CHECK(!status, "%s: %s", text, error.message);
    return out;
}

static lg_context *any_context(void)
{
    lg_context *const *contexts;
    const int count = kernel_contexts(&contexts);
    return contexts[random_below((uint32_t)count)];
}

// ---- HALD ---------------------------------------------------------------------------------------

// The same entries as a picture and as a volume.
static void make_tables(int level, lg_type type, lg_image **picture, lg_image **volume)
{
    const int n = level * level, side = n * level;
    *picture = kernel_image(SHAPE(side, side, 1, 4, type, LG_ALPHA_OPAQUE), CONTENT_UNIT);
    *volume = kernel_zeros(SHAPE(n, n, n, 4, type, LG_ALPHA_OPAQUE));
    for (int i = 0; i < n * n * n; i++)
        for (int k = 0; k < 3; k++)
            sample_store(*volume, i % n, i / n % n, i / n / n, k,
                         sample_stored(*picture, i % side, i / side, 0, k));
}

// Every entry is where the volume has it, so that the bits are the same.
static void test_hald(void)
{
    static const char *const ways[] = {"", ":interpolation=tetrahedral", ":intensity=0.3"};
    for (int level = 2; level <= 8; level += level == 4 ? 4 : 1)
        for (int type = 0; type < LG_TYPES; type++) {
            lg_image *picture, *volume;
            char text[200], wanted_text[200];
            make_tables(level, (lg_type)type, &picture, &volume);
            lg_image *in = kernel_image(kernel_any_shape(37, 9), CONTENT_UNIT);
            const char *way = ways[random_below(LG_COUNT(ways))];
            // As floats: bytes would go through a volume of bytes as integers.
            snprintf(wanted_text, sizeof wanted_text, "lookup%s", way);
            snprintf(text, sizeof text, "lookup%s%s", way, level == 8 ? ":layout=hald" : "");
            lg_image *got = run(any_context(), text, in, picture);
            lg_image *wanted = run(any_context(), wanted_text, in, volume);
            CHECK(got && wanted && samples_equal(got, wanted), "%s of level %d, %s", text, level,
                  lg_type_name((lg_type)type));
            lg_image_destroy(&picture);
            lg_image_destroy(&volume);
            lg_image_destroy(&in);
            lg_image_destroy(&got);
            lg_image_destroy(&wanted);
        }
}

// ---- rows ---------------------------------------------------------------------------------------

// 0 0.5 0.75 in red; 1 0.25 0.25 in green; 0.125 in blue.
static lg_image *small_row(void)
{
    static const float entries[3][3] = {
        {0, 1, 0.125f}, {0.5f, 0.25f, 0.125f}, {0.75f, 0.25f, 0.125f}};
    lg_image *row = kernel_zeros(SHAPE(3, 1, 1, 4, LG_F32, LG_ALPHA_OPAQUE));
    for (int x = 0; x < 3; x++)
        for (int k = 0; k < 3; k++)
            sample_store(row, x, 0, 0, k, (double)entries[x][k]);
    return row;
}

static void expect_pixel(const char *text, const lg_image *table, const double in[3],
                         const double out[3])
{
    lg_image *pixel = kernel_zeros(SHAPE(1, 1, 1, 4, LG_F32, LG_ALPHA_STRAIGHT));
    for (int k = 0; k < 4; k++)
        sample_store(pixel, 0, 0, 0, k, k < 3 ? in[k] : 0.5);
    lg_image *got = run(any_context(), text, pixel, table);
    for (int k = 0; k < 4 && got; k++) {
        const double wanted = k < 3 ? out[k] : 0.5, found = sample_get(got, 0, 0, 0, k);
        CHECK(fabs(found - wanted) < 1e-6, "%s: channel %d is %g, not %g", text, k, found, wanted);
    }
    lg_image_destroy(&pixel);
    lg_image_destroy(&got);
}

static void test_rows(void)
{
    lg_image *row = small_row();
    // Half of the way between the first two entries, and all of the way.
    expect_pixel("lookup", row, (double[]){0.25, 0.25, 0.25}, (double[]){0.25, 0.625, 0.125});
    expect_pixel("lookup", row, (double[]){1, 0, 7}, (double[]){0.75, 1, 0.125});
    expect_pixel("lookup:intensity=0.5", row, (double[]){0.25, 0.25, 0.25},
                 (double[]){0.25, 0.4375, 0.1875});
    // From -1 to 3: 0 lies at 1/4, and 5 beyond the end.
    NEED(!lg_image_set_domain(row, (float[]){-1, -1, 0}, (float[]){3, 3, 1}, &error), "%s",
         error.message);
    expect_pixel("lookup", row, (double[]){0, 0, 0}, (double[]){0.25, 0.625, 0.125});
    expect_pixel("lookup", row, (double[]){5, -2, 0}, (double[]){0.75, 1, 0.125});
    // What filters make of a table is over its range.
    expect_pixel("#over | color_invert #t | #in | lookup:over=#t", row, (double[]){0, 0, 0},
                 (double[]){0.75, 0.375, 0.875});
    lg_image_destroy(&row);
}

static void test_domains(void)
{
    lg_image *bytes = kernel_zeros(SHAPE(3, 1, 1, 4, LG_U8, LG_ALPHA_OPAQUE)), *row = small_row();
    const float zero[3] = {0, 0, 0}, one[3] = {1, 1, 1}, wrong[3] = {1, 0, 1},
                nan[3] = {1, (float)NAN, 1};
    CHECK(lg_image_set_domain(bytes, zero, one, &error) == LG_ERROR_ARGUMENT, "bytes");
    CHECK(lg_image_set_domain(row, zero, wrong, &error) == LG_ERROR_ARGUMENT, "an empty range");
    CHECK(lg_image_set_domain(row, nan, one, &error) == LG_ERROR_ARGUMENT, "NaN");
    CHECK(lg_image_set_domain(row, NULL, one, &error) == LG_ERROR_ARGUMENT, "nothing");
    CHECK(lg_image_set_domain(NULL, zero, one, &error) == LG_ERROR_ARGUMENT, "no image");
    float least[3], most[3];
    lg_image_domain(row, least, most);
    CHECK(least[1] == 0 && most[1] == 1, "a range that was refused");
    lg_image_destroy(&bytes);
    lg_image_destroy(&row);
}

// A volume over another range is that of scaled colours: here by powers of two, which round nothing.
static void test_volume_range(void)
{
    lg_image *table = kernel_image(SHAPE(5, 5, 5, 4, LG_F32, LG_ALPHA_OPAQUE), CONTENT_UNIT);
    lg_image *in = kernel_image(SHAPE(41, 7, 1, 4, LG_F32, LG_ALPHA_STRAIGHT), CONTENT_UNIT);
    lg_image *wanted = run(any_context(), "exposure:exposure=-1 | lookup", in, table);
    NEED(!lg_image_set_domain(table, (float[]){0, 0, 0}, (float[]){2, 2, 2}, &error), "%s",
         error.message);
    lg_image *got = run(any_context(), "lookup", in, table);
    CHECK(got && wanted && samples_distance(got, wanted) < 1e-6, "a volume from 0 to 2");
    lg_image_destroy(&table);
    lg_image_destroy(&in);
    lg_image_destroy(&wanted);
    lg_image_destroy(&got);
}

// ---- what is refused ----------------------------------------------------------------------------

static void expect_refused(const char *text, lg_image_params table, const char *part)
{
    const lg_image_params shapes[2] = {SHAPE(9, 9, 1, 4, LG_U8, LG_ALPHA_OPAQUE), table};
    pipeline p;
    const lg_status status = pipeline_try(&p, kernel_context(), text, shapes, 2, NULL, &error);
    CHECK(status == LG_ERROR_ARGUMENT && strstr(error.message, part), "%s: %s", text,
          status ? error.message : "not refused");
    if (!status)
        pipeline_close(&p);
}

#define TABLE(width, height, layers) SHAPE(width, height, layers, 4, LG_U8, LG_ALPHA_OPAQUE)

static void test_refused(void)
{
    expect_refused("lookup", TABLE(1, 1, 1), "1 x 1 pixels");
    expect_refused("lookup", TABLE(26, 26, 1), "26 x 26 pixels");
    expect_refused("lookup", TABLE(27, 64, 1), "27 x 64 pixels");
    expect_refused("lookup:layout=hald", TABLE(512, 27, 1), "layout=hald wants a square");
    expect_refused("lookup:layout=hald", TABLE(27, 27, 2), "layout=hald wants a square");
    expect_refused("lookup:layout=tiles", TABLE(27, 27, 1), "layout=tiles wants 512 x 512");
    expect_refused("lookup:layout=tiles", TABLE(5, 5, 5), "layout=tiles wants 512 x 512");
    expect_refused("lookup:layout=hald", TABLE(5, 1, 1), "layout=hald wants a square");
}

// A plan keeps its layout.
static void test_set(void)
{
    const lg_image_params shapes[2] = {SHAPE(9, 9, 1, 4, LG_U8, LG_ALPHA_OPAQUE), TABLE(27, 27, 1)};
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_node in = -1, over = -1, look = -1;
    NEED(!lg_graph_create(&graph, &error) && !lg_graph_input(graph, "in", &in, &error) &&
             !lg_graph_input(graph, "over", &over, &error) &&
             !lg_graph_parse(graph, "lookup", in, &look, &error) &&
             !lg_graph_output(graph, look, &error) &&
             !lg_plan_create(kernel_context(), graph, shapes, 2, NULL, &plan, &error),
         "%s", error.message);
    CHECK(lg_plan_set_text(plan, look, "layout", "tiles", &error) == LG_ERROR_UNSUPPORTED,
          "layout of a plan: %s", error.message);
    CHECK(!lg_plan_set(plan, look, "intensity", 0.5, &error), "%s", error.message);
    CHECK(strstr(lg_plan_explain(plan), "lookup_hald"), "%s", lg_plan_explain(plan));
    lg_plan_destroy(&plan);
    lg_graph_destroy(&graph);
}

// ---- on Vulkan ----------------------------------------------------------------------------------

static const char *const texts[] = {
    "lookup:intensity={0.3|1}:interpolation={trilinear|tetrahedral}",
    "contrast:contrast=1.5 | lookup:interpolation={trilinear|tetrahedral} | gamma:gamma=0.7"};

static void test_devices(void)
{
    static const int tables[][3] = {{8, 8, 1}, {27, 27, 1}, {64, 64, 1}, {2, 1, 1}, {1025, 1, 1}};
    device_pair pair = {device_open_cpu(), device_open(NULL, NULL)};
    for (int i = 0; pair.cpu && pair.vulkan && i < test_extent(5, 20, 200); i++) {
        const int *t = tables[i % (int)LG_COUNT(tables)];
        lg_image_params table = kernel_any_shape(t[0], t[1]);
        table.layers = 1;
        const lg_image_params in = kernel_any_shape(1 + (int)random_below(70), 9);
        device_compare_two(&pair, texts[random_below(2)], in, table, in.type, CONTENT_UNIT);
    }
    // The range goes to the device with every run.
    for (int i = 0; pair.cpu && pair.vulkan && i < 2; i++) {
        lg_context *const contexts[2] = {pair.cpu, pair.vulkan};
        lg_image *outs[2] = {NULL, NULL};
        for (int k = 0; k < 2; k++) {
            random_seed(40 + (uint64_t)i);
            lg_image *in = content_image(contexts[k], SHAPE(41, 7, 1, 4, LG_F32, LG_ALPHA_STRAIGHT),
                                         CONTENT_UNIT);
            lg_image *table = content_image(contexts[k],
                                            i ? SHAPE(33, 1, 1, 4, LG_F32, LG_ALPHA_OPAQUE)
                                              : SHAPE(4, 4, 4, 4, LG_F32, LG_ALPHA_OPAQUE),
                                            CONTENT_UNIT);
            NEED(!lg_image_set_domain(table, (float[]){-0.3f, 0.1f, 0}, (float[]){0.9f, 3, 0.4f},
                                      &error),
                 "%s", error.message);
            outs[k] = run(contexts[k], "lookup", in, table);
            lg_image_destroy(&in);
            lg_image_destroy(&table);
        }
        CHECK(outs[0] && outs[1] && samples_equal(outs[0], outs[1]), "a range on both devices");
        lg_image_destroy(&outs[0]);
        lg_image_destroy(&outs[1]);
    }
    lg_context_destroy(&pair.cpu);
    device_close(&pair.vulkan);
}

static void test_all(void)
{
    test_hald();
    test_rows();
    test_domains();
    test_volume_range();
    test_refused();
    test_set();
    if (test_wants_vulkan())
        test_devices();
    else
        check_skip("tables on Vulkan");
}

int main(void)
{
    return kernel_main("lookup_tables", NULL, 0, test_all);
}
