// Streams: the pixels and figures of a sequence of runs at every depth, in order; what waits, what is
// dropped, what fails, what is given back.
#include "check.h"
#include "device.h"
#include "device/lookback.h"
#include "device/workspace.h"
#include "pipeline.h"
#include "samples.h"
#include "vulkan/vk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FRAMES = 9, FIGURES = 8 };

static lg_error error;

// What a sequence of runs gives.
typedef struct sequence {
    const char *text;
    const char *figure; // for the caller; NULL: none
    lg_image *in[FRAMES], *out[FRAMES];
    lg_status status[FRAMES];
    lg_figure_value figures[FRAMES][FIGURES];
    size_t count[FRAMES];
} sequence;

static lg_plan *make_plan(lg_context *context, const sequence *s, int images)
{
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_node in, over, last;
    const lg_image_params shapes[2] = {s->in[0]->shape, s->in[0]->shape};
    NEED(!lg_graph_create(&graph, &error) && !lg_graph_input(graph, "in", &in, &error) &&
             (images < 2 || !lg_graph_input(graph, "over", &over, &error)) &&
             !lg_graph_parse(graph, s->text, in, &last, &error) &&
             (!s->figure || !lg_graph_figure(graph, last, s->figure, NULL, &error)) &&
             !lg_graph_output(graph, last, &error) &&
             !lg_plan_create(context, graph, shapes, (size_t)images, NULL, &plan, &error),
         "%s: %s", s->text, error.message);
    lg_graph_destroy(&graph);
    return plan;
}

static lg_image *make_output(lg_context *context, const lg_plan *plan)
{
    lg_image_params shape;
    NEED(!lg_plan_output(plan, 0, &shape, &error), "%s", error.message);
    return image_zeros(context, shape);
}

static void close_sequence(sequence *s)
{
    for (int i = 0; i < FRAMES; i++) {
        lg_image_destroy(&s->in[i]);
        lg_image_destroy(&s->out[i]);
    }
}

// The same frames for all: `kind` of content, and every third one black.
static sequence run_sequence(lg_context *context, const char *text, const char *figure,
                             lg_image_params shape)
{
    sequence s = {.text = text, .figure = figure};
    random_seed(7);
    for (int i = 0; i < FRAMES; i++)
        s.in[i] =
            i % 3 == 2 ? image_zeros(context, shape) : content_image(context, shape, CONTENT_UNIT);
    lg_plan *plan = make_plan(context, &s, 1);
    for (int i = 0; i < FRAMES; i++) {
        s.out[i] = make_output(context, plan);
        s.status[i] = lg_plan_run(plan, &s.in[i], &s.out[i], &error);
        if (!s.status[i])
            CHECK(!lg_plan_figures(plan, s.figures[i], FIGURES, &s.count[i], &error), "%s",
                  error.message);
    }
    lg_plan_destroy(&plan);
    return s;
}

// ---- equal bits -----------------------------------------------------------------------------------

static int given[FRAMES], last_given;

static void note_done(void *priv)
{
    const int index = (int)((int *)priv - given);
    CHECK(index == last_given + 1, "frame %d was given back behind %d", index, last_given);
    last_given = index;
    given[index]++;
}

static void compare(const sequence *s, const lg_stream_frame *f, lg_status status,
                    const lg_image *out, const char *where)
{
    char first[160];
    const int i = (int)f->tag - 100;
    CHECK(i >= 0 && i < FRAMES && f->index == i, "%s, %s: frame %d has the tag %d", s->text, where,
          (int)f->index, (int)f->tag);
    if (i < 0 || i >= FRAMES)
        return;
    CHECK(status == s->status[i], "%s, %s, frame %d: status %d, not %d: %s", s->text, where, i,
          (int)status, (int)s->status[i], error.message);
    if (status)
        return;
    CHECK(samples_differ(out, s->out[i], first) == 0, "%s, %s, frame %d: %s", s->text, where, i,
          first);
    CHECK(f->figure_count == s->count[i], "%s, %s, frame %d: %zu figures, not %zu", s->text, where,
          i, f->figure_count, s->count[i]);
    for (size_t k = 0; k < f->figure_count && k < s->count[i]; k++)
        CHECK(memcmp(f->figures[k].value, s->figures[i][k].value, sizeof f->figures[k].value) == 0,
              "%s, %s, frame %d: %s is %.9g, not %.9g", s->text, where, i, f->figures[k].name,
              f->figures[k].value[0], s->figures[i][k].value[0]);
    CHECK(f->stage_count > 0 && f->stages[0].bytes > 0 && f->engine.device[0], "%s: no report",
          s->text);
}

