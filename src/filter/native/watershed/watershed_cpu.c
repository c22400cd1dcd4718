// The watershed for one CPU level: one thread floods a layer or a volume.
#include "filter/native/watershed/watershed.h"

#include "cpu/cpu.h"
#include "filter/native/watershed/watershed_rule.h"

#include <stdlib.h>
#include <string.h>

#define MOST_NEIGHBORS 26

typedef struct planes {
    float at[4][LG_SPAN] __attribute__((aligned(64)));
} planes;

// Rounds of what is not flooded: it lies before no other, and it waits or nothing has reached it.
#define WAITS   (UINT32_MAX - 1)
#define UNKNOWN UINT32_MAX

// Of the pixel x, y of the job's layer z.
static size_t place_of(const lg_watershed_job *job, int64_t x, int64_t y, int64_t z)
{
    return (size_t)(z + job->edge) * job->sheet + (size_t)(y + 1) * job->stride + (size_t)(x + 1);
}

// ---- before and after ---------------------------------------------------------------------------

static void begin_row(const lg_watershed_job *job, int32_t y, int32_t z)
{
    const lg_pixels in = lg_layer_pixels(job->in, job->z + z);
    const lg_pixels marks =
        lg_layer_pixels(job->over, job->over->shape.layers == 1 ? 0 : job->z + z);
    planes base, over;
    float *const to_base[4] = {base.at[0], base.at[1], base.at[2], base.at[3]};
    float *const to_over[4] = {over.at[0], over.at[1], over.at[2], over.at[3]};
    for (int32_t x = 0; x < in.width; x += LG_SPAN) {
        const int count = LG_MIN(LG_SPAN, in.width - x);
        const size_t at = place_of(job, x, y, z);
        job->stage->load(&in, x, y, count, to_base);
        job->stage->load(&marks, x, y, count, to_over);
        for (int i = 0; i < count; i++) {
            const color b = {base.at[0][i], base.at[1][i], base.at[2][i], base.at[3][i]};
            const color o = {over.at[0][i], over.at[1][i], over.at[2][i], over.at[3][i]};
            const uint32_t level = watershed_level(b, job->falling, job->nonzero);
            job->level[at + (size_t)i] = level;
            job->marker[at + (size_t)i] = watershed_marker(o, level);
        }
    }
}

// Rows of the planes: the first and the last one of a layer are the frame, as are whole layers at the ends of
// a volume.
static void begin(const void *job_, int64_t row, int64_t end, char *scratch)
{
    const lg_watershed_job *job = job_;
    const int64_t rows = (int64_t)job->in->shape.height + 2;
    for (; row < end; row++) {
        const int64_t y = row % rows - 1, z = row / rows - job->edge;
        const size_t at = (size_t)row * job->stride, bytes = job->stride * sizeof(uint32_t);
        memset(job->level + at, 0xff, bytes); // dry
        memset(job->round + at, 0xff, bytes); // unknown
        memset(job->marker + at, 0, bytes);
        memset(job->label + at, 0, bytes);
        if (y >= 0 && y < rows - 2 && z >= 0 && z < job->layers)
            begin_row(job, (int32_t)y, (int32_t)z);
    }
}

static void list_neighbors(const lg_watershed_job *job, ptrdiff_t *to)
{
    const ptrdiff_t row = (ptrdiff_t)job->stride, sheet = (ptrdiff_t)job->sheet;
    const int most = job->neighbors == 4 || job->neighbors == 6 ? 1 : job->neighbors == 26 ? 3 : 2;
    const int deep = job->volume;
    for (int z = -deep; z <= deep; z++)
        for (int y = -1; y <= 1; y++)
            for (int x = -1; x <= 1; x++) {
                const int axes = abs(x) + abs(y) + abs(z); // along which the two differ
                if (axes > 0 && axes <= most)
                    *to++ = z * sheet + y * row + x;
            }
}

static bool is_line(const lg_watershed_job *job, const ptrdiff_t *neighbor, size_t at)
{
    bool line = false;
    for (int k = 0; k < job->neighbors; k++) {
        const size_t other = at + (size_t)neighbor[k];
        line |= watershed_parts(job->label[at], job->label[other], job->marker[other] != 0);
    }
    return line && !job->marker[at];
}

static void finish_row(const lg_watershed_job *job, const ptrdiff_t *neighbor, int32_t y, int32_t z)
{
    const lg_pixels out = lg_layer_pixels(job->out, job->z + z);
    planes p;
    float *const pointers[4] = {p.at[0], p.at[1], p.at[2], p.at[3]};
    for (int32_t x = 0; x < out.width; x += LG_SPAN) {
        const int count = LG_MIN(LG_SPAN, out.width - x);
        for (int i = 0; i < count; i++) {
            const size_t at = place_of(job, x + i, y, z);
            const bool line = job->lines && is_line(job, neighbor, at);
            p.at[0][i] = p.at[1][i] = p.at[2][i] = line ? 0 : watershed_color(job->label[at]);
            p.at[3][i] = 1;
        }
        job->stage->store(&out, x, y, count, pointers);
    }
}

