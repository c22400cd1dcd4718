// Streams while memory, threads and the device fail: an error of a call or of a frame, or the right pixels;
// inputs are given back once, and the frames behind a failure go on.
#include "check.h"
#include "device.h"
#include "fault_case.h"
#include "samples.h"

#include <stdlib.h>
#include <string.h>

enum { FRAMES = 5 };

static int given;

static void note_done(void *priv)
{
    (void)priv;
    given++;
}

static void make_plan(fault_world *w)
{
    lg_error error = {LG_OK, ""};
    CHECK(!lg_graph_parse(w->graph, w->text, w->node, &w->node, &error) &&
              !lg_graph_output(w->graph, w->node, &error) &&
              !lg_plan_create(w->context, w->graph, &w->color->shape, 1, NULL, &w->plan, &error),
          "%s: %s", w->text, error.message);
}

// The pixels of a frame, as long as there is room for them.
static uint8_t kept[FAULT_BYTES];

static void keep_pixels(const lg_image *out, int64_t index)
{
    const size_t row = (size_t)out->shape.width * lg_pixel_size(&out->shape);
    const size_t room = FAULT_BYTES / FRAMES;
    for (size_t y = 0; y < (size_t)out->shape.height && (y + 1) * row <= room; y++)
        memcpy(kept + (size_t)index * room + y * row,
               (uint8_t *)out->data + y * out->shape.row_stride, row);
}

// Takes frames until there is none. The first error is kept.
static lg_status pull(lg_stream *stream, lg_image *out, bool wait, int64_t *last, lg_status before,
                      lg_error *error)
{
    lg_stream_frame frame;
    for (;;) {
        lg_error local = {LG_OK, ""};
        const lg_status status = lg_stream_pull(stream, &out, &frame, wait, &local);
        if (!before && status)
            *error = local;
        before = before ? before : status;
        if (frame.index < 0)
            return before;
        CHECK(frame.index > *last, "frame %d behind %d", (int)frame.index, (int)*last);
        CHECK(!status || local.message[0], "frame %d has no message", (int)frame.index);
        *last = frame.index;
        if (!status)
            keep_pixels(out, frame.index);
    }
}

static lg_status run_stream(fault_world *w, int depth, lg_error *error)
{
    lg_image_params shape;
    lg_image *out = NULL;
    lg_stream *stream = NULL;
    int64_t last = -1;
    int pushed = 0;
    lg_error other = {LG_OK, ""};
    if (!w->plan)
        return LG_OK;
    given = 0;
    CHECK(!lg_plan_output(w->plan, 0, &shape, &other), "%s", other.message);
    lg_status status = lg_image_create(w->context, &shape, &out, error);
    if (!status)
        status =
            lg_stream_create(w->plan, WITH_REF(lg_stream_params, it.depth = depth), &stream, error);
    for (int i = 0; i < FRAMES && stream; i++) {
        const lg_status sent = lg_stream_push(stream, &w->color, i, note_done, NULL, &other);
        if (sent && !status)
            *error = other;
        status = status ? status : sent;
        pushed += !sent;
        status = pull(stream, out, false, &last, status, error);
    }
    if (stream)
        status = pull(stream, out, true, &last, status, error);
    lg_stream_destroy(&stream);
    CHECK(given == pushed && last == pushed - 1, "%d given back, %d pushed, the last one is %d",
          given, pushed, (int)last);
    lg_image_destroy(&out);
    if (!status)
        memcpy(w->bytes, kept, sizeof kept);
    return status;
}

static lg_status stream_1(fault_world *w, lg_error *error)
{
    return run_stream(w, 1, error);
}

static lg_status stream_3(fault_world *w, lg_error *error)
{
    return run_stream(w, 3, error);
}

#define STREAM(line)                                                                               \
    {.name = "depth 1: " line,                                                                     \
     .call = stream_1,                                                                             \
     .prepare = make_plan,                                                                         \
     .text = line,                                                                                 \
     .device = true},                                                                              \
    {                                                                                              \
        .name = "depth 3: " line, .call = stream_3, .prepare = make_plan, .text = line,            \
        .device = true                                                                             \
    }

static const fault_case cases[] = {
    STREAM("gaussian_blur:sigma=2 | sepia"),
    STREAM("threshold:level=@otsu"),
    STREAM("brightness:brightness=@mean*-1+0.5 | threshold:level=@p90"),
    STREAM("sepia | sharpen"),
};

