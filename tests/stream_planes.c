// Streams of frames of planes: at every depth the codes of a sequence of runs on the CPU, on both devices; on
// Vulkan several frames at a time.
#include "check.h"
#include "device.h"
#include "plane_frame.h"
#include "samples.h"
#include "vulkan/vk.h"

#include <stdio.h>
#include <string.h>

#ifdef LG_HAVE_VULKAN
#include "vulkan/vk_private.h"
#endif

enum { FRAMES = 7 };

static lg_error error;

typedef struct film {
    const char *text;
    lg_planes in, out; // out.bits 0: an image of bytes
    int width, height;
    plane_frame frame[FRAMES], wanted[FRAMES];
    lg_image *image[FRAMES]; // wanted, where the output is no planes
} film;

static lg_plan *make_plan(lg_context *context, const film *f)
{
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_node node;
    const lg_planes *const stored = f->out.bits ? &f->out : NULL;
    const lg_type type = LG_U8;
    lg_image_params shape = f->frame[0].shape;
    shape.planes = &f->in;
    NEED(!lg_graph_create(&graph, &error) && !lg_graph_input(graph, "in", &node, &error) &&
             !lg_graph_parse(graph, f->text, node, &node, &error) &&
             !lg_graph_output(graph, node, &error) &&
             !lg_plan_create_planes(context, graph, &shape, 1, stored ? NULL : &type, &stored,
                                    &plan, &error),
         "%s: %s", f->text, error.message);
    lg_graph_destroy(&graph);
    return plan;
}

// An output for a plan: planes over `frame`, or an image.
static lg_image *make_output(lg_context *context, const lg_plan *plan, const film *f,
                             plane_frame *frame)
{
    lg_image_params shape;
    if (f->out.bits) {
        *frame = plane_frame_make(f->out, f->width, f->height);
        return plane_frame_wrap(context, frame);
    }
    NEED(!lg_plan_output(plan, 0, &shape, &error), "%s", error.message);
    return image_zeros(context, shape);
}

static void open_film(film *f, lg_context *cpu)
{
    for (int i = 0; i < FRAMES; i++) {
        f->frame[i] = plane_frame_make(f->in, f->width, f->height);
        plane_frame_fill(&f->frame[i]);
    }
    lg_plan *plan = make_plan(cpu, f);
    for (int i = 0; i < FRAMES; i++) {
        lg_image *in = plane_frame_wrap(cpu, &f->frame[i]);
        lg_image *out = make_output(cpu, plan, f, &f->wanted[i]);
        NEED(!lg_plan_run(plan, &in, &out, &error), "%s: %s", f->text, error.message);
        lg_image_destroy(&in);
        if (f->out.bits)
            lg_image_destroy(&out);
        else
            f->image[i] = out;
    }
    lg_plan_destroy(&plan);
}

static void close_film(film *f)
{
    for (int i = 0; i < FRAMES; i++) {
        plane_frame_free(&f->frame[i]);
        if (f->out.bits)
            plane_frame_free(&f->wanted[i]);
        lg_image_destroy(&f->image[i]);
    }
}

static void check_frame(const film *f, int at, const lg_image *out, const plane_frame *codes,
                        const char *where)
{
    CHECK(f->out.bits ? plane_frames_equal(codes, &f->wanted[at])
                      : samples_equal(out, f->image[at]),
          "%s of %d x %d, %d bits, %s: frame %d is another one", f->text, f->width, f->height,
          f->in.bits, where, at);
}

// Every frame twice, where it does not follow from those before. `uploaded`: every other frame lies on the
// device already.
static void test_depth(lg_context *context, film *f, int depth, bool uploaded)
{
    lg_stream *stream = NULL;
    lg_stream_frame frame;
    plane_frame codes = {0};
    lg_image *in[FRAMES];
    char where[320];
    const bool carries = strstr(f->text, "prev") || strstr(f->text, "@-");
    const int count = carries ? FRAMES : 2 * FRAMES;
    lg_plan *plan = make_plan(context, f);
    lg_image *out = make_output(context, plan, f, &codes);
    snprintf(where, sizeof where, "depth %d on %s%s", depth, context->info.name,
             uploaded ? ", uploaded" : "");
    for (int i = 0; i < FRAMES; i++) {
        in[i] = plane_frame_wrap(context, &f->frame[i]);
        if (uploaded && i % 2)
            CHECK(!lg_image_upload(context, in[i], &error), "%s", error.message);
    }
    NEED(!lg_stream_create(plan, WITH_REF(lg_stream_params, it.depth = depth), &stream, &error),
         "%s", error.message);
    for (int i = 0; i < count; i++) {
        CHECK(!lg_stream_push(stream, &in[i % FRAMES], i, NULL, NULL, &error), "%s: %s", where,
              error.message);
        for (frame.index = 0; frame.index >= 0;) {
            CHECK(!lg_stream_pull(stream, &out, &frame, i + 1 == count, &error), "%s: %s", where,
                  error.message);
            if (frame.index >= 0)
                check_frame(f, (int)frame.tag % FRAMES, out, &codes, where);
        }
    }
    lg_stream_destroy(&stream);
    for (int i = 0; i < FRAMES; i++)
        lg_image_destroy(&in[i]);
    lg_image_destroy(&out);
    if (f->out.bits)
        plane_frame_free(&codes);
    lg_plan_destroy(&plan);
}

