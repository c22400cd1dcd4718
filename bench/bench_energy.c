// Energy counters: NVML for NVIDIA devices, powercap for processors. Read, never set.
#include <stdlib.h>
#include <time.h>

#include "bench.h"
#include "core/module.h"

typedef struct nvml {
    void *library;
    int (*init)(void);
    int (*shutdown)(void);
    int (*count)(unsigned *);
    int (*handle)(unsigned, void **);
    int (*uuid)(void *, char *, unsigned);
    int (*energy)(void *, unsigned long long *); // millijoules since the driver was loaded
} nvml;

#define PACKAGES 8

typedef struct powercap {
    char file[80];
    double range; // joules at which the counter starts again
    double last, turns;
} powercap;

struct bench_energy {
    nvml nvml;
    void *device; // of NVML
    powercap packages[PACKAGES];
    int package_count;
    double idle; // watts, -1: not measured yet
};

static void *symbol(nvml *api, const char *name, bool *complete)
{
    void *found = lg_module_symbol(api->library, name);
    *complete = *complete && found;
    return found;
}

static bool nvml_open(nvml *api)
{
    if (lg_module_open(LG_MODULE_OF_SYSTEM, "libnvidia-ml.so.1", &api->library, NULL))
        return false;
    bool complete = true;
    *(void **)&api->init = symbol(api, "nvmlInit_v2", &complete);
    *(void **)&api->shutdown = symbol(api, "nvmlShutdown", &complete);
    *(void **)&api->count = symbol(api, "nvmlDeviceGetCount_v2", &complete);
    *(void **)&api->handle = symbol(api, "nvmlDeviceGetHandleByIndex_v2", &complete);
    *(void **)&api->uuid = symbol(api, "nvmlDeviceGetUUID", &complete);
    *(void **)&api->energy = symbol(api, "nvmlDeviceGetTotalEnergyConsumption", &complete);
    return complete && api->init() == 0;
}

// "GPU-" and the digits of the identifier, with strokes between them.
static bool is_same(const char *nvml_uuid, const uint8_t uuid[16])
{
    const char *at = strncmp(nvml_uuid, "GPU-", 4) == 0 ? nvml_uuid + 4 : nvml_uuid;
    for (int i = 0; i < 16; i++) {
        unsigned byte;
        at += *at == '-';
        if (sscanf(at, "%2x", &byte) != 1 || byte != uuid[i])
            return false;
        at += 2;
    }
    return true;
}

// The name would not do: a host may have equal devices.
static bool nvml_find(bench_energy *energy, const lg_device_info *device, char *why,
                      size_t why_size)
{
    unsigned count = 0;
    unsigned long long value;
    energy->nvml.count(&count);
    for (unsigned i = 0; i < count; i++) {
        char its[96] = "";
        void *found = NULL;
        if (energy->nvml.handle(i, &found) || energy->nvml.uuid(found, its, sizeof its) ||
            !is_same(its, device->uuid))
            continue;
        energy->device = found;
        if (energy->nvml.energy(found, &value) == 0)
            return true;
        snprintf(why, why_size, "NVML has no energy counter for this device");
        return false;
    }
    snprintf(why, why_size, "none of %u NVML devices has the UUID of %s", count, device->name);
    return false;
}

static double read_number(const char *file)
{
    FILE *f = fopen(file, "r");
    double value = -1;
    if (f && fscanf(f, "%lf", &value) != 1)
        value = -1;
    if (f)
        fclose(f);
    return value;
}

static bool powercap_find(bench_energy *energy, char *why, size_t why_size)
{
    for (int i = 0; i < PACKAGES; i++) {
        powercap *package = &energy->packages[energy->package_count];
        char range[80];
        snprintf(package->file, sizeof package->file, "/sys/class/powercap/intel-rapl:%d/energy_uj",
                 i);
        snprintf(range, sizeof range, "/sys/class/powercap/intel-rapl:%d/max_energy_range_uj", i);
        package->last = read_number(package->file) * 1e-6;
        package->range = read_number(range) * 1e-6;
        if (package->last >= 0)
            energy->package_count++;
    }
    if (energy->package_count > 0)
        return true;
    snprintf(why, why_size,
             "no readable energy counter in /sys/class/powercap (virtual machines "
             "have none, and elsewhere only root may read it)");
    return false;
}

static double powercap_read(powercap *package)
{
    const double now = read_number(package->file) * 1e-6;
    if (now < package->last)
        package->turns += package->range;
    package->last = now;
    return now + package->turns;
}

bench_energy *bench_energy_open(const lg_device_info *device, char *why, size_t why_size)
{
    bench_energy *energy = calloc(1, sizeof *energy);
    if (!energy)
        return NULL;
    energy->idle = -1;
    if (device->kind == LG_DEVICE_CPU) {
        if (powercap_find(energy, why, why_size))
            return energy;
    } else if (!device->hardware) {
        snprintf(why, why_size, "a software device has no energy counter of its own");
    } else if (!nvml_open(&energy->nvml)) {
        snprintf(why, why_size, "no NVML (libnvidia-ml.so.1) with an energy counter");
    } else {
        if (nvml_find(energy, device, why, why_size))
            return energy;
        energy->nvml.shutdown();
    }
    free(energy);
    return NULL;
}

double bench_energy_read(bench_energy *energy)
{
    if (energy->device) {
        unsigned long long value = 0;
        return energy->nvml.energy(energy->device, &value) == 0 ? (double)value * 1e-3 : -1;
    }
    double sum = 0;
    for (int i = 0; i < energy->package_count; i++)
        sum += powercap_read(&energy->packages[i]);
    return sum;
}

double bench_energy_idle(bench_energy *energy)
{
    if (energy->idle < 0) {
        const struct timespec pause = {.tv_sec = 2};
        nanosleep(&pause, NULL); // the counter moves in steps of about 0.1 s
        const double before = bench_energy_read(energy), start = lg_time_seconds();
        nanosleep(&pause, NULL);
        energy->idle = (bench_energy_read(energy) - before) / (lg_time_seconds() - start);
    }
    return energy->idle;
}

void bench_energy_close(bench_energy **energy)
{
    if (!*energy)
        return;
    if ((*energy)->device)
        (*energy)->nvml.shutdown();
    free(*energy);
    *energy = NULL;
}
