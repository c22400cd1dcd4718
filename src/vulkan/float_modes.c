#include "vulkan/float_modes.h"

#include <string.h>

// GLSL has no words for these modes, and a module that asks for one the device lacks is invalid: so
// they are added when the module is loaded. Numbers: SPIR-V specification, core since 1.4.
enum {
    OP_ENTRY_POINT = 15,
    OP_EXECUTION_MODE = 16,
    OP_CAPABILITY = 17,
    HEADER_WORDS = 5,
};

static const struct {
    uint32_t capability, mode;
} numbers[] = {{4464, 4459}, {4467, 4462}, {4466, 4461}}; // DenormPreserve, RTE, SignedZeroInfNan

static size_t length(uint32_t first)
{
    return first >> 16;
}

// The word after the entry point's instruction, and the entry point's id; 0 when there is none.
static size_t after_entry_point(const uint32_t *words, size_t count, uint32_t *id)
{
    for (size_t at = HEADER_WORDS; at < count && length(words[at]) > 0; at += length(words[at])) {
        if ((words[at] & 0xffffu) == OP_ENTRY_POINT && at + length(words[at]) <= count) {
            *id = words[at + 2];
            return at + length(words[at]);
        }
    }
    return 0;
}

size_t lg_float_modes_add(const uint32_t *words, size_t count, lg_float_modes modes, uint32_t *out)
{
    uint32_t entry = 0;
    const size_t split = after_entry_point(words, count, &entry);
    if (!split)
        return 0;
    const bool wanted[] = {modes.denorm_preserve, modes.rounding_rte, modes.nan_preserve};
    const bool all_widths[] = {modes.denorm_all, modes.rounding_all, false};
    size_t at = 0;
    memcpy(out, words, HEADER_WORDS * sizeof *words);
    at += HEADER_WORDS;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        if (wanted[i]) {
            out[at++] = 2u << 16 | OP_CAPABILITY;
            out[at++] = numbers[i].capability;
        }
    }
    memcpy(out + at, words + HEADER_WORDS, (split - HEADER_WORDS) * sizeof *words);
    at += split - HEADER_WORDS;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        for (uint32_t width = 16; width <= 64 && wanted[i]; width *= 2) {
            if (width != 32 && !all_widths[i])
                continue;
            out[at++] = 4u << 16 | OP_EXECUTION_MODE;
            out[at++] = entry;
            out[at++] = numbers[i].mode;
            out[at++] = width;
        }
    }
    memcpy(out + at, words + split, (count - split) * sizeof *words);
    return at + count - split;
}