// Memory on the device for an output, every other image without pixels of the host.
static lg_image *make_device_output(lg_context *context, const lg_plan *plan, const film *f, int at,
                                    plane_frame *codes)
{
    lg_image *out = make_output(context, plan, f, codes), *there = NULL;
    if (f->out.bits || at % 2) {
        CHECK(!lg_image_upload(context, out, &error), "%s", error.message);
        return out;
    }
    lg_image_params shape = out->shape;
    lg_image_destroy(&out);
    shape.row_stride = shape.layer_stride = 0;
    NEED(!lg_image_create_device(context, &shape, &there, &error), "%s", error.message);
    return there;
}

// An output on the device gets the frame there too, while others are on their way.
static void test_device_outputs(lg_context *context, film *f, int depth)
{
    lg_stream *stream = NULL;
    lg_stream_frame frame;
    plane_frame codes[FRAMES];
    lg_image *in[FRAMES], *out[FRAMES];
    int pushed = 0;
    memset(codes, 0, sizeof codes);
    lg_plan *plan = make_plan(context, f);
    for (int i = 0; i < FRAMES; i++) {
        in[i] = plane_frame_wrap(context, &f->frame[i]);
        out[i] = make_device_output(context, plan, f, i, &codes[i]);
    }
    NEED(!lg_stream_create(plan, WITH_REF(lg_stream_params, it.depth = depth), &stream, &error),
         "%s", error.message);
    for (int i = 0; i < FRAMES; i++) {
        for (; pushed < FRAMES && pushed < i + depth; pushed++)
            CHECK(!lg_stream_push(stream, &in[pushed], pushed, NULL, NULL, &error), "%s",
                  error.message);
        CHECK(!lg_stream_pull(stream, &out[i], &frame, true, &error) && frame.index == i,
              "frame %d: %s", i, error.message);
        if (out[i]->data || f->out.bits)
            check_frame(f, i, out[i], &codes[i], "pulled to host and device");
    }
    CHECK(!lg_stream_flush(stream, &error), "%s", error.message);
    lg_stream_destroy(&stream);
    for (int i = 0; i < FRAMES; i++) {
        if (f->out.bits) // what is read back comes from the device
            plane_frame_fill(&codes[i]);
        else if (out[i]->data)
            memset(out[i]->data, 7, out[i]->shape.layer_stride);
        CHECK(!lg_image_download(context, out[i], &error), "%s", error.message);
        check_frame(f, i, out[i], &codes[i], "read from the device");
        lg_image_destroy(&in[i]);
        lg_image_destroy(&out[i]);
        if (f->out.bits)
            plane_frame_free(&codes[i]);
    }
    lg_plan_destroy(&plan);
}

// Three submissions a frame, and nothing is recorded once every place was used.
static void test_turns(lg_context *context, film *f)
{
    lg_stream *stream = NULL;
    lg_stream_frame frame;
    plane_frame codes = {0};
    lg_plan *plan = make_plan(context, f);
    lg_image *out = make_output(context, plan, f, &codes), *in[FRAMES];
    uint32_t submissions = 0, recordings = 0;
    for (int i = 0; i < FRAMES; i++)
        in[i] = plane_frame_wrap(context, &f->frame[i]);
    CHECK(strstr(lg_plan_explain(plan), "several on the device at once"), "%s: %s", f->text,
          lg_plan_explain(plan));
    NEED(!lg_stream_create(plan, NULL, &stream, &error), "%s", error.message);
    for (int i = 0; i < 3 * FRAMES; i++) {
        if (i == FRAMES) {
            CHECK(!lg_stream_flush(stream, &error), "%s", error.message);
            submissions = lg_vk_submissions(context->vk);
            recordings = lg_vk_recordings(context->vk);
        }
        CHECK(!lg_stream_push(stream, &in[i % FRAMES], i, NULL, NULL, &error) &&
                  !lg_stream_pull(stream, &out, &frame, i >= 2, &error),
              "%s", error.message);
    }
    CHECK(!lg_stream_flush(stream, &error), "%s", error.message);
    submissions = lg_vk_submissions(context->vk) - submissions;
    recordings = lg_vk_recordings(context->vk) - recordings;
    CHECK(submissions == 3 * 2 * FRAMES && recordings == 0, "%s: %u submissions, %u recordings",
          f->text, submissions, recordings);
    lg_stream_destroy(&stream);
    for (int i = 0; i < FRAMES; i++)
        lg_image_destroy(&in[i]);
    lg_image_destroy(&out);
    if (f->out.bits)
        plane_frame_free(&codes);
    lg_plan_destroy(&plan);
}

