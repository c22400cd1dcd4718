// Benchmarks: what is measured, how it is timed, what is written.
#ifndef LG_BENCH_H
#define LG_BENCH_H

#include <stdio.h>

#include "core/core.h"

#include "content.h"

// `lumagraph bench` and lumagraph-bench. Exit status: 0 done, 1 results differ between devices,
// 2 usage, 4 device.
int lg_bench_main(int argc, char **argv);

// A GPU that idled has lowered its clock and takes some work to raise it again (seen: 345 MHz of 1980,
// after seconds of making images, which made the slowest kernels four times slower).
#define RAMP_SECONDS 0.4

#define BENCH_SAMPLES 500 // at most, of one row
#define BENCH_WHY     200

typedef enum bench_kind {
    BENCH_HISTOGRAM,
    BENCH_MOMENTS,
    BENCH_THRESHOLD,
    BENCH_FILTER,
    BENCH_KINDS
} bench_kind;

// Which pixels moments are of.
typedef enum bench_pixels {
    BENCH_ALL,
    BENCH_MASKED, // every second 16 pixels are left out
    BENCH_STEP_2, // every second pixel of every second row
    BENCH_PIXELS
} bench_pixels;

typedef struct bench_times {
    double median, min, quartile1, quartile3; // seconds; -1: not measured
} bench_times;

// One line of the result.
typedef struct bench_row {
    bench_kind kind;
    int device; // index of the device in the run
    lg_type type;
    int channels;
    enum content_kind content;
    bench_pixels pixels;
    int32_t width, height;
    bool cold;     // the data do not come from a cache
    bool upload;   // from host memory, with the transfer
    bool strategy; // a row of the comparison of histogram strategies
    lg_space space;
    lg_histogram_variant asked;
    char variant[64];
    const char *pipeline; // of a filter row
    int samples;
    bench_times host, compute;
    double read_bytes, written_bytes; // moved at least, per call
    double ceiling;      // bytes per second of our own read or copy kernel, -1: unknown
    double joules;       // per call; -1: see why_no_energy
    double joules_idle;  // of it, what the idle device takes in that time
    uint64_t digest;     // of the result
    double figure;       // of the first channel: sum, sum of bin times count, or level
    char why[BENCH_WHY]; // not empty: could not be run
} bench_row;

typedef struct bench_options {
    bool kinds[BENCH_KINDS];
    int32_t sizes[16][2];
    int size_count;
    bool types[LG_TYPES], type_given;
    bool channels[LG_MAX_CHANNELS + 1], channels_given;
    bool contents[CONTENTS], contents_given;
    bool pixels[BENCH_PIXELS]; // none: all
    bool cold, warm;
    int samples;
    double energy_seconds;
    int threads;
    lg_cpu_level level;
    const char *device;        // auto, cpu, vulkan, vulkan:N, all
    const char *photo;         // binary PPM
    const char *pipelines[32]; // for filter rows
    int pipeline_count;
    bool strategies; // of histograms, only the table of strategies
    bool all;        // of filters, one row for each of the catalogue
    enum { BENCH_TEXT, BENCH_JSON, BENCH_CSV } format;
    bool quiet;
} bench_options;

typedef struct bench_energy bench_energy;

typedef struct bench_device {
    lg_context *context;
    lg_device_info info;
    bench_energy *energy; // NULL: none
    char why_no_energy[BENCH_WHY];
} bench_device;

#define BENCH_DEVICES 8

typedef struct bench_run {
    bench_options options;
    bench_device devices[BENCH_DEVICES];
    int device_count;
    bench_row *rows;
    size_t row_count, row_capacity;
    char no_vulkan[256];
    uint16_t *tile;
    uint8_t *photo;
    const char **pipelines; // of --all
    content_source source;  // of tile and photo
    char started[32];
    double load;
    // The ceilings measured so far.
    struct {
        int device;
        size_t bytes;
        bool cold, copy;
        double value;
    } ceilings[64];
    int ceiling_count;
} bench_run;

// ---- bench_options.c: false, and *status is what the program ends with
bool bench_parse(int argc, char **argv, bench_options *out, int *status);
bool bench_take_level(const char *value, lg_cpu_level *out);

// Options of a benchmark with tables of its own: flags, and what has a value, which `take` stores in
// `to`, or refuses.
typedef struct bench_own_options {
    const char *usage;
    struct {
        const char *name;
        bool *on;
    } flags[2];
    bool (*take)(void *to, const char *name, const char *value);
    void *to;
} bench_own_options;

bool bench_parse_own(int argc, char **argv, const bench_own_options *own, int *status);

// ---- bench_areasum.c: a benchmark with tables of its own
int bench_areasum_main(int argc, char **argv);

// ---- bench_areasum_device.c: its kernels on a Vulkan device, by themselves
int bench_areasum_device_main(int argc, char **argv);

// ---- bench_label.c: labels, likewise
int bench_label_main(int argc, char **argv);

// ---- bench_label_device.c: the kernels of labels on a Vulkan device, by themselves
int bench_label_device_main(int argc, char **argv);

// ---- bench_sources.c: published tables with our figures beside them
int bench_sources_main(int argc, char **argv);

// ---- bench_filters.c: a pipeline for each filter of the catalogue, to free; NULL without memory
const char **bench_all_filters(int *count);

// ---- bench_first.c: first runs with an empty cache
int bench_first_main(int argc, char **argv);

// ---- bench_stream.c: frames per second of streams, likewise
int bench_stream_main(int argc, char **argv);
// ---- bench_devices.c: the same work on several devices
int bench_devices_main(int argc, char **argv);
// ---- bench_frames.c: frames as planes and as RGBA
int bench_frames_main(int argc, char **argv);
// Memory and semaphores that CUDA has, too.
int bench_cuda_main(int argc, char **argv);

// ---- bench_case.c: fills the measured part of a row
void bench_measure(bench_run *run, bench_row *row);
// A graph of one input, and of the output of `pipeline`; the caller's also when it fails.
lg_status bench_graph(const char *pipeline, lg_graph **out, lg_error *error);

// ---- bench_ceiling.c: bytes per second that a kernel doing nothing else reaches on `bytes` of input;
// a copy counts what it reads and what it writes. -1 when it cannot be measured.
double bench_ceiling(bench_run *run, int device, size_t bytes, bool cold, bool copy);
size_t bench_cold_bytes(const bench_device *device); // a working set that no cache holds
size_t bench_memory_available(void);
// The same for one context, or the processor in its place: what a copy of
// `bytes` reads and writes per second.
double lg_bench_copy_speed(lg_context *context, bool processor, size_t bytes);

// ---- bench_energy.c
bench_energy *bench_energy_open(const lg_device_info *device, char *why, size_t why_size);
double bench_energy_read(bench_energy *energy); // joules since some moment; -1 on failure
double bench_energy_idle(bench_energy *energy); // watts, measured over a second the first time
void bench_energy_close(bench_energy **energy);

// ---- bench_report.c
void bench_report(const bench_run *run, FILE *out);
bench_times bench_statistics(double *seconds, int count); // sorts them
bool bench_same(const bench_row *a, const bench_row *b);  // the same task, whatever the device
extern const char *const bench_kind_names[BENCH_KINDS];
extern const char *const bench_content_names[CONTENTS];
extern const char *const bench_pixels_names[BENCH_PIXELS];

#endif
