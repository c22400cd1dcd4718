// What the memory can do: kernels that only read, or only copy, in the same run as the benchmark.
#include <stdlib.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "bench.h"
#include "vulkan/ceiling_push.h"
#include "vulkan/vk.h"

#define CHUNK                                                                                      \
    ((size_t)1 << 20) // bytes of one job: several per thread, and larger than its overhead
#define REPEATS 15

typedef uint64_t words __attribute__((vector_size(64)));

static inline __attribute__((always_inline)) uint64_t read_words(const words *data, size_t count)
{
    words a = {0}, b = {0}, c = {0}, d = {0};
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        a ^= data[i];
        b ^= data[i + 1];
        c ^= data[i + 2];
        d ^= data[i + 3];
    }
    for (; i < count; i++)
        a ^= data[i];
    a ^= b ^ c ^ d;
    return a[0] ^ a[1] ^ a[2] ^ a[3] ^ a[4] ^ a[5] ^ a[6] ^ a[7];
}

static uint64_t read_base(const words *data, size_t count)
{
    return read_words(data, count);
}

static void copy_stream(void *to, const void *from, size_t bytes)
{
#if defined(__x86_64__)
    __m128i *out = to;
    const __m128i *in = from;
    for (size_t i = 0; i < bytes / 64 * 4; i += 4) {
        const __m128i a = _mm_load_si128(in + i), b = _mm_load_si128(in + i + 1);
        const __m128i c = _mm_load_si128(in + i + 2), d = _mm_load_si128(in + i + 3);
        _mm_stream_si128(out + i, a);
        _mm_stream_si128(out + i + 1, b);
        _mm_stream_si128(out + i + 2, c);
        _mm_stream_si128(out + i + 3, d);
    }
    _mm_sfence();
#else
    memcpy(to, from, bytes);
#endif
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static uint64_t read_avx2(const words *data, size_t count)
{
    return read_words(data, count);
}
__attribute__((target("avx512f"))) static uint64_t read_avx512(const words *data, size_t count)
{
    return read_words(data, count);
}
#endif

static uint64_t (*choose_read(void))(const words *, size_t)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        return read_avx512;
    if (__builtin_cpu_supports("avx2"))
        return read_avx2;
#endif
    return read_base;
}

// ---- the processor ---------------------------------------------------------------------------

typedef struct cpu_work {
    const uint8_t *from;
    uint8_t *to; // NULL: only read
    size_t bytes;
    bool stream;
    uint64_t (*read)(const words *, size_t);
    _Atomic uint64_t seen;
} cpu_work;

static void cpu_job(void *arg, size_t index, int worker)
{
    cpu_work *work = arg;
    const size_t at = index * CHUNK, bytes = LG_MIN(CHUNK, work->bytes - at);
    if (!work->to)
        work->seen ^= work->read((const words *)(work->from + at), bytes / sizeof(words));
    else if (work->stream)
        copy_stream(work->to + at, work->from + at, bytes);
    else
        memcpy(work->to + at, work->from + at, bytes);
}

// The best of a few runs over `buffers` working sets of `bytes`, one after the other.
static double cpu_time(lg_pool *pool, cpu_work work, uint8_t *memory, size_t bytes, size_t buffers,
                       bool copy)
{
    double best = 1e30;
    const size_t jobs = (bytes + CHUNK - 1) / CHUNK;
    for (int i = 0; i < REPEATS + 2; i++) {
        work.from = memory + (size_t)i % buffers * bytes * (copy ? 2 : 1);
        work.to = copy ? memory + (size_t)i % buffers * bytes * 2 + bytes : NULL;
        const double start = lg_time_seconds();
        lg_pool_run(pool, jobs, cpu_job, &work);
        const double took = lg_time_seconds() - start;
        if (i >= 2)
            best = LG_MIN(best, took);
    }
    return best;
}

static double cpu_ceiling(const bench_device *device, size_t bytes, bool cold, bool copy)
{
    bytes = LG_MAX(bytes / sizeof(words) * sizeof(words), sizeof(words));
    const size_t set = bytes * (copy ? 2 : 1);
    const size_t buffers = cold ? bench_cold_bytes(device) / set + 1 : 1;
    if (set * buffers > bench_memory_available() / 2)
        return -1;
    uint8_t *memory = aligned_alloc(64, set * buffers);
    if (!memory)
        return -1;
    memset(memory, 1, set * buffers);
    cpu_work work = {.bytes = bytes, .read = choose_read()};
    double best = cpu_time(device->context->pool, work, memory, bytes, buffers, copy);
    if (copy) {
        work.stream = true;
        best = LG_MIN(best, cpu_time(device->context->pool, work, memory, bytes, buffers, copy));
    }
    free(memory);
    return (double)set / best;
}

// ---- Vulkan --------------------------------------------------------------------------------------

#ifdef LG_HAVE_VULKAN
extern const lg_spirv lg_spirv_ceiling_read, lg_spirv_ceiling_copy;