// Pulls what is ready, or all: every other frame without a copy. Returns the number of frames.
static int pull_some(lg_stream *stream, const sequence *s, lg_image *out, bool wait,
                     const char *where)
{
    lg_stream_frame frame;
    for (int pulled = 0;; pulled++) {
        lg_image *const *taken = &out;
        const lg_status status = pulled % 2 ? lg_stream_pull(stream, &out, &frame, wait, &error)
                                            : lg_stream_take(stream, &taken, &frame, wait, &error);
        if (frame.index < 0) {
            CHECK(!status, "%s, %s: %s", s->text, where, error.message);
            return pulled;
        }
        CHECK(!status == (taken != NULL), "%s, %s: a frame that failed has pixels", s->text, where);
        compare(s, &frame, status, taken ? taken[0] : NULL, where);
    }
}

static void test_depth(lg_context *context, const sequence *s, int depth, const char *name)
{
    char where[80];
    lg_stream *stream = NULL;
    lg_plan *plan = make_plan(context, s, 1);
    lg_image *out = make_output(context, plan);
    snprintf(where, sizeof where, "%s, depth %d", name, depth);
    memset(given, 0, sizeof given);
    last_given = -1;
    NEED(!lg_stream_create(plan, WITH_REF(lg_stream_params, it.depth = depth), &stream, &error),
         "%s", error.message);
    int pulled = 0;
    for (int i = 0; i < FRAMES; i++) {
        CHECK(!lg_stream_push(stream, &s->in[i], 100 + i, note_done, &given[i], &error),
              "%s, %s: %s", s->text, where, error.message);
        pulled += pull_some(stream, s, out, false, where);
    }
    pulled += pull_some(stream, s, out, true, where);
    CHECK(pulled == FRAMES, "%s, %s: %d frames", s->text, where, pulled);
    for (int i = 0; i < FRAMES; i++)
        CHECK(given[i] == 1, "%s, %s: frame %d was given back %d times", s->text, where, i,
              given[i]);
    lg_image_destroy(&out);
    lg_stream_destroy(&stream);
    CHECK(!stream, "it is still there");
    lg_plan_destroy(&plan);
}

static const struct {
    const char *text, *figure;
    int channels;
    lg_type type;
    int width, height;
} cases[] = {
    {"brightness:brightness=0.1 | gaussian_blur:sigma=1.5 | color_invert", NULL, 4, LG_U8, 67, 35},
    {"luminance_threshold:threshold=@otsu", NULL, 1, LG_U8, 129, 40},
    {"brightness:brightness=@mean*-1+0.5", "mean", 4, LG_U8, 33, 21},
    {"brightness:brightness=@prev.mean*-1+0.5", NULL, 1, LG_U8, 64, 31},
    {"brightness:brightness=@prev.p90*-0.5 | median", NULL, 1, LG_U16, 40, 30},
    {"low_pass:strength=0.7", NULL, 4, LG_U8, 45, 22},
    {"image_buffer:size=3", NULL, 1, LG_U8, 45, 22},
    {"high_pass:strength=0.5 | threshold:level=0.1", "r.max", 1, LG_F32, 45, 22},
    {"levels:min=@p1:max=@p99", "rgb.mean", 4, LG_F32, 37, 29},
    {"threshold:level=0.5 | label | brightness:brightness=@components*0.001", NULL, 1, LG_U8, 80,
     60},
    {"histogram_equalization", NULL, 1, LG_U8, 50, 50},
    {"sobel_edge_detection | crop:x=0.1:y=0.2:width=0.5:height=0.5", NULL, 4, LG_U16, 40, 30},
    {"box_blur:radius=2 | #in | adaptive_threshold", NULL, 1, LG_U8, 70, 50},
};

