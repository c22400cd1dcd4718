// The common subset of C and GLSL: types and bit operations for texts that both include.
//
// Both give the same bits. Only + - * on floats (each rounded once, to nearest even), comparisons,
// selects, integer and bit operations are used; no division of floats, square root or library
// function. A local float on which a result depends is an LG_FLOAT, which forbids contraction to
// fma in GLSL (C is compiled with -ffp-contract=off). lg_fma is only for exact products, where it
// makes no difference.
#ifndef LG_SUBSET_H
#define LG_SUBSET_H

#ifdef VULKAN // any GLSL compiler for Vulkan defines it

#define LG_FUNCTION
#define LG_STRUCT(name) struct name
#define LG_FLOAT        precise float
#define lg_uint         uint
#define lg_int          int
#define lg_address      uvec2 // of device memory, low word first
#define lg_bits(x)      floatBitsToUint(x)
#define lg_from_bits(x) uintBitsToFloat(x)
#define lg_to_uint(x)   uint(x)
#define lg_to_int(x)    int(x)
#define lg_to_float(x)  float(x)
#define lg_fma(a, b, c) fma(a, b, c)
// In front of a loop that is to stay one, as its text is long: compilers of devices write out all turns.
// Kernels with such loops have GL_EXT_control_flow_attributes.
#define LG_ROLLED [[dont_unroll]]
// An integer constant for both languages, and one of a public enumeration.
#define LG_NUMBER(name, value) const uint name = value;
#define LG_PUBLIC(name, value) const uint name = value;

#else

#include <stdint.h>
#include <string.h>

#define LG_FUNCTION static inline __attribute__((unused, always_inline))
#define LG_STRUCT(name)                                                                            \
    typedef struct name name;                                                                      \
    struct name
#define LG_FLOAT        float
#define lg_to_uint(x)   ((uint32_t)(x))
#define lg_to_int(x)    ((int32_t)(x))
#define lg_to_float(x)  ((float)(x))
#define lg_fma(a, b, c) ((a) * (b) + (c))
#define LG_ROLLED
#define LG_NUMBER(name, value) enum { name = value };
#define LG_PUBLIC(name, value) _Static_assert((int)name == value, "kernels know it as " #value);

typedef uint32_t lg_uint;
typedef int32_t lg_int;
// Aligned as in GLSL, so that structures from the same text have the same layout.
typedef uint64_t lg_address __attribute__((aligned(4)));

LG_FUNCTION uint32_t lg_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

LG_FUNCTION float lg_from_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#endif

#endif