#ifdef LG_HAVE_VULKAN

static PFN_vkCmdCopyBuffer copy_buffer;
static uint64_t copied; // bytes of all copies that were recorded

static VKAPI_ATTR void VKAPI_CALL count_copies(VkCommandBuffer commands, VkBuffer from, VkBuffer to,
                                               uint32_t count, const VkBufferCopy *regions)
{
    for (uint32_t i = 0; i < count; i++)
        copied += regions[i].size;
    copy_buffer(commands, from, to, count, regions);
}

static uint64_t copied_for(lg_context *context, int height)
{
    film f = {"color_invert", {LG_PLANES_DEFAULTS}, {.bits = 0}, 64, height};
    lg_stream *stream = NULL;
    lg_stream_frame frame;
    plane_frame codes = {0};
    lg_vk *vk = context->vk;
    f.frame[0] = plane_frame_make(f.in, f.width, f.height);
    plane_frame_fill(&f.frame[0]);
    lg_plan *plan = make_plan(context, &f);
    lg_image *in = plane_frame_wrap(context, &f.frame[0]);
    lg_image *out = make_output(context, plan, &f, &codes);
    NEED(!lg_stream_create(plan, WITH_REF(lg_stream_params, it.depth = 1), &stream, &error), "%s",
         error.message);
    copied = 0; // copies to the host have been recorded
    copy_buffer = vk->fn.vkCmdCopyBuffer;
    vk->fn.vkCmdCopyBuffer = count_copies;
    CHECK(!lg_stream_push(stream, &in, 0, NULL, NULL, &error) &&
              !lg_stream_pull(stream, &out, &frame, true, &error),
          "%s", error.message);
    vk->fn.vkCmdCopyBuffer = copy_buffer;
    lg_stream_destroy(&stream);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
    plane_frame_free(&f.frame[0]);
    lg_plan_destroy(&plan);
    return copied;
}

// What is sent of a frame of 4:2:0 of 8 bits are the bytes of 1.5 samples a pixel, and not those of RGBA.
// What is sent of frames of any size is left out by a difference. Rows are multiples of 16 bytes: none is
// padded.
static void test_bytes(lg_context *context)
{
    const uint64_t low = copied_for(context, 2), high = copied_for(context, 42);
    CHECK(high - low == 64 * 40 * 3 / 2, "%llu bytes are sent of 40 rows of 64 pixels",
          (unsigned long long)(high - low));
}

#endif

int main(void)
{
    static const lg_planes plain = {LG_PLANES_DEFAULTS},
                           nv12 = {LG_PLANES_DEFAULTS, .paired = true},
                           p010 = {.chroma = LG_CHROMA_420, .paired = true, .bits = 10, .shift = 6},
                           wide = {.chroma = LG_CHROMA_422, .bits = 10, .siting = LG_SITING_CENTER},
                           full = {.chroma = LG_CHROMA_444, .bits = 8, .full_range = true},
                           grey = {.chroma = LG_CHROMA_NONE, .bits = 8}, none = {.bits = 0};
    // A shared conversion; an image between stages; figures of a plane, and of the frame before; delayed
    // frames; planes that are copied.
    film films[] = {
        {"color_invert", nv12, plain, 37, 11},
        {"gaussian_blur | levels:min=@p1:max=@p99", p010, p010, 51, 20},
        {"brightness:brightness=@y.mean*0.3-0.1", wide, none, 33, 9},
        {"contrast:contrast=@prev.mean+0.5", full, grey, 18, 7},
        {"difference_blend:over=#in@-1", plain, none, 24, 13},
        {"brightness:brightness=@y.p90*0.2", grey, grey, 40, 12},
    };
    static const int depths[] = {1, 3, 2, 8};
    const size_t depth_count = test_is_short() ? 2 : LG_COUNT(depths);
    lg_context *cpu = device_open_threads(2), *vulkan = device_open(NULL, NULL);
    random_seed(101);
    for (size_t i = test_is_short(); i < LG_COUNT(films); i += test_is_short() ? 3 : 1) {
        open_film(&films[i], cpu);
        for (size_t d = 0; d < depth_count; d++) {
            test_depth(cpu, &films[i], depths[d], false);
            if (vulkan)
                test_depth(vulkan, &films[i], depths[d], d % 2);
        }
        if (vulkan && i < 3)
            test_turns(vulkan, &films[i]);
        for (size_t d = 0; vulkan && d < 2; d++)
            test_device_outputs(vulkan, &films[i], depths[d]);
        close_film(&films[i]);
    }
#ifdef LG_HAVE_VULKAN
    if (vulkan && vulkan->vk)
        test_bytes(vulkan);
#endif
    device_close(&vulkan);
    lg_context_destroy(&cpu);
    return check_finish("stream_planes");
}