static void test_bits(lg_context *base, lg_context *vulkan)
{
    static const int depths[] = {1, 2, 3, 8};
    lg_context *levels[LG_CPU_LEVELS] = {NULL};
    for (int i = 1; i < LG_CPU_LEVELS; i++)
        levels[i] = device_open_level((lg_cpu_level)i, 2);
    for (size_t c = 0; c < LG_COUNT(cases); c++) {
        const int channels = cases[c].channels;
        const lg_image_params shape = SHAPE(cases[c].width, cases[c].height, 1, channels,
                                            cases[c].type, channels == 4 ? LG_ALPHA_OPAQUE : 0);
        sequence s = run_sequence(base, cases[c].text, cases[c].figure, shape);
        for (size_t d = 0; d < LG_COUNT(depths); d++) {
            test_depth(base, &s, depths[d], "base");
            for (int i = 1; i < LG_CPU_LEVELS; i++)
                if (levels[i] && (c + d + (size_t)i) % (test_is_short() ? 5 : 1) == 0)
                    test_depth(levels[i], &s, depths[d], lg_cpu_level_name((lg_cpu_level)i));
            if (vulkan && (depths[d] != 2 || !test_is_short()))
                test_depth(vulkan, &s, depths[d], "Vulkan");
        }
        close_sequence(&s);
    }
    for (int i = 1; i < LG_CPU_LEVELS; i++)
        lg_context_destroy(&levels[i]);
}

static int64_t returned;

static void count_done(void *priv)
{
    (void)priv;
    returned++;
}

// A device has several frames at a time: three submissions each, recorded once for each place.
static void test_turns(lg_context *context)
{
    enum { MANY = 30 };
    const lg_image_params shape = SHAPE(64, 48, 1, 4, LG_U8, LG_ALPHA_OPAQUE);
    sequence s = run_sequence(context, "gaussian_blur:sigma=2 | color_invert", NULL, shape);
    lg_stream *stream = NULL;
    lg_stream_frame frame;
    lg_plan *plan = make_plan(context, &s, 1);
    lg_image *out = make_output(context, plan);
    NEED(!lg_stream_create(plan, NULL, &stream, &error), "%s", error.message);
    uint32_t submissions = 0, recordings = 0;
    for (int i = 0; i < MANY; i++) {
        if (i == FRAMES) { // all places were used
            CHECK(!lg_stream_flush(stream, &error), "%s", error.message);
            submissions = lg_vk_submissions(context->vk);
            recordings = lg_vk_recordings(context->vk);
        }
        CHECK(!lg_stream_push(stream, &s.in[i % FRAMES], i, NULL, NULL, &error) &&
                  !lg_stream_pull(stream, &out, &frame, i >= 2, &error),
              "%s", error.message);
        CHECK(frame.index < 0 || samples_equal(out, s.out[frame.index % FRAMES]),
              "frame %d is another one", (int)frame.index);
    }
    CHECK(!lg_stream_flush(stream, &error), "%s", error.message);
    submissions = lg_vk_submissions(context->vk) - submissions;
    recordings = lg_vk_recordings(context->vk) - recordings;
    CHECK(submissions == 3 * (MANY - FRAMES), "%u submissions", submissions);
    CHECK(recordings == 0, "%u recordings", recordings);
    lg_stream_destroy(&stream);
    lg_image_destroy(&out);
    lg_plan_destroy(&plan);
    close_sequence(&s);
}

