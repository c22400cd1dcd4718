// Files whose rows several threads read, written by hand: every sample follows from its place.
#ifndef LG_TEST_ROW_CASES_H
#define LG_TEST_ROW_CASES_H

#include <lumagraph/lumagraph.h>

typedef struct row_case {
    const char *name;
    int width, height;
    int channels; // in the file
    int bytes;    // of a sample in the file; 0: eight pixels a byte
    bool little;
    int limit; // samples are below
    // TIFF
    int block_width, block_height, compression;
    bool planes;
} row_case;

enum {
    ROW_CASES = 19,
    ROW_BUFFERED = 0,
    ROW_COLORS = 5,
    ROW_UP = 7,
    ROW_DOUBLES = 9,
    ROW_TILES = 11,
    ROW_LZW = 14,
    ROW_STRIP = 17
};
// Each is worth two threads at least.
extern const row_case row_cases[ROW_CASES];

#ifdef LG_HAVE_TIFF
#define ROW_CASES_TIFF true
#else
#define ROW_CASES_TIFF false
#endif
// False, and a skipped test, where TIFF is not read.
bool row_case_write(const row_case *c, const char *path, bool tiff);
// Whether a part has the samples of region `r` of the file.
bool row_case_is_right(const row_case *c, const lg_image *part, const lg_region *r);
lg_context *row_cases_context(int threads); // on the CPU

// Reads the file at once.
lg_status row_case_read(lg_context *context, const char *path, const row_case *c, bool *right,
                        lg_error *why);

#endif
