// Streams: frames per second at several depths, against the slowest phase alone and against depth 1. The
// caller does what one that reads and writes films does: it fills an input, and reads an output.
#include <lumagraph/stream.h>

#include <stdlib.h>
#include <string.h>

#include "bench.h"

static const char usage[] =
    "usage: lumagraph bench stream [OPTIONS]\n"
    "\n"
    "Times streams of frames. The caller fills every input and reads every output, of the same "
    "kind. "
    "Phases alone:\n"
    "the caller's work, runs of the plan; on Vulkan also what a frame takes on each queue.\n"
    "\n"
    "  --size WxH          default 1920x1080\n"
    "  --input KIND        may be repeated: rgb, rgb16, nv12 (4:2:0 of 8 bits), p010 (of 10); "
    "default\n"
    "                      rgb and nv12\n"
    "  --device NAME       cpu or vulkan, default cpu\n"
    "  --pipeline TEXT     may be repeated: instead of the usual ones\n"
    "  --frames N          of one row, default 60\n"
    "  --rounds N          how often, interleaved, default 3; the fastest counts\n"
    "  --work N            passes of the caller over every input and output, default 1; 0: the "
    "stream alone\n"
    "  --outputs KIND      taken, where the stream has them (the default), or copied to the "
    "caller's\n"
    "  --threads N         default all\n";

typedef struct frame_kind {
    const char *name;
    lg_type type;
    lg_planes planes; // bits 0: none
} frame_kind;

static const frame_kind kinds[] = {
    {"rgb", LG_U8, {.bits = 0}},
    {"rgb16", LG_U16, {.bits = 0}},
    {"nv12", LG_U8, {LG_PLANES_DEFAULTS, .paired = true}},
    {"p010", LG_U16, {.chroma = LG_CHROMA_420, .paired = true, .bits = 10, .shift = 6}},
};

enum { DEPTHS = 4, INPUTS = LG_MAX_DEPTH + 2 };

static const int depths[DEPTHS] = {1, 2, 3, 8};

typedef struct stream_bench {
    int32_t width, height;
    int frames, rounds, work, threads;
    bool vulkan, copied;
    const char *pipelines[32];
    int count;
    const frame_kind *inputs[8];
    int input_count;
} stream_bench;

typedef struct stream_row {
    double caller, runs, depth[DEPTHS]; // seconds of all frames
    double upload, compute, download;   // of the last stream, of all frames
} stream_row;

// A frame, and its planes where it has such.
typedef struct bench_frame {
    lg_image *image, *part[LG_MAX_PLANES];
} bench_frame;

typedef struct stream_case {
    const stream_bench *bench;
    const frame_kind *kind;
    lg_context *context;
    lg_plan *plan;
    bench_frame source, in[INPUTS], out;
    bool held[INPUTS];
    uint64_t seen; // so that reading is not left out
} stream_case;

static size_t bytes_of(const lg_image *image)
{
    return (size_t)image->shape.height * image->shape.row_stride;
}

static void close_frame(bench_frame *f)
{
    for (int i = 0; i < LG_MAX_PLANES; i++)
        lg_image_destroy(&f->part[i]);
    lg_image_destroy(&f->image);
}

static lg_status open_frame(const stream_case *c, const lg_image_params *shape, bench_frame *f,
                            lg_error *error)
{
    lg_status status = lg_image_create(c->context, shape, &f->image, error);
    const int planes = !shape->planes ? 0 : shape->planes->paired ? 2 : 3;
    for (int i = 0; i < planes && !status; i++)
        status = lg_image_plane(f->image, i, &f->part[i], error);
    return status;
}

// Part i of a frame; NULL: it has no more.
static const lg_image *part_of(const bench_frame *f, int i)
{
    return i >= LG_MAX_PLANES ? NULL : f->part[0] ? f->part[i] : i ? NULL : f->image;
}

static void fill(const stream_case *c, const bench_frame *f)
{
    for (int i = 0; i < c->bench->work; i++)
        for (int k = 0; part_of(f, k); k++)
            memcpy(part_of(f, k)->data, part_of(&c->source, k)->data, bytes_of(part_of(f, k)));
}

static void look(stream_case *c, const bench_frame *out)
{
    for (int i = 0; i < c->bench->work; i++)
        for (int part = 0; part_of(out, part); part++) {
            const lg_image *image = part_of(out, part);
            const uint64_t *words = image->data;
            for (size_t k = 0; k < bytes_of(image) / sizeof *words; k++)
                c->seen += words[k];
        }
}

// Reads a frame where the stream has it.
static lg_status look_there(stream_case *c, lg_image *image, lg_error *error)
{
    bench_frame there = {.image = image};
    lg_status status = LG_OK;
    for (int i = 0; c->out.part[i] && !status; i++)
        status = lg_image_plane(image, i, &there.part[i], error);
    if (!status)
        look(c, &there);
    there.image = NULL;
    close_frame(&there);
    return status;
}

