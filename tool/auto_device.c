#include "auto_device.h"

#include <stdio.h>

#define START_SECONDS    0.5 // to load a driver, make a device and build kernels
#define BYTES_PER_SECOND 4e9 // between pageable memory and a GPU: PCIe 3.0 with a copy in between
#define GPU_THREADS      32  // a GPU computes like so many threads: a small one
#define CLEARLY          1.5 // times as long on the processor, or the GPU is left alone

static const char *seconds_text(double seconds, char *out, size_t size)
{
    if (seconds >= 1)
        snprintf(out, size, "%.3g s", seconds);
    else
        snprintf(out, size, "%.3g ms", seconds * 1e3);
    return out;
}

// Software that plays a GPU is slower than the processor's own kernels.
static bool is_usable(const lg_device_info *gpu)
{
    return gpu->kind == LG_DEVICE_VULKAN && gpu->hardware && gpu->compiler;
}

lg_device_choice lg_choose_device(const lg_work *work, int threads, const lg_device_info *gpu)
{
    char processor[32], device[32];
    const bool ready = gpu && is_usable(gpu);
    lg_device_choice c = {
        .processor_seconds = work->inputs * work->thread_seconds / threads,
        .gpu_seconds =
            (ready ? 0 : START_SECONDS) +
            work->inputs * (work->bytes / BYTES_PER_SECOND + work->thread_seconds / GPU_THREADS),
    };
    const bool better = c.processor_seconds > CLEARLY * c.gpu_seconds;
    c.gpu = better && (!gpu || ready);
    snprintf(c.reason, sizeof c.reason, "auto: %s on the processor, %s on a GPU expected%s",
             seconds_text(c.processor_seconds, processor, sizeof processor),
             seconds_text(c.gpu_seconds, device, sizeof device),
             better && !c.gpu ? "; no GPU can be used here (`lumagraph devices` says why)" : "");
    return c;
}
