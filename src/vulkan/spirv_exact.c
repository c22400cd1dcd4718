// Decorates float operations NoContraction: no driver may fuse or reorder them. Kernels that are
// compiled with the library get this from scripts/spirv.py. Minimum and maximum become those that give
// the other operand for NaN, which GLSL cannot ask for.
#include "vulkan/spirv_exact.h"

#include <string.h>

enum {
    HEADER = 5,
    OP_DECORATE = 71,
    NO_CONTRACTION = 42,
    FIRST_TYPE = 19, // OpTypeVoid .. OpTypePipe: types stand behind the decorations
    LAST_TYPE = 39,
    OP_EXT_INST = 12, // of GLSL.std.450, the only set that a GLSL compiler imports
    F_MIN = 37,
    F_MAX = 40,
    F_CLAMP = 43,
    N_MIN = 79,
    N_MAX = 80,
    N_CLAMP = 81,
};

static uint32_t sure_of_nan(uint32_t instruction)
{
    return instruction == F_MIN     ? N_MIN
           : instruction == F_MAX   ? N_MAX
           : instruction == F_CLAMP ? N_CLAMP
                                    : instruction;
}

static bool is_float_operation(uint32_t opcode)
{
    switch (opcode) {
    case 127: // OpFNegate
    case 129: // OpFAdd
    case 131: // OpFSub
    case 133: // OpFMul
    case 136: // OpFDiv
    case 140: // OpFRem
    case 141: // OpFMod
        return true;
    default: // OpVectorTimesScalar .. OpDot
        return opcode >= 142 && opcode <= 148;
    }
}

size_t lg_spirv_exact_size(const uint32_t *words, size_t count)
{
    size_t operations = 0;
    for (size_t at = HEADER; at < count; at += words[at] >> 16) {
        if (words[at] >> 16 == 0 || at + (words[at] >> 16) > count)
            return 0;
        operations += is_float_operation(words[at] & 0xffff);
    }
    return count + 3 * operations;
}

size_t lg_spirv_exact(const uint32_t *words, size_t count, uint32_t *out)
{
    size_t place = HEADER, length;
    while (place < count &&
           !((words[place] & 0xffff) >= FIRST_TYPE && (words[place] & 0xffff) <= LAST_TYPE))
        place += words[place] >> 16;
    memcpy(out, words, place * sizeof *words);
    length = place;
    for (size_t at = place; at < count; at += words[at] >> 16)
        if (is_float_operation(words[at] & 0xffff)) {
            out[length++] = 3u << 16 | OP_DECORATE;
            out[length++] = words[at + 2]; // the result
            out[length++] = NO_CONTRACTION;
        }
    memcpy(out + length, words + place, (count - place) * sizeof *words);
    for (size_t at = place; at < count; at += words[at] >> 16)
        if ((words[at] & 0xffff) == OP_EXT_INST && words[at] >> 16 > 4)
            out[length + at - place + 4] = sure_of_nan(words[at + 4]);
    return length + count - place;
}