static lg_status pull(stream_case *c, lg_stream *stream, bool wait, stream_row *row,
                      lg_error *error)
{
    lg_stream_frame frame;
    lg_image *const *there = NULL;
    for (;;) {
        lg_status status = c->bench->copied
                               ? lg_stream_pull(stream, &c->out.image, &frame, wait, error)
                               : lg_stream_take(stream, &there, &frame, wait, error);
        if (status || frame.index < 0)
            return status;
        if (there)
            status = look_there(c, there[0], error);
        else
            look(c, &c->out);
        if (status)
            return status;
        row->upload += LG_MAX(frame.engine.upload, 0.0);
        row->compute += LG_MAX(frame.engine.compute, 0.0);
        row->download += LG_MAX(frame.engine.download, 0.0);
    }
}

static void give_back(void *held)
{
    *(bool *)held = false;
}

static lg_status time_stream(stream_case *c, int depth, stream_row *row, double *seconds,
                             lg_error *error)
{
    lg_stream *stream = NULL;
    lg_stream_params params = lg_stream_params_default();
    params.depth = depth;
    row->upload = row->compute = row->download = 0;
    lg_status status = lg_stream_create(c->plan, &params, &stream, error);
    const double start = lg_time_seconds();
    for (int i = 0; i < c->bench->frames && !status; i++) {
        int at = 0;
        while (c->held[at])
            at++;
        fill(c, &c->in[at]);
        c->held[at] = true;
        status = lg_stream_push(stream, &c->in[at].image, i, give_back, &c->held[at], error);
        if (!status)
            status = pull(c, stream, false, row, error);
    }
    if (!status)
        status = pull(c, stream, true, row, error);
    const double took = lg_time_seconds() - start;
    lg_stream_destroy(&stream);
    *seconds = *seconds > 0 ? LG_MIN(*seconds, took) : took;
    return status;
}

static lg_status time_round(stream_case *c, stream_row *row, lg_error *error)
{
    double start = lg_time_seconds(), took;
    lg_status status = LG_OK;
    for (int i = 0; i < c->bench->frames; i++) {
        fill(c, &c->in[i % INPUTS]);
        look(c, &c->in[(i + INPUTS / 2) % INPUTS]); // as a frame that comes is in no cache
    }
    took = lg_time_seconds() - start;
    row->caller = row->caller > 0 ? LG_MIN(row->caller, took) : took;
    start = lg_time_seconds();
    for (int i = 0; i < c->bench->frames && !status; i++)
        status = lg_plan_run(c->plan, &c->in[i % INPUTS].image, &c->out.image, error);
    took = lg_time_seconds() - start;
    row->runs = row->runs > 0 ? LG_MIN(row->runs, took) : took;
    for (int d = 0; d < DEPTHS && !status; d++)
        status = time_stream(c, depths[d], row, &row->depth[d], error);
    return status;
}

static lg_status make_plan(stream_case *c, const lg_image_params *shape, const char *pipeline,
                           lg_error *error)
{
    lg_graph *graph = NULL;
    lg_status status = bench_graph(pipeline, &graph, error);
    if (!status)
        status = lg_plan_create_planes(c->context, graph, shape, 1, NULL,
                                       shape->planes ? &shape->planes : NULL, &c->plan, error);
    lg_graph_destroy(&graph);
    return status;
}

static lg_status open_case(stream_case *c, const char *pipeline, lg_error *error)
{
    const lg_image_params shape = {.width = c->bench->width,
                                   .height = c->bench->height,
                                   .layers = 1,
                                   .channels = 4,
                                   .type = c->kind->type,
                                   .alpha = LG_ALPHA_OPAQUE,
                                   .planes = c->kind->planes.bits ? &c->kind->planes : NULL};
    lg_image_params made;
    lg_status status = open_frame(c, &shape, &c->source, error);
    for (int k = 0; !status && part_of(&c->source, k); k++) {
        const lg_image *part = part_of(&c->source, k);
        for (size_t i = 0; i < bytes_of(part); i++)
            ((uint8_t *)part->data)[i] = (uint8_t)(i * 7 + (i >> 9) * 13);
    }
    for (int i = 0; i < INPUTS && !status; i++)
        status = open_frame(c, &shape, &c->in[i], error);
    if (!status)
        status = make_plan(c, &shape, pipeline, error);
    if (!status)
        status = lg_plan_output(c->plan, 0, &made, error);
    return status ? status : open_frame(c, &made, &c->out, error);
}

static void close_case(stream_case *c)
{
    lg_plan_destroy(&c->plan);
    close_frame(&c->out);
    close_frame(&c->source);
    for (int i = 0; i < INPUTS; i++)
        close_frame(&c->in[i]);
}

