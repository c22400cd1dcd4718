// Contexts with a limit of memory: what scratch files hold gives the bits of the heap; what becomes of the
// files, of a disk without room and of wrong arguments. How much is in memory is seen by the command line.
#include "check.h"
#include "content.h"
#include "device.h"
#include "pipeline.h"
#include "samples.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static lg_error error;
static char folder[] = "spill-XXXXXX";

static int files_in_folder(void)
{
    int count = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));)
        count += e->d_name[0] != '.';
    if (d)
        closedir(d);
    return count;
}

// ---- the same bits --------------------------------------------------------------------------------

static void compare(lg_context *plain, lg_context *limited, const char *text, lg_image *const *in,
                    lg_image *const *spilled, int count)
{
    const lg_image_params shapes[2] = {in[0]->shape, in[count - 1]->shape};
    pipeline a, b;
    char first[160] = "";
    if (pipeline_try(&a, plain, text, shapes, count, NULL, &error))
        return; // not for this kind of image
    NEED(pipeline_open(&b, limited, text, shapes, count, NULL), "%s", text);
    lg_image *want = image_zeros(plain, a.out), *got = NULL;
    CHECK(!lg_image_create(limited, &b.out, &got, &error), "%s: %s", text, error.message);
    CHECK(!lg_plan_run(a.plan, in, &want, &error) && !lg_plan_run(b.plan, spilled, &got, &error),
          "%s: %s", text, error.message);
    CHECK(samples_differ(got, want, first) == 0, "%s: %s", text, first);
    lg_image_destroy(&want);
    lg_image_destroy(&got);
    pipeline_close(&a);
    pipeline_close(&b);
}

static void test_catalogue(lg_context *plain, lg_context *limited)
{
    const lg_image_params shape = SHAPE(300, 231, 1, 4, LG_U8, LG_ALPHA_OPAQUE);
    lg_image *in[2], *spilled[2];
    for (int i = 0; i < 2; i++) {
        in[i] = content_image(plain, shape, CONTENT_UNIT);
        NEED(!lg_image_create(limited, &shape, &spilled[i], &error), "%s", error.message);
        for (int32_t y = 0; y < shape.height; y++)
            memcpy((char *)spilled[i]->data + (size_t)y * spilled[i]->shape.row_stride,
                   (const char *)in[i]->data + (size_t)y * in[i]->shape.row_stride,
                   (size_t)shape.width * 4);
    }
    const size_t each = device_is_slow(limited) ? 23 : 1;
    char text[200];
    for (size_t i = each / 2; i < lg_filter_count(); i += each) {
        const lg_filter *f = lg_filter_at(i);
        const bool second =
            f->inputs == 2 && f->kind != LG_FILTER_POINT && f->kind != LG_FILTER_GENERATE;
        snprintf(text, sizeof text, "%s%s", f->name, second ? ":over=#over" : "");
        compare(plain, limited, text, in, spilled, second ? 2 : 1);
    }
    CHECK(lg_context_scratch(limited) >= 2 * 300 * 231 * 4, "%llu bytes in scratch files",
          (unsigned long long)lg_context_scratch(limited));
    for (int i = 0; i < 2; i++) {
        lg_image_destroy(&in[i]);
        lg_image_destroy(&spilled[i]);
    }
}

static void test_labels(lg_context *plain, lg_context *limited)
{
    const lg_image_params shape = SHAPE(700, 611, 1, 1, LG_U8, LG_ALPHA_NONE);
    lg_context *const contexts[2] = {plain, limited};
    lg_labels *labels[2] = {NULL, NULL};
    lg_components *components[2] = {NULL, NULL};
    lg_image *in = content_image(plain, shape, CONTENT_UNIT);
    const lg_label_params params =
        WITH(lg_label_params, it.foreground = LG_FOREGROUND_ABOVE, it.level = 140);
    for (int i = 0; i < 2; i++)
        CHECK(!lg_label_image(contexts[i], in, &params, NULL, &labels[i], &components[i], &error),
              "%s", error.message);
    CHECK(labels[0] && labels[1] && labels[0]->count == labels[1]->count && labels[0]->count > 9,
          "the numbers of components");
    // Their memory goes from a call to the next; on the CPU also to a context that has no limit.
    for (int i = 0; i < 3; i++)
        CHECK(!lg_label_update(plain->vk ? limited : contexts[i % 2], in, &params, NULL, labels[1],
                               NULL, &error) &&
                  labels[1]->count == labels[0]->count,
              "%s", error.message);
    CHECK(!lg_labels_download(limited, labels[1], &error) &&
              !lg_labels_download(plain, labels[0], &error),
          "%s", error.message);
    size_t wrong = 0;
    for (int32_t y = 0; y < shape.height; y++)
        wrong += memcmp((const char *)labels[0]->data + (size_t)y * labels[0]->row_stride,
                        (const char *)labels[1]->data + (size_t)y * labels[1]->row_stride,
                        (size_t)shape.width * 4) != 0;
    CHECK(wrong == 0, "%zu rows of labels differ", wrong);
    for (int i = 0; i < 2; i++) {
        lg_components_destroy(&components[i]);
        lg_labels_destroy(&labels[i]);
    }
    lg_image_destroy(&in);
}

