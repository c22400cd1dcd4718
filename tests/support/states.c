#include "states.h"
#include "check.h"

#include "device/dispatch.h"

#include <stdio.h>
#include <stdlib.h>

bool same_state(const lg_moments_state *a, const lg_moments_state *b)
{
    if (a->integer != b->integer)
        return false;
    if (!a->integer)
        return memcmp(&a->floats, &b->floats, sizeof a->floats) == 0;
    const lg_integer_moments *p = &a->integers, *q = &b->integers;
    return p->n == q->n && p->sum == q->sum && p->squares == q->squares && p->min == q->min &&
           p->max == q->max;
}

// Words from the highest, without leading zeros.
static int words_text(char *text, size_t size, const uint64_t *words, int count)
{
    int length = 0;
    for (int i = count - 1; i >= 0; i--) {
        if (length > 0 || words[i] != 0)
            length += snprintf(text + length, size - (size_t)length, "%016llx.",
                               (unsigned long long)words[i]);
    }
    return length;
}

const char *state_text(const lg_moments_state *s, char text[640])
{
    const lg_integer_moments *m = &s->integers;
    const lg_float_sums *f = &s->floats;
    if (s->integer) {
        snprintf(text, 640, "n %llu sum %llu squares %llu min %u max %u", (unsigned long long)m->n,
                 (unsigned long long)m->sum, (unsigned long long)m->squares, m->min, m->max);
        return text;
    }
    int at = snprintf(text, 640, "n %llu nan %llu inf %llu %llu min %a max %a sum ",
                      (unsigned long long)f->n, (unsigned long long)f->nans,
                      (unsigned long long)f->pinfs, (unsigned long long)f->ninfs, (double)f->min,
                      (double)f->max);
    at += words_text(text + at, 640 - (size_t)at, f->sum, LG_SUM_WORDS);
    at += snprintf(text + at, 640 - (size_t)at, " squares ");
    words_text(text + at, 640 - (size_t)at, f->squares, LG_SQUARES_WORDS);
    return text;
}

// ---- the case -----------------------------------------------------------------------------------

typedef struct states {
    size_t count, channels;
    lg_moments_state state[];
} states;

typedef lg_status moments_fn(lg_context *context, const lg_scan *scan, bool stack,
                             lg_moments_state *out, lg_error *error);

static void *measure_states(lg_context *context, const measured *m, lg_error *error)
{
    lg_scan scan;
    if (lg_scan_init(&scan, m->image, &m->select, error))
        return NULL;
    const size_t count = (size_t)(m->stack ? 1 : scan.layers) * (size_t)scan.measured;
    states *out = calloc(1, sizeof *out + count * sizeof *out->state);
    out->count = count;
    out->channels = (size_t)scan.measured;
    moments_fn *const on_device = LG_VULKAN(lg_moments_vulkan);
    const lg_status status = !context ? lg_moments_ref(&scan, m->stack, out->state, error)
                                      : (context->vk ? on_device : lg_moments_cpu)(
                                            context, &scan, m->stack, out->state, error);
    if (!status)
        return out;
    free(out);
    return NULL;
}

static bool same_states(const void *want, const void *got, char text[MEASURE_TEXT])
{
    const states *a = want, *b = got;
    char wanted[640], had[640];
    size_t i = 0;
    while (i < a->count && same_state(&a->state[i], &b->state[i]))
        i++;
    if (i < a->count)
        snprintf(text, MEASURE_TEXT, "figure %zu\n  %s\n  %s", i, state_text(&a->state[i], wanted),
                 state_text(&b->state[i], had));
    return i == a->count;
}

// ---- the oracle of integers ---------------------------------------------------------------------

typedef struct tally {
    const lg_image *image;
    int channel;
    lg_integer_moments of;
} tally;

static void add_pixel(void *arg, int64_t x, int64_t y, int64_t layer)
{
    tally *t = arg;
    const uint32_t v = (uint32_t)sample_stored(t->image, x, y, layer, t->channel);
    t->of.min = LG_MIN(t->of.min, v);
    t->of.max = LG_MAX(t->of.max, v);
    t->of.n++;
    t->of.sum += v;
    t->of.squares += (uint64_t)v * v;
}

static void check_integers(const measured *m, const void *figures)
{
    const states *s = figures;
    for (size_t i = 0; i < s->count && m->image->shape.type <= LG_U16; i++) {
        char got[640], wanted[640];
        tally t = {.image = m->image, .channel = (int)(i % s->channels), .of.min = UINT32_MAX};
        samples_select(m->image, &m->select, m->stack ? -1 : (int64_t)(i / s->channels), add_pixel,
                       &t);
        const lg_moments_state want = {.integer = true, .integers = t.of};
        CHECK(same_state(&s->state[i], &want), "%s, figure %zu\n  %s\n  %s by the oracle", m->title,
              i, state_text(&s->state[i], got), state_text(&want, wanted));
    }
}

const measure_case moments_case = {.name = "moments",
                                   .measure = measure_states,
                                   .same = same_states,
                                   .oracle = check_integers,
                                   .device_share = 12,
                                   .refuses = true};