// ---- a device that is lost on the way ---------------------------------------------------------------

#ifdef LG_HAVE_VULKAN

#include "vulkan/vk_private.h"

enum { LOSS_FRAMES = 6 };

typedef struct loss {
    lg_image *in[LOSS_FRAMES], *want[LOSS_FRAMES];
    lg_vk_probe probe;
    int64_t calls; // until the last frame was there
    bool told;     // a frame's report has the reason
} loss;

static lg_plan *loss_plan(lg_context *context, const char *text, const lg_image_params *shape)
{
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_node node;
    lg_error error = {LG_OK, ""};
    NEED(!lg_graph_create(&graph, &error) && !lg_graph_input(graph, "in", &node, &error) &&
             !lg_graph_parse(graph, text, node, &node, &error) &&
             !lg_graph_output(graph, node, &error) &&
             !lg_plan_create(context, graph, shape, 1, NULL, &plan, &error),
         "%s", error.message);
    lg_graph_destroy(&graph);
    return plan;
}

// NULL: there is no device to lose.
static lg_context *loss_context(void)
{
    lg_context *context = NULL;
    lg_error error = {LG_OK, ""};
    if (lg_context_create(
            WITH_REF(lg_context_params, it.device = LG_DEVICE_VULKAN, it.use_cache = false),
            &context, &error))
        check_skip(error.message);
    return context;
}

// Every frame comes out right, whoever has computed it.
static void lose_at(loss *l, const char *text, int64_t at)
{
    lg_context *context = loss_context();
    lg_error error = {LG_OK, ""};
    lg_stream *stream = NULL;
    lg_stream_frame frame;
    char first[160];
    if (!context)
        return;
    lg_plan *plan = loss_plan(context, text, &l->in[0]->shape);
    lg_image *out = image_zeros(context, l->want[0]->shape);
    NEED(!lg_stream_create(plan, NULL, &stream, &error), "%s", error.message);
    l->probe = (lg_vk_probe){.fail_at = at, .result = VK_ERROR_DEVICE_LOST};
    context->vk->probe = &l->probe;
    int pulled = 0;
    l->told = false;
    for (int i = 0; i < LOSS_FRAMES; i++) {
        CHECK(!lg_stream_push(stream, &l->in[i], i, NULL, NULL, &error), "call %d: %s", (int)at,
              error.message);
        for (bool more = true; more; pulled += more) {
            const lg_status status =
                lg_stream_pull(stream, &out, &frame, i == LOSS_FRAMES - 1, &error);
            more = frame.index >= 0;
            if (!more)
                continue;
            CHECK(!status, "%s, call %d (%s), frame %d: %s", text, (int)at, l->probe.failed,
                  (int)frame.index, error.message);
            CHECK(status || samples_differ(out, l->want[frame.index], first) == 0,
                  "%s, call %d (%s), frame %d: %s", text, (int)at, l->probe.failed,
                  (int)frame.index, first);
            l->told |= strstr(frame.engine.fallback, "lost") != NULL;
        }
    }
    CHECK(pulled == LOSS_FRAMES, "call %d: %d frames", (int)at, pulled);
    l->calls = l->probe.calls;
    lg_stream_destroy(&stream);
    context->vk->probe = NULL;
    lg_image_destroy(&out);
    lg_plan_destroy(&plan);
    lg_context_destroy(&context);
}

