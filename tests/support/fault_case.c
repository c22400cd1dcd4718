#include "fault_case.h"

#include "check.h"
#include "content.h"
#include "device.h"
#include "faults.h"

#include <stdio.h>
#include <string.h>

#ifdef LG_HAVE_VULKAN
#include "vulkan/vk_private.h"
#endif

#define UNTOUCHED ((void *)(uintptr_t)0x5a5a5a)

static lg_image *picture(lg_context *context, int channels, lg_type type, bool binary)
{
    const lg_image_params shape = {.width = 21,
                                   .height = 13,
                                   .layers = 1,
                                   .channels = channels,
                                   .type = type,
                                   .alpha = channels == 4 ? LG_ALPHA_OPAQUE : LG_ALPHA_NONE};
    lg_image *image = NULL;
    lg_error error = {LG_OK, ""};
    CHECK(!lg_image_create(context, &shape, &image, &error), "%s", error.message);
    for (int y = 0; image && y < shape.height; y++)
        for (int x = 0; x < shape.width * channels; x++) {
            uint8_t *row = (uint8_t *)image->data + (size_t)y * image->shape.row_stride;
            const int v = (x * 29 + y * 53) % 256;
            if (type == LG_F32)
                memcpy(row + 4 * (size_t)x, &(float){(float)v / 255}, 4);
            else
                row[x] = (uint8_t)(binary ? v % 3 ? 0 : 255 : v);
        }
    return image;
}

static void make_objects(fault_world *w)
{
    lg_error e = {LG_OK, ""};
    lg_area_array array;
    const lg_areasum_params sums = WITH(lg_areasum_params, it.squares = true);
    const lg_areasum_params ripmap = WITH(lg_areasum_params, it.kind = LG_AREASUM_RIPMAP,
                                          it.extremes = true, it.bins = 4, it.high = 255);
    const lg_label_params label = WITH(lg_label_params, it.moments = true, it.shape = true);
    CHECK(!lg_label_image(w->context, w->mask, &label, w->grey, &w->labels, &w->components, &e) &&
              !lg_labels_download(w->context, w->labels, &e) &&
              !lg_area_array_of_image(w->grey, &array, &e) &&
              !lg_areasum_create(w->context, &array, &sums, &w->table, &e) &&
              !lg_areasum_create(w->context, &array, &ripmap, &w->ripmap, &e) &&
              !lg_measure_histogram(w->context, w->grey, NULL, &w->histogram, &e) &&
              !lg_moments_accumulator_create(LG_U8, 1, 21, 13, 1, &w->accumulator, &e) &&
              !lg_graph_create(&w->graph, &e) && !lg_graph_input(w->graph, "in", &w->node, &e),
          "%s", e.message);
}

bool fault_world_open(fault_world *w, lg_context *context, const fault_case *c)
{
    *w = (fault_world){.context = context, .text = c->text};
    w->grey = picture(context, 1, LG_U8, false);
    w->mask = picture(context, 1, LG_U8, true);
    w->real = picture(context, 1, LG_F32, false);
    w->color = picture(context, 4, LG_U8, false);
    w->written = picture(context, 1, LG_U8, false);
    if (!w->grey || !w->mask || !w->real || !w->color || !w->written)
        return false;
    make_objects(w);
    if (c->prepare)
        c->prepare(w);
    memset(w->bytes, 0xa5, sizeof w->bytes);
    w->made = w->more = UNTOUCHED;
    return true;
}

void fault_world_close(fault_world *w)
{
    lg_image_destroy(&w->grey);
    lg_image_destroy(&w->mask);
    lg_image_destroy(&w->real);
    lg_image_destroy(&w->color);
    lg_image_destroy(&w->written);
    lg_labels_destroy(&w->labels);
    lg_components_destroy(&w->components);
    lg_areasum_destroy(&w->table);
    lg_areasum_destroy(&w->ripmap);
    lg_histogram_destroy(&w->histogram);
    lg_moments_accumulator_destroy(&w->accumulator);
    lg_plan_destroy(&w->plan);
    lg_graph_destroy(&w->graph);
}

// ---- what was made -------------------------------------------------------------------------------

