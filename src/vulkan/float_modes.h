// Adds the float execution modes that a device has to a SPIR-V module.
#ifndef LG_FLOAT_MODES_H
#define LG_FLOAT_MODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lg_float_modes {
    bool denorm_preserve, rounding_rte, nan_preserve; // for 32-bit floats
    bool denorm_all, rounding_all; // the device wants the mode for 16 and 64 bits as well
} lg_float_modes;

#define LG_FLOAT_MODE_WORDS (3 * 2 + 7 * 4) // at most added to a module

// Copies `count` words of a module with one entry point to `out` (room for LG_FLOAT_MODE_WORDS
// more) with a capability and an execution mode for every mode that is set. Returns the new word
// count, or 0 when the module is malformed.
size_t lg_float_modes_add(const uint32_t *words, size_t count, lg_float_modes modes, uint32_t *out);

#endif