// An input with a device copy is read there, and one without beside it.
static void test_inputs(lg_context *context, int depth)
{
    const lg_image_params shape = SHAPE(50, 40, 1, 4, LG_U8, LG_ALPHA_OPAQUE);
    sequence s = run_sequence(context, "color_invert", NULL, shape);
    lg_image *over = content_image(context, shape, CONTENT_UNIT);
    lg_stream *stream = NULL;
    lg_stream_frame frame;
    s.text = "multiply_blend | gaussian_blur:sigma=1";
    lg_plan *plan = make_plan(context, &s, 2);
    lg_image *out = make_output(context, plan), *want = make_output(context, plan);
    NEED(!lg_stream_create(plan, WITH_REF(lg_stream_params, it.depth = depth), &stream, &error),
         "%s", error.message);
    for (int i = 0; i < FRAMES; i++) {
        lg_image *inputs[] = {s.in[i], over};
        if (i == 2)
            CHECK(!lg_image_upload(context, over, &error), "%s", error.message);
        if (i == 5)
            CHECK(!lg_image_upload(context, s.in[i], &error), "%s", error.message);
        CHECK(!lg_plan_run(plan, inputs, &want, &error) &&
                  !lg_stream_push(stream, inputs, i, count_done, NULL, &error) &&
                  !lg_stream_pull(stream, &out, &frame, true, &error) && frame.index == i,
              "%s", error.message);
        CHECK(samples_equal(out, want), "frame %d is another one", i);
    }
    CHECK(!lg_stream_flush(stream, &error), "%s", error.message);
    lg_stream_destroy(&stream);
    lg_image_destroy(&want);
    lg_image_destroy(&out);
    lg_plan_destroy(&plan);
    lg_image_destroy(&over);
    close_sequence(&s);
}

// ---- what waits and what is dropped ---------------------------------------------------------------

typedef struct stage {
    sequence s;
    lg_plan *plan;
    lg_stream *stream;
    lg_image *out;
} stage;

static stage open_stage(lg_context *context, const char *text, lg_image_params shape, int depth,
                        bool live)
{
    stage t = {.s = run_sequence(context, text, NULL, shape)};
    t.plan = make_plan(context, &t.s, 1);
    t.out = make_output(context, t.plan);
    NEED(!lg_stream_create(t.plan, WITH_REF(lg_stream_params, it.depth = depth, it.live = live),
                           &t.stream, &error),
         "%s", error.message);
    return t;
}

static void close_stage(stage *t)
{
    lg_stream_destroy(&t->stream);
    lg_image_destroy(&t->out);
    lg_plan_destroy(&t->plan);
    close_sequence(&t->s);
}

static const lg_image_params small = {.width = 40, .height = 30, .layers = 1, .channels = 1};

static void test_full(lg_context *context, int depth)
{
    lg_stream_frame frame;
    stage t = open_stage(context, "gaussian_blur:sigma=2", small, depth, false);
    for (int i = 0; i <= depth; i++)
        CHECK(!lg_stream_push(t.stream, &t.s.in[i], 100 + i, NULL, NULL, &error), "%s",
              error.message);
    const lg_status status = lg_stream_push(t.stream, &t.s.in[5], 0, NULL, NULL, &error);
    CHECK(status == LG_ERROR_LIMIT && strstr(error.message, "pull one"), "status %d: %s",
          (int)status, error.message);
    CHECK(!lg_stream_flush(t.stream, &error), "%s", error.message);
    CHECK(!lg_stream_pull(t.stream, &t.out, &frame, false, &error) && frame.index == 0 &&
              frame.dropped == 0,
          "frame %d: %s", (int)frame.index, error.message);
    CHECK(!lg_stream_push(t.stream, &t.s.in[depth + 1], 101 + depth, NULL, NULL, &error), "%s",
          error.message);
    CHECK(pull_some(t.stream, &t.s, t.out, true, "full") == depth + 1, "frames are missing");
    CHECK(!lg_stream_pull(t.stream, &t.out, &frame, true, &error) && frame.index == -1,
          "a frame of an empty stream");
    close_stage(&t);
}

// Whatever is dropped, it is counted, given back, and leaves the others what they are.
static void test_live(lg_context *context, int depth)
{
    enum { PUSHES = 200 };
    lg_stream_frame frame = {.index = -1};
    stage t = open_stage(context, "gaussian_blur:sigma=2 | median", small, depth, true);
    int64_t before = -1, pulled = 0, dropped = 0;
    returned = 0;
    for (int i = 0; i < PUSHES; i++) {
        CHECK(!lg_stream_push(t.stream, &t.s.in[i % FRAMES], i, count_done, NULL, &error), "%s",
              error.message);
        const bool take = i % 50 == 49 || i == PUSHES - 1;
        while (take) {
            CHECK(!lg_stream_pull(t.stream, &t.out, &frame, true, &error), "%s", error.message);
            if (frame.index < 0)
                break;
            CHECK(frame.index > before && frame.tag == frame.index, "frame %d behind %d",
                  (int)frame.index, (int)before);
            CHECK(samples_equal(t.out, t.s.out[frame.index % FRAMES]), "frame %d is another one",
                  (int)frame.index);
            before = frame.index;
            dropped = frame.dropped;
            pulled++;
        }
    }
    CHECK(before == PUSHES - 1, "the newest frame is %d", (int)before);
    CHECK(pulled + dropped == PUSHES && returned == PUSHES && pulled <= 4 * (depth + 1),
          "%d pulled, %d dropped, %d given back", (int)pulled, (int)dropped, (int)returned);
    close_stage(&t);
}

