#include "device_filter.h"

#include "check.h"
#include "kernel.h"
#include "pipeline.h"

#include "vulkan/vk.h"

// So that the second run finds what the first one left.
static bool run_twice(lg_context *context, const char *text, const lg_image *in,
                      const lg_image *over, lg_type type, lg_image **out)
{
    const lg_image *const inputs[2] = {in, over};
    lg_error error = {LG_OK, ""};
    const lg_status status =
        pipeline_run(context, text, inputs, over ? 2 : 1, type, 2, out, &error);
    CHECK(!status, "%s: %s", text, error.message);
    return !status;
}

lg_image *device_run(lg_context *context, const char *text, lg_image *in, lg_image *over,
                     lg_type type)
{
    lg_image *out = NULL;
    run_twice(context, text, in, over, type, &out);
    return out;
}

static lg_image_params planned_shape(lg_context *context, const char *text,
                                     const lg_image_params *in, const lg_image_params *over,
                                     lg_type type)
{
    const lg_image_params shapes[2] = {*in, over ? *over : *in};
    pipeline p;
    NEED(pipeline_open(&p, context, text, shapes, over ? 2 : 1, &type), "%s", text);
    const lg_image_params shape = p.out;
    pipeline_close(&p);
    return shape;
}

// The same content in each context, in images with guards.
static guarded open_content(lg_context *context, lg_image_params shape, content kind)
{
    lg_image *image = content_image(context, shape, kind);
    const guarded g = guarded_copy(context, image, 0xff);
    lg_image_destroy(&image);
    return g;
}

static void compare(const device_pair *pair, const char *choices, lg_image_params shape,
                    const lg_image_params *second, lg_type out_type, content kind)
{
    lg_context *const contexts[2] = {pair->cpu, pair->vulkan};
    guarded out[2];
    char text[1000], first[160];
    bool good = true;
    kernel_pick(text, sizeof text, choices);
    const lg_image_params to = planned_shape(pair->cpu, text, &shape, second, out_type);
    const uint64_t seed = random_u64();
    for (int i = 0; i < 2; i++) {
        random_seed(seed);
        guarded in = open_content(contexts[i], shape, kind), over = {0};
        if (second)
            over = open_content(contexts[i], *second, kind);
        out[i] = guarded_open(contexts[i], to, 0xa5);
        good &= run_twice(contexts[i], text, in.image, over.image, out_type, &out[i].image);
        CHECK(!contexts[i]->vk || !lg_vk_lost(contexts[i]->vk),
              "%s of %d x %d x %d, %d channels of %s, to %s: the device was lost", text,
              shape.width, shape.height, shape.layers, shape.channels, lg_type_name(shape.type),
              lg_type_name(out_type));
        const size_t spoiled = guarded_spoiled(&out[i]);
        CHECK(!spoiled, "%s of %d x %d x %d, %d channels of %s: %zu bytes beside the pixels", text,
              shape.width, shape.height, shape.layers, shape.channels, lg_type_name(shape.type),
              spoiled);
        guarded_close(&in);
        guarded_close(&over);
    }
    if (good)
        CHECK(!samples_differ(out[1].image, out[0].image, first),
              "%s of %d x %d x %d, %d channels of %s, alpha %d, %s, to %s: first at %s", text,
              shape.width, shape.height, shape.layers, shape.channels, lg_type_name(shape.type),
              (int)shape.alpha, content_name(kind), lg_type_name(out_type), first);
    guarded_close(&out[0]);
    guarded_close(&out[1]);
}

void device_compare(const device_pair *pair, const char *text, lg_image_params shape,
                    lg_type out_type, content kind)
{
    compare(pair, text, shape, NULL, out_type, kind);
}

void device_compare_two(const device_pair *pair, const char *text, lg_image_params shape,
                        lg_image_params over, lg_type out_type, content kind)
{
    compare(pair, text, shape, &over, out_type, kind);
}

lg_image_params device_any_shape(int width, int height)
{
    static int turn;
    lg_image_params shape = kernel_any_shape(width, height);
    shape.type = (lg_type)(turn++ % LG_TYPES);
    return shape;
}

content device_any_content(const lg_image_params *s)
{
    const bool floats = s->type == LG_F16 || s->type == LG_F32;
    return floats && s->alpha != LG_ALPHA_PREMULTIPLIED && random_below(3) == 0 ? CONTENT_SIGNED
                                                                                : CONTENT_UNIT;
}

void device_one_submission(const device_pair *pair, const char *text, lg_image_params shape)
{
    lg_error error = {LG_OK, ""};
    lg_image *in = content_image(pair->vulkan, shape, CONTENT_UNIT), *out = NULL;
    pipeline p;
    bool good = pipeline_open(&p, pair->vulkan, text, &shape, 1, NULL) &&
                !lg_image_upload(pair->vulkan, in, &error) &&
                !lg_image_create_device(pair->vulkan, &p.out, &out, &error) &&
                !lg_plan_run(p.plan, &in, &out, &error);
    const uint32_t before = lg_vk_submissions(pair->vulkan->vk);
    for (int i = 0; i < 3 && good; i++)
        good = !lg_plan_run(p.plan, &in, &out, &error);
    const int submissions = (int)(lg_vk_submissions(pair->vulkan->vk) - before);
    CHECK(good && submissions == 3, "%s of %s: %d submissions for 3 runs %s", text,
          lg_type_name(shape.type), submissions, error.message);
    pipeline_close(&p);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}
