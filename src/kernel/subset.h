// The common subset of C and GLSL: texts that both include spell types and bit operations this way.
//
// The same bits come out on both sides: only + - * on floats (each rounded once, to nearest even),
// comparisons, selects, integer and bit operations; no division of floats, square root or library
// function. A local float of which a result depends is an LG_FLOAT, which forbids contraction to
// fma in GLSL (C is compiled with -ffp-contract=off). lg_fma is only for products that are exact, so
// that it does not matter whether it rounds them.
#ifndef LG_SUBSET_H
#define LG_SUBSET_H

#ifdef VULKAN // any GLSL compiler for Vulkan defines it

#define LG_FUNCTION
#define LG_STRUCT(name) struct name
#define LG_FLOAT        precise float
#define lg_uint         uint
#define lg_int          int
#define lg_address      uvec2
#define lg_bits(x)      floatBitsToUint(x)
#define lg_from_bits(x) uintBitsToFloat(x)
#define lg_to_uint(x)   uint(x)
#define lg_to_int(x)    int(x)
#define lg_to_float(x)  float(x)
#define lg_fma(a, b, c) fma(a, b, c)

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

typedef uint32_t lg_uint;
typedef int32_t lg_int;
typedef uint64_t lg_address;

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