// ---- what fails -----------------------------------------------------------------------------------

// More components than the labels of u16 count: the second and the fifth frame are refused.
static void test_refused(lg_context *context, int depth)
{
    lg_image_params shape = {.width = 560, .height = 560, .layers = 1, .channels = 1};
    stage t = open_stage(context, "label", shape, depth, false);
    int pulled = 0;
    lg_stream_frame frame;
    for (int i = 1; i < 5; i += 3)
        for (int y = 0; y < 560; y += 2) {
            uint8_t *row = (uint8_t *)t.s.in[i]->data + (size_t)y * t.s.in[i]->shape.row_stride;
            memset(row, 0, 560);
            memset(row + t.s.in[i]->shape.row_stride, 0, 560);
            for (int x = 0; x < 560; x += 2)
                row[x] = 255;
        }
    CHECK(!lg_image_changed(t.s.in[1], &error) && !lg_image_changed(t.s.in[4], &error), "%s",
          error.message);
    for (int i = 0; i < 6; i++) {
        CHECK(!lg_stream_push(t.stream, &t.s.in[i], i, NULL, NULL, &error), "%s", error.message);
        for (bool more = true; more;) {
            const lg_status status = lg_stream_pull(t.stream, &t.out, &frame, i == 5, &error);
            more = frame.index >= 0;
            if (!more)
                continue;
            const bool refused = frame.index == 1 || frame.index == 4;
            CHECK(status == (refused ? LG_ERROR_LIMIT : LG_OK) && frame.index == pulled,
                  "frame %d, status %d: %s", (int)frame.index, (int)status, error.message);
            CHECK(refused || samples_equal(t.out, t.s.out[frame.index]), "frame %d is another one",
                  (int)frame.index);
            CHECK(!refused || (strstr(error.message, "components") && frame.figure_count == 0),
                  "%s", error.message);
            pulled++;
        }
    }
    CHECK(pulled == 6, "%d frames", pulled);
    close_stage(&t);
}

static void test_wrong(lg_context *context, int depth)
{
    lg_stream_frame frame;
    stage t = open_stage(context, "gaussian_blur:sigma=2", small, depth, false);
    lg_image_params other = small;
    other.width++;
    lg_image *wrong = image_zeros(context, other);
    CHECK(!lg_stream_push(t.stream, &t.s.in[0], 100, NULL, NULL, &error), "%s", error.message);
    lg_status status = lg_stream_push(t.stream, &wrong, 1, count_done, NULL, &error);
    CHECK(status == LG_ERROR_ARGUMENT && strstr(error.message, "input 0 is 41 x 30"), "%s",
          error.message);
    lg_image *none = NULL;
    status = lg_stream_push(t.stream, &none, 1, NULL, NULL, &error);
    CHECK(status == LG_ERROR_ARGUMENT && strstr(error.message, "missing"), "%s", error.message);
    CHECK(!lg_stream_push(t.stream, &t.s.in[1], 101, NULL, NULL, &error), "%s", error.message);
    CHECK(!lg_stream_flush(t.stream, &error), "%s", error.message);
    status = lg_stream_pull(t.stream, &wrong, &frame, true, &error);
    CHECK(status == LG_ERROR_ARGUMENT && frame.index == -1, "status %d, frame %d", (int)status,
          (int)frame.index);
    lg_image *const nothing[] = {NULL};
    CHECK(!lg_stream_pull(t.stream, nothing, &frame, true, &error) && frame.index == 0, "%s",
          error.message);
    CHECK(pull_some(t.stream, &t.s, t.out, true, "wrong") == 1, "a frame is missing");
    CHECK(!lg_stream_push(t.stream, &t.s.in[2], 102, NULL, NULL, &error) &&
              !lg_stream_pull(t.stream, NULL, &frame, true, &error) && frame.index == 2,
          "%s", error.message);
    lg_image_destroy(&wrong);
    close_stage(&t);
}

