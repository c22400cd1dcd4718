#include "cpu/cpu.h"

#include <stdatomic.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

static const char *const names[LG_CPU_LEVELS] = {[LG_CPU_BASE] = "base",
                                                 [LG_CPU_V2] = "v2",
                                                 [LG_CPU_V3] = "v3",
                                                 [LG_CPU_V4] = "v4",
                                                 [LG_CPU_NEON] = "neon"};

static bool built(lg_cpu_level level)
{
    switch (level) {
    case LG_CPU_BASE:
        return true;
#if defined(LG_HAVE_V2)
    case LG_CPU_V2:
        return true;
#endif
#if defined(LG_HAVE_V3)
    case LG_CPU_V3:
        return true;
#endif
#if defined(LG_HAVE_V4)
    case LG_CPU_V4:
        return true;
#endif
#if defined(LG_HAVE_NEON)
    case LG_CPU_NEON:
        return true;
#endif
    default:
        return false;
    }
}

lg_cpu_level lg_cpu_built(lg_cpu_level level)
{
    int found = (int)level;
    while (found > (int)LG_CPU_BASE && !built((lg_cpu_level)found))
        found--;
    return (lg_cpu_level)found;
}

bool lg_cpu_runs(lg_cpu_level level)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    switch (level) {
    case LG_CPU_BASE:
        return true;
    case LG_CPU_V2:
        return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
    case LG_CPU_V3:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
               __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
    case LG_CPU_V4:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
    default:
        return false;
    }
#elif defined(__aarch64__)
    return level == LG_CPU_BASE || level == LG_CPU_NEON; // Advanced SIMD is part of AArch64
#else
    return level == LG_CPU_BASE;
#endif
}

bool lg_cpu_has_avx512_histogram(void)
{
#if defined(__x86_64__)
    return lg_cpu_runs(LG_CPU_V4) && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vpopcntdq") &&
           __builtin_cpu_supports("avx512bitalg") && __builtin_cpu_supports("gfni");
#else
    return false;
#endif
}

static _Atomic int chosen_gathers = -1;

void lg_cpu_gathers_choose(int fast)
{
    atomic_store(&chosen_gathers, fast);
}

static bool find_gathers(void)
{
#if defined(__x86_64__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    __builtin_cpu_init();
    return __builtin_cpu_is("intel") && __get_cpuid_count(7, 0, &a, &b, &c, &d) &&
           d & 1u << 23; // FP16
#else
    return false;
#endif
}

// Jobs of threads ask, and a virtual machine takes 29 microseconds for the two instructions CPUID.
bool lg_cpu_gathers_fast(void)
{
    static _Atomic int found = -1;
    int fast = atomic_load_explicit(&chosen_gathers, memory_order_relaxed);
    if (fast < 0)
        fast = atomic_load_explicit(&found, memory_order_relaxed);
    if (fast < 0) {
        fast = find_gathers();
        atomic_store_explicit(&found, fast, memory_order_relaxed);
    }
    return fast;
}

lg_cpu_level lg_cpu_level_best(void)
{
    for (int level = LG_CPU_LEVELS - 1; level > LG_CPU_BASE; level--) {
        if (built((lg_cpu_level)level) && lg_cpu_runs((lg_cpu_level)level))
            return (lg_cpu_level)level;
    }
    return LG_CPU_BASE;
}

const char *lg_cpu_level_name(lg_cpu_level level)
{
    return level >= 0 && level < LG_CPU_LEVELS ? names[level] : "best";
}
