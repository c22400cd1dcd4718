#include <string.h>

#include "core/core.h"

#define WORD 31 // longer words are compared by their start

// Optimal string alignment distance: insert, delete, replace, swap neighbours.
static int distance(const char *a, const char *b)
{
    int table[WORD + 2][WORD + 2];
    int rows = (int)strnlen(a, WORD), columns = (int)strnlen(b, WORD);
    for (int i = 0; i <= rows; i++)
        for (int j = 0; j <= columns; j++) {
            if (i == 0 || j == 0) {
                table[i][j] = i + j;
                continue;
            }
            int best = table[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            best = table[i - 1][j] + 1 < best ? table[i - 1][j] + 1 : best;
            best = table[i][j - 1] + 1 < best ? table[i][j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                table[i - 2][j - 2] + 1 < best)
                best = table[i - 2][j - 2] + 1;
            table[i][j] = best;
        }
    return table[rows][columns];
}

const char *lg_nearest(const char *word, const char *const *names)
{
    const char *best = NULL;
    if (!word || !names)
        return NULL;
    int min = (int)strnlen(word, WORD) / 2 + 1; // half of it may be wrong
    for (; *names; names++) {
        int found = strncmp(*names, word, strlen(word)) == 0 ? 0 : distance(word, *names);
        if (found < min) {
            min = found;
            best = *names;
        }
    }
    return best;
}
