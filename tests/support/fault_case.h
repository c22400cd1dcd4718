// Calls of the public API under failures: what each is given, what it must
// leave alone, what it owns.
#ifndef LG_TEST_FAULT_CASE_H
#define LG_TEST_FAULT_CASE_H

#include "core/core.h"

enum { FAULT_BYTES = 4096, FAULT_IMAGES = 4 };

// What one call works on. Pictures are 21 x 13; `made` and `more` are what constructors give,
// `bytes` what figures are written to.
typedef struct fault_world {
    lg_context *context;
    lg_image *grey, *mask, *real, *color; // u8, u8 of 0 and 255, f32, RGB in u8
    lg_image *written;                    // an output, as grey
    lg_labels *labels;                    // of mask, in host memory
    lg_components *components;
    lg_areasum *table, *ripmap; // of grey
    lg_histogram *histogram;
    lg_moments_accumulator *accumulator;
    lg_graph *graph;
    lg_node node;
    lg_plan *plan;
    const char *text;    // of the case
    int64_t allocations; // of the call
    uint64_t seen;       // what fault_case.look saw
    void *made, *more;
    _Alignas(16) uint8_t bytes[FAULT_BYTES];
} fault_world;

typedef struct fault_case {
    const char *name;
    lg_status (*call)(fault_world *w, lg_error *error);
    void (*drop)(fault_world *w); // what the call made; NULL: nothing
    uint64_t (*look)(
        fault_world *w); // a hash of what the call made, however it was made; NULL: nothing
    void (*prepare)(fault_world *w); // before the failures begin; NULL: nothing
    void (*after)(fault_world *w);   // uses what a call that failed has left; NULL: nothing
    const char *text;
    bool
        writes; // pixels of `written`, or an object of the world, which may be undefined afterwards
    bool device; // also on Vulkan
} fault_case;

// A world with everything in it. false: it could not be made (a failed check).
bool fault_world_open(fault_world *w, lg_context *context, const fault_case *c);
void fault_world_close(fault_world *w);

// For `look`: images in host memory, labels wherever they are, figures of components.
uint64_t fault_hash_image(const lg_image *image);
uint64_t fault_hash_labels(lg_context *context, lg_labels *labels);
uint64_t fault_hash_components(const lg_components *components);

// Every allocation of the case fails once, in a context of its own on the CPU.
void fault_case_on_cpu(const fault_case *c);

// On Vulkan: allocations and calls of the driver, one in three in the usual form and all in the full
// one, in the given context, whose caches are warm. Nothing where there is no Vulkan.
void fault_case_on_vulkan(const fault_case *c, lg_context *context);

#endif
