// Which device `--device auto` computes on: the one that is expected to be done first.
#ifndef LG_TOOL_AUTO_DEVICE_H
#define LG_TOOL_AUTO_DEVICE_H

#include <lumagraph/lumagraph.h>

// What is left to compute.
typedef struct lg_work {
    double thread_seconds; // one input on one thread of the processor: lg_plan_cost
    double bytes;          // of its images, which go to a GPU and come back
    int inputs;            // that are left, this one included
} lg_work;

typedef struct lg_device_choice {
    bool gpu;
    double processor_seconds, gpu_seconds; // expected for all inputs
    char reason[200];                      // for reports
} lg_device_choice;

// `gpu`: the device that was found, a CPU where there is none; NULL: nobody looked yet, so that its
// start counts. docs/cli.md has the formula (Which device).
lg_device_choice lg_choose_device(const lg_work *work, int threads, const lg_device_info *gpu);

#endif
