// CPU instruction-set levels: which ones run here, and how kernels are called.
//
// A CPU kernel file (src/**/NAME_cpu.c) is compiled once for every level of the target, with that
// level's flags and, for example, -DLG_CPU_LEVEL_ID=LG_CPU_V3 and -DLG_CPU_SUFFIX=v3.
// LG_CPU_TABLE(NAME) defines its only external symbol, the function table lg_NAME_table_v3. The
// shared file NAME.c gets the table of the context's level by LG_CPU_SELECT(NAME, level).
#ifndef LG_CPU_H
#define LG_CPU_H

#include "core/core.h"

#define LG_CPU_PASTE_(a, b) a##b
#define LG_CPU_PASTE(a, b)  LG_CPU_PASTE_(a, b)
#define LG_CPU_TABLE(name)  LG_CPU_PASTE(lg_##name##_table_, LG_CPU_SUFFIX)

// Declares lg_NAME_tables[]: one pointer per lg_cpu_level, NULL where this build has none.
// LG_HAVE_V2, LG_HAVE_V3, LG_HAVE_V4, LG_HAVE_NEON are defined by the build. BASE is always there.
#if defined(LG_HAVE_V2)
#define LG_CPU_IF_V2(x) x
#else
#define LG_CPU_IF_V2(x) NULL
#endif
#if defined(LG_HAVE_V3)
#define LG_CPU_IF_V3(x) x
#else
#define LG_CPU_IF_V3(x) NULL
#endif
#if defined(LG_HAVE_V4)
#define LG_CPU_IF_V4(x) x
#else
#define LG_CPU_IF_V4(x) NULL
#endif
#if defined(LG_HAVE_NEON)
#define LG_CPU_IF_NEON(x) x
#else
#define LG_CPU_IF_NEON(x) NULL
#endif

#define LG_CPU_DECLARE(type, name)                                                                 \
    extern const type lg_##name##_table_base, lg_##name##_table_v2, lg_##name##_table_v3,          \
        lg_##name##_table_v4, lg_##name##_table_neon;                                              \
    static const type *const lg_##name##_tables[LG_CPU_LEVELS] = {                                 \
        [LG_CPU_BASE] = &lg_##name##_table_base,                                                   \
        [LG_CPU_V2] = LG_CPU_IF_V2(&lg_##name##_table_v2),                                         \
        [LG_CPU_V3] = LG_CPU_IF_V3(&lg_##name##_table_v3),                                         \
        [LG_CPU_V4] = LG_CPU_IF_V4(&lg_##name##_table_v4),                                         \
        [LG_CPU_NEON] = LG_CPU_IF_NEON(&lg_##name##_table_neon)}

// The table of `level`, or of the next lower level that this build has.
#define LG_CPU_SELECT(name, level) (lg_##name##_tables[lg_cpu_built((level))])

lg_cpu_level lg_cpu_built(lg_cpu_level level); // the highest level up to `level` in this build
bool lg_cpu_runs(lg_cpu_level level);          // whether this processor can run it
bool lg_cpu_has_avx512_histogram(void);        // VBMI, VBMI2, VPOPCNTDQ, BITALG, GFNI as well
bool lg_cpu_gathers_fast(void);       // faster than single loads: Intel since Sapphire Rapids
void lg_cpu_gathers_choose(int fast); // for tests: 0, 1, or -1 for what the processor is

#endif
