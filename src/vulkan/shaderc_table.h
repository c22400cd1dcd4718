// The functions of libshaderc that are used, loaded at run time.
#ifndef LG_SHADERC_TABLE_H
#define LG_SHADERC_TABLE_H

#include <shaderc/shaderc.h>

#define LG_SHADERC_FUNCTIONS(X)                                                                    \
    X(shaderc_compiler_initialize)                                                                 \
    X(shaderc_compiler_release)                                                                    \
    X(shaderc_compile_options_initialize)                                                          \
    X(shaderc_compile_options_release)                                                             \
    X(shaderc_compile_options_set_target_env)                                                      \
    X(shaderc_compile_options_set_optimization_level)                                              \
    X(shaderc_compile_into_spv)                                                                    \
    X(shaderc_result_get_compilation_status)                                                       \
    X(shaderc_result_get_error_message)                                                            \
    X(shaderc_result_get_length)                                                                   \
    X(shaderc_result_get_bytes)                                                                    \
    X(shaderc_result_release)

typedef struct lg_shaderc {
#define LG_SHADERC_MEMBER(f) __typeof__(&f) f;
    LG_SHADERC_FUNCTIONS(LG_SHADERC_MEMBER)
#undef LG_SHADERC_MEMBER
} lg_shaderc;

#endif