static void test_arguments(lg_context *context)
{
    lg_stream *stream = NULL;
    lg_stream_frame frame;
    sequence s = run_sequence(context, "median", NULL, small);
    lg_plan *plan = make_plan(context, &s, 1);
    for (int depth = -1; depth <= 9; depth += 5) {
        const lg_status status =
            lg_stream_create(plan, WITH_REF(lg_stream_params, it.depth = depth), &stream, &error);
        CHECK((depth == 4) == !status && (status != LG_OK) == !stream, "depth %d: %d", depth,
              (int)status);
        lg_stream_destroy(&stream);
    }
    const lg_stream_params empty = {.depth = 3};
    CHECK(lg_stream_create(plan, &empty, &stream, &error) == LG_ERROR_ARGUMENT &&
              strstr(error.message, "lg_stream_params.size is 0"),
          "%s", error.message);
    CHECK(lg_stream_create(NULL, NULL, &stream, &error) == LG_ERROR_ARGUMENT &&
              lg_stream_create(plan, NULL, NULL, &error) == LG_ERROR_ARGUMENT &&
              lg_stream_push(NULL, s.in, 0, NULL, NULL, &error) == LG_ERROR_ARGUMENT &&
              lg_stream_pull(NULL, NULL, &frame, true, &error) == LG_ERROR_ARGUMENT &&
              lg_stream_flush(NULL, &error) == LG_ERROR_ARGUMENT,
          "NULL was taken");
    CHECK(!lg_stream_create(plan, NULL, &stream, &error), "%s", error.message);
    CHECK(lg_stream_push(stream, NULL, 0, NULL, NULL, &error) == LG_ERROR_ARGUMENT &&
              lg_stream_pull(stream, NULL, NULL, true, &error) == LG_ERROR_ARGUMENT,
          "NULL was taken");
    // Pixels that somebody may still read are no place for others.
    CHECK(!lg_stream_push(stream, &s.in[0], 0, NULL, NULL, &error) &&
              !lg_stream_push(stream, &s.in[1], 0, NULL, NULL, &error),
          "%s", error.message);
    lg_status status = lg_stream_pull(stream, &s.in[1], &frame, true, &error);
    CHECK(!status || (status == LG_ERROR_ARGUMENT && strstr(error.message, "overlaps input 0")),
          "%s", error.message);
    lg_stream_destroy(&stream);
    lg_stream_destroy(&stream);
    lg_stream_destroy(NULL);
    lg_plan_destroy(&plan);
    close_sequence(&s);
}

// ---- ends -----------------------------------------------------------------------------------------

static void test_destroy(lg_context *context, int depth)
{
    stage t =
        open_stage(context, "low_pass:strength=0.7 | gaussian_blur:sigma=2", small, depth, false);
    returned = 0;
    for (int i = 0; i < depth; i++)
        CHECK(!lg_stream_push(t.stream, &t.s.in[i], i, count_done, NULL, &error), "%s",
              error.message);
    lg_stream_destroy(&t.stream);
    CHECK(returned == depth, "%d of %d frames were given back", (int)returned, depth);
    close_stage(&t);
}

// Runs go on where a stream ended, and streams where runs did.
static void test_between(lg_context *context, int depth)
{
    stage t = open_stage(context, "low_pass:strength=0.7", small, depth, false);
    lg_stream_destroy(&t.stream);
    CHECK(!lg_plan_run(t.plan, &t.s.in[0], &t.out, &error), "%s", error.message);
    CHECK(samples_equal(t.out, t.s.out[0]), "run 0");
    for (int i = 1; i < 5; i += 2) {
        lg_stream_frame frame;
        CHECK(!lg_stream_create(t.plan, WITH_REF(lg_stream_params, it.depth = depth), &t.stream,
                                &error) &&
                  !lg_stream_push(t.stream, &t.s.in[i], i, NULL, NULL, &error) &&
                  !lg_stream_pull(t.stream, &t.out, &frame, true, &error),
              "%s", error.message);
        CHECK(samples_equal(t.out, t.s.out[i]), "frame %d of a stream", i);
        CHECK(!lg_plan_run(t.plan, &t.s.in[i + 1], &t.out, &error), "%s", error.message);
        CHECK(samples_equal(t.out, t.s.out[i + 1]), "run %d", i + 1);
        lg_stream_destroy(&t.stream);
    }
    close_stage(&t);
}