// `ramp`: seconds of work first, so that the clock is up.
static double gpu_time(lg_vk *vk, lg_vk_buffer *memory, size_t set, size_t bytes, size_t buffers,
                       bool copy, uint32_t groups, const lg_vk_pipeline *pipeline, double ramp)
{
    lg_vk_commands *commands = NULL;
    double best = -1;
    const double start = lg_time_seconds();
    for (int i = 0; i < REPEATS + 2; i++) {
        if (i == 2 && lg_time_seconds() - start < ramp)
            i = 1;
        lg_ceiling_push push = {.units = (uint32_t)(bytes / 16)};
        push.from = memory->address + (size_t)i % buffers * set;
        push.to = copy ? push.from + bytes : memory->address + memory->size - 16;
        if (!commands && lg_vk_commands_create(vk, 2, &commands, NULL))
            return -1;
        lg_vk_begin(commands);
        lg_vk_timestamp(commands, 0);
        lg_vk_reads(commands, push.from, bytes);
        lg_vk_writes(commands, push.to, 0);
        lg_vk_dispatch(commands, pipeline, &push, sizeof push, groups, 1, 1);
        lg_vk_timestamp(commands, 1);
        if (lg_vk_end(commands, NULL) || lg_vk_submit(vk, commands, NULL) ||
            lg_vk_wait(vk, commands, NULL))
            break;
        const double took = lg_vk_elapsed(vk, commands, 0, 1);
        if (i >= 2 && took > 0 && (best < 0 || took < best))
            best = took;
    }
    lg_vk_commands_destroy(vk, &commands);
    return best;
}

static double gpu_ceiling(const bench_device *device, size_t bytes, bool cold, bool copy)
{
    lg_vk *vk = device->context->vk;
    const lg_vk_limits *limits = lg_vk_get_limits(vk);
    bytes = LG_MAX(bytes / 256 * 256, 256);
    const size_t set = bytes * (copy ? 2 : 1);
    const size_t buffers = cold ? bench_cold_bytes(device) / set + 1 : 1;
    const lg_spirv *module = copy ? &lg_spirv_ceiling_copy : &lg_spirv_ceiling_read;
    lg_vk_buffer *memory = NULL;
    double best = -1;
    if (lg_vk_buffer_create(vk, set * buffers + 256, LG_VK_DEVICE, &memory, NULL))
        return -1;
    const uint32_t units = limits->compute_units ? limits->compute_units : 16;
    const uint32_t sizes[] = {256, 512, 1024}, max = limits->hardware ? 8 : 1;
    for (size_t s = 0; s < (limits->hardware ? LG_COUNT(sizes) : 1); s++) {
        const lg_vk_pipeline *pipeline = NULL;
        if (sizes[s] > limits->max_workgroup_size ||
            lg_vk_pipeline_get(vk, module, &sizes[s], 1, 0, &pipeline, NULL))
            continue;
        for (uint32_t each = 1; each <= max; each *= 2) {
            const double took = gpu_time(vk, memory, set, bytes, buffers, copy, units * each,
                                         pipeline, limits->hardware && best < 0 ? RAMP_SECONDS : 0);
            if (took > 0 && (best < 0 || took < best))
                best = took;
        }
    }
    lg_vk_buffer_destroy(vk, &memory);
    return best > 0 ? (double)set / best : -1;
}
#else
static double gpu_ceiling(const bench_device *device, size_t bytes, bool cold, bool copy)
{
    return -1;
}
#endif

// ---- both ------------------------------------------------------------------------------------------

size_t bench_cold_bytes(const bench_device *device)
{
    size_t bytes = (size_t)256 << 20;
#ifdef _SC_LEVEL3_CACHE_SIZE
    const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (device->info.kind == LG_DEVICE_CPU && cache > 0)
        bytes = LG_MAX(bytes, 4 * (size_t)cache);
#endif
    return LG_MIN(bytes, (size_t)1 << 30);
}

size_t bench_memory_available(void)
{
    char line[128];
    size_t kilobytes = 0;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "MemAvailable: %zu", &kilobytes) == 1)
            break;
    }
    if (file)
        fclose(file);
    return kilobytes ? kilobytes * 1024 : (size_t)4 << 30;
}

double bench_ceiling(bench_run *run, int device, size_t bytes, bool cold, bool copy)
{
    for (int i = 0; i < run->ceiling_count; i++) {
        if (run->ceilings[i].device == device && run->ceilings[i].bytes == bytes &&
            run->ceilings[i].cold == cold && run->ceilings[i].copy == copy)
            return run->ceilings[i].value;
    }
    const bench_device *on = &run->devices[device];
    const double value = on->info.kind == LG_DEVICE_CPU ? cpu_ceiling(on, bytes, cold, copy)
                                                        : gpu_ceiling(on, bytes, cold, copy);
    if (run->ceiling_count < (int)LG_COUNT(run->ceilings)) {
        const int at = run->ceiling_count++;
        run->ceilings[at].device = device;
        run->ceilings[at].bytes = bytes;
        run->ceilings[at].cold = cold;
        run->ceilings[at].copy = copy;
        run->ceilings[at].value = value;
    }
    return value;
}

double lg_bench_copy_speed(lg_context *context, bool processor, size_t bytes)
{
    bench_run *run = calloc(1, sizeof *run);
    if (!run)
        return -1;
    run->devices[0].context = context;
    lg_context_device(context, &run->devices[0].info);
    if (processor)
        run->devices[0].info = context->processor;
    const double speed = bench_ceiling(run, 0, LG_MIN(bytes, (size_t)128 << 20), false, true);
    free(run);
    return speed;
}