static void print_row(const stream_case *c, const char *pipeline, const stream_row *row)
{
    const stream_bench *b = c->bench;
    const double n = b->frames;
    size_t bytes = 0;
    for (int i = 0; part_of(&c->source, i); i++)
        bytes += bytes_of(part_of(&c->source, i));
    double slowest = LG_MAX(row->caller, row->runs);
    printf("%-5s %-36s %.1f MB a frame, caller %8.1f/s, runs %8.1f/s", c->kind->name, pipeline,
           (double)bytes / 1e6, n / row->caller, n / row->runs);
    if (b->vulkan) {
        // What runs at the same time: not the runs with their waits, but the slowest of their phases.
        slowest = LG_MAX(LG_MAX(row->caller, row->upload), LG_MAX(row->compute, row->download));
        printf(", upload %8.1f/s, compute %8.1f/s, download %8.1f/s", n / row->upload,
               n / row->compute, n / row->download);
    }
    putchar('\n');
    for (int d = 0; d < DEPTHS; d++)
        printf("    depth %d %8.1f/s  %5.2f of the slowest phase  %5.2f x depth 1\n", depths[d],
               n / row->depth[d], slowest / row->depth[d], row->depth[0] / row->depth[d]);
    fflush(stdout);
}

static bool take(void *to, const char *name, const char *value)
{
    stream_bench *b = to;
    char rest;
    if (strcmp(name, "--size") == 0)
        return sscanf(value, "%dx%d%c", &b->width, &b->height, &rest) == 2 && b->width > 0 &&
               b->height > 0 && b->width <= 32768 && b->height <= 32768;
    if (strcmp(name, "--device") == 0) {
        b->vulkan = strcmp(value, "vulkan") == 0;
        return b->vulkan || strcmp(value, "cpu") == 0;
    }
    if (strcmp(name, "--input") == 0) {
        for (size_t i = 0; i < LG_COUNT(kinds); i++)
            if (strcmp(value, kinds[i].name) == 0 && b->input_count < (int)LG_COUNT(b->inputs)) {
                b->inputs[b->input_count++] = &kinds[i];
                return true;
            }
        return false;
    }
    if (strcmp(name, "--outputs") == 0) {
        b->copied = strcmp(value, "copied") == 0;
        return b->copied || strcmp(value, "taken") == 0;
    }
    int *const number = strcmp(name, "--frames") == 0    ? &b->frames
                        : strcmp(name, "--rounds") == 0  ? &b->rounds
                        : strcmp(name, "--work") == 0    ? &b->work
                        : strcmp(name, "--threads") == 0 ? &b->threads
                                                         : NULL;
    if (number)
        return sscanf(value, "%d%c", number, &rest) == 1 && *number >= (number != &b->work);
    if (strcmp(name, "--pipeline") != 0 || b->count == (int)LG_COUNT(b->pipelines))
        return false;
    b->pipelines[b->count++] = value;
    return true;
}

int bench_stream_main(int argc, char **argv)
{
    static const char *const usual[] = {"brightness:brightness=0.1", "gaussian_blur:sigma=2",
                                        "gaussian_blur:sigma=2 | levels:max=0.9 | sharpen",
                                        "gaussian_blur | levels:min=@p1:max=@p99"};
    stream_bench b = {
        .width = 1920, .height = 1080, .frames = 60, .rounds = 3, .work = 1, .threads = -1};
    const bench_own_options own = {usage, {{NULL, NULL}}, take, &b};
    int wrong = 0;
    if (!bench_parse_own(argc, argv, &own, &wrong))
        return wrong;
    const bool given = b.count > 0;
    for (size_t i = 0; i < LG_COUNT(usual) && !given; i++)
        b.pipelines[b.count++] = usual[i];
    if (b.input_count == 0) {
        b.inputs[b.input_count++] = &kinds[0];
        b.inputs[b.input_count++] = &kinds[2];
    }
    lg_error error = {0};
    lg_context_params params = lg_context_params_default();
    params.device = b.vulkan ? LG_DEVICE_VULKAN : LG_DEVICE_CPU;
    params.threads = b.threads;
    lg_context *context = NULL;
    if (lg_context_create(&params, &context, &error)) {
        fprintf(stderr, "lumagraph bench stream: %s\n", error.message);
        return 4;
    }
    for (int i = 0; i < b.count * b.input_count; i++) {
        const char *pipeline = b.pipelines[i / b.input_count];
        stream_case c = {.bench = &b, .context = context, .kind = b.inputs[i % b.input_count]};
        stream_row row = {0};
        lg_status status = open_case(&c, pipeline, &error);
        for (int round = 0; round < b.rounds && !status; round++)
            status = time_round(&c, &row, &error);
        if (status)
            printf("%-5s %-36s %s\n", c.kind->name, pipeline, error.message);
        else
            print_row(&c, pipeline, &row);
        close_case(&c);
    }
    lg_context_destroy(&context);
    return 0;
}
