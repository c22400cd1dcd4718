#ifndef LG_SPIRV_EXACT_H
#define LG_SPIRV_EXACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Words that lg_spirv_exact writes for a module of `count` words; 0 when the module is malformed.
size_t lg_spirv_exact_size(const uint32_t *words, size_t count);

// Copies a module to `out` with every float operation decorated NoContraction. A result that was
// decorated before is decorated twice, which is allowed. Returns the new word count.
size_t lg_spirv_exact(const uint32_t *words, size_t count, uint32_t *out);

#endif