uint64_t fault_hash_image(const lg_image *image)
{
    const lg_image_params *s = &image->shape;
    const size_t row = (size_t)s->width * lg_pixel_size(s);
    uint64_t hash = lg_hash(&s->channels, sizeof s->channels, (uint64_t)s->type);
    for (int y = 0; y < s->height * s->layers; y++)
        hash = lg_hash((const uint8_t *)image->data + (size_t)(y / s->height) * s->layer_stride +
                           (size_t)(y % s->height) * s->row_stride,
                       row, hash);
    return hash;
}

uint64_t fault_hash_labels(lg_context *context, lg_labels *labels)
{
    lg_error error = {LG_OK, ""};
    const bool there = !lg_labels_download(context, labels, &error);
    CHECK(there, "%s", error.message);
    uint64_t hash = labels->count;
    for (int y = 0; there && y < labels->height * labels->layers; y++)
        hash = lg_hash((const uint8_t *)labels->data +
                           (size_t)(y / labels->height) * labels->layer_stride +
                           (size_t)(y % labels->height) * labels->row_stride,
                       (size_t)labels->width * sizeof(uint32_t), hash);
    return hash;
}

uint64_t fault_hash_components(const lg_components *components)
{
    double values[21 * 13];
    const uint32_t count = lg_components_count(components);
    lg_error error = {LG_OK, ""};
    uint64_t hash = count;
    for (int c = 0; c < LG_COLUMNS; c++)
        if (!lg_components_column(components, (lg_column)c, values, &error))
            hash = lg_hash(values, count * sizeof *values, hash);
    return hash;
}

// ---- one attempt ---------------------------------------------------------------------------------

// What is looked at is fetched without failures.
static void stop_failing(fault_world *w)
{
    faults_disarm();
    w->allocations = faults_calls(FAULTS_MEMORY);
#ifdef LG_HAVE_VULKAN
    if (w->context->vk)
        w->context->vk->probe = NULL;
#endif
}

static bool untouched(const fault_world *w, const lg_image *before)
{
    for (size_t i = 0; i < sizeof w->bytes; i++)
        if (w->bytes[i] != 0xa5)
            return false;
    return w->made == UNTOUCHED && w->more == UNTOUCHED &&
           memcmp(before->data, w->written->data, before->shape.layer_stride) == 0;
}

static void check_made(fault_world *w, const fault_case *c, const fault_world *golden,
                       const char *what, int64_t at)
{
    CHECK(!golden || memcmp(w->bytes, golden->bytes, sizeof w->bytes) == 0,
          "%s: %s %d: other figures", c->name, what, (int)at);
    w->seen = c->look ? c->look(w) : 0;
    CHECK(!golden || w->seen == golden->seen, "%s: %s %d: something else was made", c->name, what,
          (int)at);
    if (c->drop)
        c->drop(w);
}

// A call that failed works on the same objects as soon as nothing fails any more.
static void check_again(fault_world *w, const fault_case *c, const fault_world *golden,
                        const char *what, int64_t at)
{
    lg_error error = {LG_OK, ""};
    const lg_status status = c->call(w, &error);
    CHECK(!status, "%s: %s %d, again: %s", c->name, what, (int)at, error.message);
    if (!status)
        check_made(w, c, golden, "again, after", at);
}

// One call with the failure that was armed. `golden`: what a whole call writes to bytes.
static lg_status attempt(fault_world *w, const fault_case *c, const fault_world *golden,
                         const char *what, int64_t at)
{
    lg_image *before = picture(w->context, 1, LG_U8, false);
    lg_error error = {LG_OK, ""};
    faults_arm(FAULTS_MEMORY, strcmp(what, "allocation") == 0 ? at : -1);
    const lg_status status = c->call(w, &error);
    stop_failing(w);
    if (status) {
        CHECK(error.message[0] && error.status == status, "%s: %s %d: status %d, '%s'", c->name,
              what, (int)at, (int)status, error.message);
        CHECK(w->made == UNTOUCHED && w->more == UNTOUCHED && (c->writes || untouched(w, before)),
              "%s: %s %d: outputs were touched", c->name, what, (int)at);
        if (golden && c->after)
            c->after(w);
        if (golden)
            check_again(w, c, golden, what, at);
    } else {
        check_made(w, c, golden, what, at);
    }
    w->made = w->more = NULL;
    lg_image_destroy(&before);
    return status;
}