static bool ended;

static bool refuse(void *priv, double part)
{
    (void)priv;
    (void)part;
    return !ended;
}

// The caller ends what is on its way; later frames are computed as ever.
static void test_cancel(lg_device_kind device, int depth)
{
    lg_context *context = NULL;
    lg_image_params shape = {.width = 900, .height = 700, .layers = 1, .channels = 1};
    if (lg_context_create(WITH_REF(lg_context_params, it.device = device, it.progress = refuse,
                                   it.use_cache = false),
                          &context, &error)) {
        check_skip(error.message);
        return;
    }
    ended = false;
    stage t = open_stage(context, "kuwahara:radius=3", shape, depth, false);
    lg_stream_frame frame;
    int64_t index = -1;
    ended = true;
    for (int i = 0; i < LG_MIN(depth + 1, 3); i++) {
        const lg_status status = lg_stream_push(t.stream, &t.s.in[i], i, NULL, NULL, &error);
        CHECK(!status || status == LG_ERROR_CANCELLED, "%s", error.message);
    }
    for (bool more = true; more;) { // ended, or computed before anybody asked
        const lg_status status = lg_stream_pull(t.stream, &t.out, &frame, true, &error);
        more = frame.index >= 0;
        CHECK(!status || status == LG_ERROR_CANCELLED, "%s", error.message);
        CHECK(!more || frame.index == index + 1, "frame %d behind %d", (int)frame.index,
              (int)index);
        index += more;
    }
    ended = false;
    CHECK(!lg_stream_push(t.stream, &t.s.in[3], 3, NULL, NULL, &error) &&
              !lg_stream_pull(t.stream, &t.out, &frame, true, &error),
          "%s", error.message);
    CHECK(samples_equal(t.out, t.s.out[3]), "a frame behind those that were ended is another one");
    close_stage(&t);
    lg_context_destroy(&context);
}

static void test_fork(lg_context *context)
{
    stage t = open_stage(context, "median", small, 3, false);
    CHECK(!lg_stream_push(t.stream, &t.s.in[0], 100, NULL, NULL, &error), "%s", error.message);
    const pid_t child = fork();
    if (child == 0) {
        lg_stream_frame frame;
        const bool right =
            lg_stream_push(t.stream, &t.s.in[1], 1, NULL, NULL, &error) == LG_ERROR_DEVICE &&
            lg_stream_pull(t.stream, &t.out, &frame, true, &error) == LG_ERROR_DEVICE &&
            frame.index == -1 && lg_stream_flush(t.stream, &error) == LG_ERROR_DEVICE;
        lg_stream_destroy(&t.stream);
        _exit(right ? 0 : 1);
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0, "status %d", status);
    CHECK(pull_some(t.stream, &t.s, t.out, true, "parent") == 1, "a frame is missing");
    close_stage(&t);
}

