// Files in tiles of which several writers write rows, and then levels: each tile has its place before that.
#ifndef LG_TILE_SHARE_H
#define LG_TILE_SHARE_H

#include "io/row_writer.h"

// Of a writer of some rows, whose stream is open: `state`. It holds a row of tiles.
lg_status lg_tile_share_join(lg_row_writer *writer, const lg_row_share *share, lg_error *error);
extern const lg_row_sink lg_row_sink_tile_share;

// Rows first to end of a file like that become those of another one.
lg_status lg_tile_share_copy(const lg_row_share *share, int from, int to, int64_t first,
                             int64_t end, lg_error *error);
// Part `part` of `parts` of all levels behind the first, whose rows are in `fd`.
lg_status lg_tile_share_levels(const lg_row_share *share, int fd, int part, int parts,
                               lg_error *error);

#endif
