// Every public call that computes, each on small images of its own: what a test
// of failing devices runs.
#ifndef LG_TEST_SCENARIOS_H
#define LG_TEST_SCENARIOS_H

#include "core/core.h"

enum { SCENARIO_WIDTH = 97, SCENARIO_HEIGHT = 41, SCENARIO_UNTOUCHED = 0xa5 };

typedef enum scenario_image { GREY, RGBA, COLORS, MASK } scenario_image;

void scenario_make_images(void); // before anything else
// NULL: a failed check, but where memory fails on purpose.
extern bool scenario_memory_fails;
lg_image *scenario_wrap(lg_context *context, scenario_image which);
lg_status scenario_make_plan(lg_context *context, const char *text, const lg_image_params *shape,
                             lg_plan **out, lg_error *error);

typedef struct outcome {
    uint64_t hash; // of the results
    bool touched;  // an output was changed by a call that failed
} outcome;

bool scenario_is_untouched(const void *data, size_t size); // every byte is SCENARIO_UNTOUCHED

enum {
    KEEPS = 1,    // something lies on the device between two calls: a lost device takes it along
    FILTERS = 2,  // needs the compiler
    DECLINED = 4, // no device does it
    MIXED = 8,    // the last call needs no compiler
    WRITES = 16,  // values go to room that the caller gave, as soon as they are known
    BANDS = 32,   // one band after the other: a device may have had some, and progress is of all
};

typedef struct scenario {
    const char *name;
    lg_status (*call)(lg_context *context, outcome *o, lg_error *error);
    unsigned flags;
} scenario;

#define SCENARIOS 17
extern const scenario scenarios[SCENARIOS];

#endif