// One attempt in a context of its own; returns how many allocations the call made.
static int64_t cpu_attempt(const fault_case *c, const fault_world *golden, fault_world *out,
                           int64_t at)
{
    const int64_t live = faults_live();
    lg_context *context = device_open_threads(2);
    fault_world w;
    int64_t calls = 0;
    if (context && fault_world_open(&w, context, c)) {
        const lg_status status = attempt(&w, c, golden, "allocation", at);
        calls = w.allocations;
        CHECK(status == LG_OK || (at >= 0 && status == LG_ERROR_MEMORY),
              "%s: allocation %d: status %d", c->name, (int)at, (int)status);
        fault_world_close(&w);
        *out = w;
    }
    lg_context_destroy(&context);
    CHECK(faults_live() == live, "%s: allocation %d: %d blocks leak", c->name, (int)at,
          (int)(faults_live() - live));
    return calls;
}

void fault_case_on_cpu(const fault_case *c)
{
    fault_world golden, after;
    const int64_t calls = cpu_attempt(c, NULL, &golden, -1);
    for (int64_t at = 0; at < calls; at++)
        cpu_attempt(c, &golden, &after, at);
}

#ifdef LG_HAVE_VULKAN

// That the CPU takes over is what an injected failure leads to: no skipped test, no trouble either.
static void listen_to_fallbacks(void *priv, lg_log_level level, const char *message)
{
    const fault_case *c = priv;
    CHECK(level != LG_LOG_ERROR, "%s: logged error: %s", c->name, message);
}

// Blocks of what the device may still use because a wait failed: the context frees them at its end.
static int64_t kept_blocks(const lg_vk *vk)
{
    int64_t blocks = 0;
    for (const lg_vk_buffer *b = vk->kept_buffers; b; b = b->priv->next)
        blocks += 2; // the buffer and its private part
    for (const lg_vk_commands *c = vk->kept_commands; c; c = c->next)
        blocks++;
    return blocks;
}

// The failure of an allocation or of a call of the driver, in a context that goes on.
static void vulkan_attempt(const fault_case *c, lg_context *context, const fault_world *golden,
                           fault_world *out, lg_vk_probe *probe, int64_t allocation)
{
    fault_world w;
    if (!fault_world_open(&w, context, c))
        return;
    const lg_logger log = context->log;
    if (probe ? probe->fail_at >= 0 : allocation >= 0)
        context->log = (lg_logger){listen_to_fallbacks, (void *)(uintptr_t)c};
    context->vk->probe = probe;
    const lg_status status =
        attempt(&w, c, golden, probe ? "call" : "allocation", probe ? probe->fail_at : allocation);
    context->vk->probe = NULL;
    context->log = log;
    CHECK(!status || status == LG_ERROR_MEMORY || status == LG_ERROR_DEVICE, "%s: %s %d: status %d",
          c->name, probe && probe->failed ? probe->failed : "allocation",
          (int)(probe ? probe->fail_at : allocation), (int)status);
    fault_world_close(&w);
    if (out)
        *out = w;
}

void fault_case_on_vulkan(const fault_case *c, lg_context *context)
{
    fault_world golden;
    lg_vk_probe count = {.fail_at = -1};
    vulkan_attempt(c, context, NULL, &golden, NULL, -1); // warms the caches
    const int64_t live = faults_live() - kept_blocks(context->vk);
    vulkan_attempt(c, context, NULL, &golden, &count, -1);
    // All of them in the full form: each attempt runs the whole case, which software takes long for.
    const int step = test_extent(11, 3, 1);
    for (int64_t at = 0; at < golden.allocations; at += step)
        vulkan_attempt(c, context, &golden, NULL, NULL, at);
    for (int64_t at = 1; at <= count.calls; at += step) {
        lg_vk_probe probe = {.fail_at = at, .result = VK_ERROR_OUT_OF_DEVICE_MEMORY};
        vulkan_attempt(c, context, &golden, NULL, &probe, -1);
    }
    vulkan_attempt(c, context, &golden, NULL, NULL,
                   -1); // what was dropped on the way is made again
    const int64_t leaked = faults_live() - kept_blocks(context->vk) - live;
    CHECK(leaked == 0, "%s: %d blocks leak", c->name, (int)leaked);
    CHECK(!lg_vk_lost(context->vk), "%s: the device was lost", c->name);
}

#else

void fault_case_on_vulkan(const fault_case *c, lg_context *context)
{
    (void)c;
    (void)context;
}

#endif