// Rows of all layers, one after the other.
static void finish(const void *job_, int64_t row, int64_t end, char *scratch)
{
    const lg_watershed_job *job = job_;
    const int64_t height = job->out->shape.height;
    ptrdiff_t neighbor[MOST_NEIGHBORS];
    list_neighbors(job, neighbor);
    for (; row < end; row++)
        finish_row(job, neighbor, (int32_t)(row % height), (int32_t)(row / height));
}

// ---- the heap: the least of level and place first -----------------------------------------------

typedef struct water {
    const lg_watershed_job *job;
    ptrdiff_t neighbor[MOST_NEIGHBORS];
    size_t waiting;    // of the heap
    size_t head, tail; // of the queue
    uint32_t level, round;
    unsigned pixels; // that were looked at
} water;

#define LOOKED_AT 8 // pixels, which may be anywhere and have a dozen rows of planes around them

static inline void let_go(water *w)
{
    if (w->job->files && ++w->pixels % LOOKED_AT == 0)
        lg_context_relieve(w->job->files);
}

static void heap_add(water *w, size_t at)
{
    uint64_t *heap = w->job->heap;
    const uint64_t value = (uint64_t)w->job->level[at] << 32 | at;
    size_t i = w->waiting++;
    for (; i && heap[(i - 1) / 2] > value; i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = value;
}

static size_t heap_take(water *w)
{
    uint64_t *heap = w->job->heap;
    const uint64_t least = heap[0], last = heap[--w->waiting];
    size_t i = 0;
    for (size_t child = 1; child < w->waiting; child = 2 * i + 1) {
        child += child + 1 < w->waiting && heap[child + 1] < heap[child];
        if (heap[child] >= last)
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = last;
    return (size_t)(uint32_t)least;
}

// ---- the flood ----------------------------------------------------------------------------------

// The label of the neighbour that was flooded first, of several the least.
static uint32_t label_of(const water *w, size_t at)
{
    const lg_watershed_job *job = w->job;
    uint32_t round = WAITS, label = job->marker[at];
    if (label)
        return label;
    for (int k = 0; k < job->neighbors; k++) {
        const size_t other = at + (size_t)w->neighbor[k];
        if (job->round[other] < round ||
            (job->round[other] == round && job->label[other] < label)) {
            round = job->round[other];
            label = job->label[other];
        }
    }
    return label;
}

// Pixels that nothing has reached yet are in the next round, or wait until the water is as high.
static void reach(water *w, size_t at)
{
    const lg_watershed_job *job = w->job;
    for (int k = 0; k < job->neighbors; k++) {
        const size_t other = at + (size_t)w->neighbor[k];
        if (job->round[other] != UNKNOWN || job->level[other] == LG_WATERSHED_DRY)
            continue;
        job->round[other] = WAITS;
        if (job->level[other] <= w->level)
            job->queue[w->tail++] = (uint32_t)other;
        else
            heap_add(w, other);
    }
}

// Labels follow from what was flooded before the round, so all of them come first.
static void flood_round(water *w, size_t end)
{
    const lg_watershed_job *job = w->job;
    for (size_t i = w->head; i < end; i++, let_go(w))
        job->label[job->queue[i]] = label_of(w, job->queue[i]);
    for (size_t i = w->head; i < end; i++, let_go(w))
        job->round[job->queue[i]] = w->round;
    for (; w->head < end; w->head++, let_go(w))
        reach(w, job->queue[w->head]);
    w->round++;
}

// All that waits for the next level: its markers, which are a round of their own, and then the others.
static void rise(water *w)
{
    const lg_watershed_job *job = w->job;
    size_t markers = w->tail;
    w->level = (uint32_t)(job->heap[0] >> 32);
    while (w->waiting && (uint32_t)(job->heap[0] >> 32) == w->level) {
        const uint32_t at = (uint32_t)heap_take(w);
        job->queue[w->tail++] = at;
        if (job->marker[at]) {
            job->queue[w->tail - 1] = job->queue[markers];
            job->queue[markers++] = at;
        }
        let_go(w);
    }
    if (markers > w->head)
        flood_round(w, markers);
}

static void flood(const lg_watershed_job *job)
{
    water w = {.job = job};
    list_neighbors(job, w.neighbor);
    const size_t pixels = job->sheet * ((size_t)job->layers + 2 * (size_t)job->edge);
    for (size_t at = 0; at < pixels; at++)
        if (job->marker[at]) {
            job->round[at] = WAITS;
            heap_add(&w, at);
            let_go(&w);
        }
    while (w.waiting) {
        rise(&w);
        while (w.head < w.tail)
            flood_round(&w, w.tail);
    }
}

extern const lg_watershed_table LG_CPU_TABLE(watershed);
const lg_watershed_table LG_CPU_TABLE(watershed) = {begin, finish, flood};
