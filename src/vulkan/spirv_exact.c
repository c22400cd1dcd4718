// Decorates float operations NoContraction: no driver may fuse or reorder them. Kernels that are
// compiled with the library get this from scripts/spirv.py.
#include "vulkan/spirv_exact.h"

#include <string.h>

enum {
    HEADER = 5,
    OP_DECORATE = 71,
    NO_CONTRACTION = 42,
    FIRST_TYPE = 19, // OpTypeVoid .. OpTypePipe: types stand behind the decorations
    LAST_TYPE = 39,
};

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
    return length + count - place;
}