// ---- limits ---------------------------------------------------------------------------------------

static uint64_t scratch_of(lg_context *context, int32_t side, int count)
{
    lg_image *images[8] = {NULL};
    const lg_image_params shape = SHAPE(side, side, 1, 1, LG_U8, LG_ALPHA_NONE);
    for (int i = 0; i < count; i++)
        CHECK(!lg_image_create(context, &shape, &images[i], &error), "%s", error.message);
    for (int i = 0; i < count; i++) {
        const uint8_t *pixels = images[i]->data;
        size_t set = 0;
        for (size_t k = 0; k < images[i]->shape.layer_stride; k++)
            set += pixels[k] != 0;
        CHECK(set == 0, "%zu bytes of a new image are not zero", set);
        memset(images[i]->data, 255,
               images[i]->shape.layer_stride); // for whoever gets the memory next
    }
    for (int i = 0; i < count; i++)
        lg_image_destroy(&images[i]);
    return lg_context_scratch(context);
}

static void test_limit(void)
{
    lg_context *context = device_open_threads(3);
    CHECK(scratch_of(context, 1024, 8) == 0, "a file without a limit");
    CHECK(!lg_context_set_memory(context, (uint64_t)8 << 20, folder, &error), "%s", error.message);
    CHECK(scratch_of(context, 1024, 4) == 0, "a file, though half of the limit is enough");
    CHECK(scratch_of(context, 1024, 7) == (uint64_t)3 << 20, "%llu bytes in files",
          (unsigned long long)lg_context_scratch(context));
    CHECK(scratch_of(context, 1024, 8) == (uint64_t)4 << 20, "what was given back counts still");
    lg_image *kept = NULL;
    const lg_image_params shape = SHAPE(4096, 4096, 1, 1, LG_U8, LG_ALPHA_NONE);
    CHECK(!lg_image_create(context, &shape, &kept, &error), "%s", error.message);
    CHECK(!lg_context_set_memory(context, 0, NULL, &error), "%s", error.message);
    CHECK(scratch_of(context, 4096, 1) == (uint64_t)16 << 20, "a file behind the end of the limit");
    CHECK(files_in_folder() == 0, "a scratch file has a name");
    lg_image_destroy(&kept);
    lg_context_destroy(&context);
}

static void test_failures(void)
{
    lg_context *context = device_open_threads(3);
    const lg_image_params shape = SHAPE(1024, 1024, 1, 1, LG_U8, LG_ALPHA_NONE);
    lg_image *image = NULL;
    CHECK(lg_context_set_memory(context, 1, NULL, &error) == LG_ERROR_ARGUMENT, "no folder");
    CHECK(lg_context_set_memory(context, 1, "", &error) == LG_ERROR_ARGUMENT, "an empty name");
    CHECK(lg_context_set_memory(NULL, 1, folder, &error) == LG_ERROR_ARGUMENT, "no context");
    CHECK(lg_context_scratch(NULL) == 0, "no context");
    CHECK(!lg_context_set_memory(context, 1, "spill-missing", &error), "%s", error.message);
    CHECK(lg_image_create(context, &shape, &image, &error) == LG_ERROR_IO && !image &&
              strstr(error.message, "spill-missing") && strstr(error.message, "1.049 MB"),
          "a folder that is not there: %s", error.message);
    CHECK(!lg_context_set_memory(context, 1, folder, &error), "%s", error.message);
    struct rlimit old, small;
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = 100000;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    CHECK(lg_image_create(context, &shape, &image, &error) == LG_ERROR_IO && !image, "no room: %s",
          error.message);
    setrlimit(RLIMIT_FSIZE, &old);
    for (int i = 0; i < 3; i++) {
        lg_alloc_fail_after(i);
        const lg_status status = lg_image_create(context, &shape, &image, &error);
        lg_alloc_fail_after(-1);
        CHECK(status == LG_ERROR_MEMORY || (!status && image), "allocation %d: %s", i,
              error.message);
        lg_image_destroy(&image);
    }
    CHECK(!lg_image_create(context, &shape, &image, &error), "with room again: %s", error.message);
    lg_image_destroy(&image);
    CHECK(files_in_folder() == 0, "a scratch file has a name");
    lg_context_destroy(&context);
}

static void test_device(lg_context *plain, lg_context *limited)
{
    if (plain && limited) {
        CHECK(!lg_context_set_memory(limited, 1, folder, &error), "%s", error.message);
        test_catalogue(plain, limited);
        test_labels(plain, limited);
    }
    lg_context *both[] = {plain, limited};
    for (int i = 0; i < 2; i++)
        if (both[i] && both[i]->vk)
            device_close(&both[i]);
        else
            lg_context_destroy(&both[i]);
}

int main(void)
{
    NEED(mkdtemp(folder), "no folder for scratch files");
    test_device(device_open_threads(3), device_open_threads(3));
    if (test_wants_vulkan())
        test_device(device_open(NULL, NULL), device_open(NULL, NULL));
    test_limit();
    test_failures();
    CHECK(rmdir(folder) == 0, "scratch files are left");
    return check_finish("spill");
}
