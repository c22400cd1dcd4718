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

bool row_case_is_tiff(const row_case *c);
void row_case_write(const row_case *c, const char *path);
// Whether a part has the samples of region `r` of the file.
bool row_case_is_right(const row_case *c, const lg_image *part, const lg_region *r);

#endif
