// Words of area sums in host memory, by the definitions.
#ifndef LG_TEST_AREA_WORDS_H
#define LG_TEST_AREA_WORDS_H

#include "measure/areasum/areasum_planes.h"

#define AREA_TEXT 80

// Whether all words of two structures are the same; `text` gets the first plane that differs.
bool area_same_words(const lg_areasum *a, const lg_areasum *b, char text[AREA_TEXT]);

// Every entry of tables and every node of ripmaps; `data` has the samples without gaps. Plain tables are
// left out: tests/areasum.c has their order of additions. Elements of keys and bins show in figures.
void area_check_words(const lg_areasum *sums, const void *data, const char *title);

#endif