// The device is lost in a copy of a computed frame to the output's memory there: the host has the pixels, and
// frames behind it go on. Returns how many calls copy a frame.
static int64_t lose_copy(loss *l, const char *text, int64_t call)
{
    lg_context *context = loss_context();
    lg_error error = {LG_OK, ""};
    lg_stream *stream = NULL;
    lg_stream_frame frame;
    char first[160];
    if (!context)
        return 0;
    lg_plan *plan = loss_plan(context, text, &l->in[0]->shape);
    lg_image *out = image_zeros(context, l->want[0]->shape);
    NEED(!lg_image_upload(context, out, &error) && !lg_stream_create(plan, NULL, &stream, &error),
         "%s", error.message);
    for (int i = 0; i < 3; i++)
        CHECK(!lg_stream_push(stream, &l->in[i], i, NULL, NULL, &error), "%s", error.message);
    CHECK(!lg_stream_flush(stream, &error), "%s", error.message);
    l->probe = (lg_vk_probe){.fail_at = call, .result = VK_ERROR_DEVICE_LOST};
    context->vk->probe = &l->probe;
    int64_t calls = 0;
    for (int pulled = 0; pulled < LOSS_FRAMES; pulled++) {
        const lg_status status = lg_stream_pull(stream, &out, &frame, true, &error);
        CHECK(!status && frame.index == pulled && samples_differ(out, l->want[pulled], first) == 0,
              "%s, call %d (%s), frame %d: %s", text, (int)call, l->probe.failed, pulled, first);
        if (pulled == 0) {
            calls = l->probe.calls;
            CHECK((call > 0) == (l->probe.failed != NULL) &&
                      (call > 0) == !((lg_image_private *)out)->device,
                  "%s, call %d: %s, and the output has memory there", text, (int)call,
                  l->probe.failed);
        }
        if (pulled + 3 < LOSS_FRAMES)
            CHECK(!lg_stream_push(stream, &l->in[pulled + 3], pulled + 3, NULL, NULL, &error), "%s",
                  error.message);
    }
    CHECK(call < 0 || strstr(frame.engine.fallback, "lost"), "call %d: the last report says %s",
          (int)call, frame.engine.fallback);
    lg_stream_destroy(&stream);
    context->vk->probe = NULL;
    lg_image_destroy(&out);
    lg_plan_destroy(&plan);
    lg_context_destroy(&context);
    return calls;
}

static void test_loss(const char *text)
{
    loss l = {.told = false};
    lg_error error = {LG_OK, ""};
    lg_context *cpu = device_open_cpu();
    const lg_image_params shape = SHAPE(61, 40, 1, 4, LG_U8, LG_ALPHA_OPAQUE);
    lg_plan *plan = loss_plan(cpu, text, &shape);
    for (int i = 0; i < LOSS_FRAMES; i++) {
        lg_image_params made;
        l.in[i] = content_image(cpu, shape, CONTENT_UNIT);
        NEED(!lg_plan_output(plan, 0, &made, &error), "%s", error.message);
        l.want[i] = image_zeros(cpu, made);
        CHECK(!lg_plan_run(plan, &l.in[i], &l.want[i], &error), "%s", error.message);
    }
    lose_at(&l, text, -1);
    const int64_t calls = l.probe.calls, of_frames = l.calls, step = test_extent(613, 31, 1);
    CHECK(of_frames > 3 * LOSS_FRAMES && !l.told, "%d calls", (int)calls);
    for (int64_t at = 1; at <= calls; at += step) {
        lose_at(&l, text, at);
        // Of the last frames nobody may have noticed: they were there. Behind them the stream ends.
        CHECK(!l.probe.failed || l.told || at > of_frames - 8,
              "call %d of %d (%s): no report says why", (int)at, (int)calls, l.probe.failed);
    }
    const int64_t copying = lose_copy(&l, text, -1);
    CHECK(copying >= 4, "a copy to the device is %d calls", (int)copying);
    for (int64_t at = 1; at <= copying; at += test_extent(13, 2, 1))
        lose_copy(&l, text, at);
    for (int i = 0; i < LOSS_FRAMES; i++) {
        lg_image_destroy(&l.in[i]);
        lg_image_destroy(&l.want[i]);
    }
    lg_plan_destroy(&plan);
    lg_context_destroy(&cpu);
}

#else

static void test_loss(const char *text)
{
    (void)text;
}

#endif

int main(int argc, char **argv)
{
    lg_context *vulkan = device_open(NULL, NULL);
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        if (argc > 1 && !strstr(cases[i].name, argv[1]))
            continue;
        fault_case_on_cpu(&cases[i]);
        if (vulkan)
            fault_case_on_vulkan(&cases[i], vulkan);
    }
    if (argc < 2 && vulkan) {
        test_loss("gaussian_blur:sigma=2 | sepia");
        test_loss("threshold:level=@otsu");
        setenv("LUMAGRAPH_VK_QUEUES", "several", 1);
        test_loss("gaussian_blur:sigma=2 | sepia");
        lg_context *several = device_open(NULL, NULL);
        if (several)
            fault_case_on_vulkan(&cases[1], several);
        lg_context_destroy(&several);
        unsetenv("LUMAGRAPH_VK_QUEUES");
    }
    lg_context_destroy(&vulkan);
    return check_finish("faults_stream");
}