// A scan that gave up: nobody knows what any frame on its way has computed.
static void test_again(void)
{
    lg_context *context = NULL;
    if (!test_wants_vulkan() ||
        lg_context_create(
            WITH_REF(lg_context_params, it.device = LG_DEVICE_VULKAN, it.use_cache = false),
            &context, &error)) {
        check_skip("frames that are computed again, on Vulkan");
        return;
    }
    uint64_t flag;
    lg_stream_frame frame;
    stage t = open_stage(context, "gaussian_blur:sigma=2", small, 3, false);
    NEED(!lg_lookback_flag(context, &flag, &error), "%s", error.message);
    context->workspace->giving_up = 1;
    for (int i = 0; i < 3; i++)
        CHECK(!lg_stream_push(t.stream, &t.s.in[i], 100 + i, NULL, NULL, &error), "%s",
              error.message);
    CHECK(pull_some(t.stream, &t.s, t.out, true, "again") == 3, "frames are missing");
    CHECK(context->workspace->multi_pass && !context->workspace->giving_up, "nobody noticed");
    close_stage(&t);
    // What is carried from frame to frame begins anew behind the one that failed.
    t = open_stage(context, "low_pass:strength=0.7", small, 2, false);
    CHECK(!lg_stream_push(t.stream, &t.s.in[0], 0, NULL, NULL, &error) &&
              !lg_stream_pull(t.stream, &t.out, &frame, true, &error),
          "%s", error.message);
    context->workspace->giving_up = 1;
    CHECK(!lg_stream_push(t.stream, &t.s.in[3], 0, NULL, NULL, &error), "%s", error.message);
    const lg_status status = lg_stream_pull(t.stream, &t.out, &frame, true, &error);
    CHECK(status == LG_ERROR_DEVICE && frame.index == 1 && strstr(error.message, "in vain"),
          "status %d: %s", (int)status, error.message);
    for (int i = 0; i < 4; i++)
        CHECK(!lg_stream_push(t.stream, &t.s.in[i], i, NULL, NULL, &error) &&
                  !lg_stream_pull(t.stream, &t.out, &frame, true, &error) &&
                  samples_equal(t.out, t.s.out[i]),
              "frame %d: %s", i, error.message);
    close_stage(&t);
    lg_context_destroy(&context);
}

// Copies on timelines of their own, on a device with one queue.
static void test_several(void)
{
    static const int some[] = {0, 1, 3, 5};
    const char *kept = getenv("LUMAGRAPH_VK_QUEUES");
    if (kept)
        return;
    setenv("LUMAGRAPH_VK_QUEUES", "several", 1);
    lg_context *context = device_open(NULL, NULL), *cpu = device_open_cpu();
    unsetenv("LUMAGRAPH_VK_QUEUES");
    for (size_t i = 0; context && i < LG_COUNT(some); i++) {
        const int channels = cases[some[i]].channels;
        const lg_image_params shape =
            SHAPE(cases[some[i]].width, cases[some[i]].height, 1, channels, cases[some[i]].type,
                  channels == 4 ? LG_ALPHA_OPAQUE : 0);
        sequence s = run_sequence(cpu, cases[some[i]].text, cases[some[i]].figure, shape);
        test_depth(context, &s, 3, "several queues");
        test_depth(context, &s, 8, "several queues");
        close_sequence(&s);
    }
    if (context) {
        CHECK(lg_vk_runs_beside(context->vk, LG_VK_UPLOADS) &&
                  lg_vk_runs_beside(context->vk, LG_VK_DOWNLOADS),
              "there is one timeline");
        test_turns(context);
        test_live(context, 3);
        test_inputs(context, 3);
        test_refused(context, 3);
    }
    device_close(&context);
    lg_context_destroy(&cpu);
}

static void test_context(lg_context *context)
{
    static const int depths[] = {1, 2, 3, 8};
    for (size_t d = 0; d < LG_COUNT(depths); d++) {
        if (depths[d] < 8)
            test_full(context, depths[d]);
        test_live(context, depths[d]);
        test_wrong(context, depths[d]);
        test_destroy(context, depths[d]);
        test_between(context, depths[d]);
        test_inputs(context, depths[d]);
        test_refused(context, depths[d]);
    }
    test_arguments(context);
}

int main(void)
{
    lg_context *base = device_open_level(LG_CPU_BASE, 1), *cpu = device_open_threads(2);
    lg_context *vulkan = device_open(NULL, NULL);
    test_bits(base, vulkan);
    test_context(cpu);
    test_fork(cpu);
    test_cancel(LG_DEVICE_CPU, 1);
    test_cancel(LG_DEVICE_CPU, 3);
    if (vulkan) {
        test_turns(vulkan);
        test_context(vulkan);
        test_cancel(LG_DEVICE_VULKAN, 3);
        test_again();
        test_several();
    }
    device_close(&vulkan);
    lg_context_destroy(&cpu);
    lg_context_destroy(&base);
    return check_finish("stream");
}
