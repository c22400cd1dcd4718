// Threads of a reader of rows. A reader may be called from a thread beside those of its context, which
// compute then: it has its own.
#ifndef LG_ROW_TEAM_H
#define LG_ROW_TEAM_H

#include "core/core.h"

#define LG_ROW_LANES 64 // the most

typedef struct lg_row_team {
    lg_pool *pool; // NULL: not needed yet
    int size;      // threads that it was asked for
} lg_row_team;

// A lane is at one block at a time, so what it reads with is its own. Lane 0 is the thread that asked, which
// alone tells how far it is.
typedef struct lg_row_blocks {
    lg_status (*read)(void *priv, size_t block, int lane, lg_error *error);
    void *priv;
    size_t count;
    int lanes;
    int beginner; // the lane that has block 0, -1: any
} lg_row_blocks;

// Reads all blocks. What fails first in their order is what is told: blocks in front of one that failed are
// still read. Fewer threads do the same where the system refuses some.
lg_status lg_row_team_read(lg_row_team *team, const lg_row_blocks *blocks, lg_error *error);
void lg_row_team_end(lg_row_team *team);

#endif
