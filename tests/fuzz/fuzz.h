// What the fuzz targets share. A target is a file of this folder: it gets bytes,
// and what it calls must neither crash nor leave the sanitizers something to
// say. EXPECT is for what must hold besides.
#ifndef LG_FUZZ_H
#define LG_FUZZ_H

#include "core/core.h"
#include "io/io_internal.h"

#include <stdlib.h>

#define EXPECT(what)                                                                               \
    do {                                                                                           \
        if (!(what))                                                                               \
            abort();                                                                               \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *count, char ***arguments);

// On the CPU, with one thread; the same one in every call.
lg_context *fuzz_context(void);

// The name of a file in memory that has these bytes until the next call.
const char *fuzz_file(const void *data, size_t size);

// A copy of the bytes with a zero behind them; free it.
char *fuzz_text(const uint8_t *data, size_t size);

// Reads an image file of at most 2^18 pixels where `is` says so, and looks at all of its samples.
void fuzz_image(const uint8_t *data, size_t size, bool (*is)(const uint8_t *head, size_t size));

// An image with a copy of these samples, dense.
lg_image *fuzz_image_of(const lg_image_params *shape, const void *samples);

// Writes a seed into the corpus, which is the last of the program's arguments, if it is a folder.
void fuzz_seed(int count, char **arguments, const char *name, const void *data, size_t size);

#endif
