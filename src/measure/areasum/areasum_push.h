// Push constants of the kernels of area sums, one text for the host and the kernels.
#ifndef LG_AREASUM_PUSH_H
#define LG_AREASUM_PUSH_H

#include "kernel/subset.h"

LG_NUMBER(LG_AREA_LANES, 32) // threads along a row of a tile

// Passes of areasum_table.comp, and the number of words in front of the carries of chained tiles.
LG_NUMBER(LG_TABLE_CHAINED, 0)
LG_NUMBER(LG_TABLE_ROW_SUMS, 1)
LG_NUMBER(LG_TABLE_COLUMN_SUMS, 2)
LG_NUMBER(LG_TABLE_ENTRIES, 3)
LG_NUMBER(LG_TABLE_HEADER, 16)

// areasum_tiled.comp: passes; pixels along a tile's side; samples per thread; lines of a workgroup
// that sums along lines.
LG_NUMBER(LG_TILED_INSIDE, 0)
LG_NUMBER(LG_TILED_LEFT, 1)
LG_NUMBER(LG_TILED_ABOVE, 2)
LG_NUMBER(LG_TILED_SIDE, 16)
LG_NUMBER(LG_TILED_HELD, 8)
LG_NUMBER(LG_TILED_LINES, 32)

// areasum_ripmap.comp: stages; rows that a thread joins, and the levels above them; rows of a tile.
LG_NUMBER(LG_RIPMAP_SAMPLES, 0)
LG_NUMBER(LG_RIPMAP_NODES, 1)
LG_NUMBER(LG_RIPMAP_COLUMNS, 2)
LG_NUMBER(LG_RIPMAP_COLUMN, 32)
LG_NUMBER(LG_RIPMAP_COLUMN_LEVELS, 5)
LG_NUMBER(LG_RIPMAP_BATCH, 8)

// areasum_table.comp
LG_STRUCT(lg_area_table_push)
{
    lg_address data, layer_stride;        // multiples of 16
    lg_address table, table_layer_stride; // bytes
    lg_address carries;                   // CHAINED: a header, then records; else carries of rows
    lg_address column_carries;
    lg_address largest;            // a word: bits of the largest finite magnitude
    lg_address gave_up;            // CHAINED: device/lookback.h
    lg_uint row_stride, table_row; // bytes
    lg_uint width, height;         // samples of a row, rows
    lg_uint tiles_x, tiles_y;
    lg_uint tile_rows; // of all layers
    lg_uint advance;   // rows of tiles that advance together
    lg_uint first;     // first tile of this dispatch; unless CHAINED, in the order of the counter
    lg_uint tickets;   // of all dispatches
    lg_uint room;      // size of `carries` in vectors of 16 bytes
    lg_uint above;
    lg_int fraction;
};

// areasum_words.comp
LG_STRUCT(lg_area_words_push)
{
    lg_address data, layer_stride;
    lg_address table;
    lg_uint row_stride;                // bytes, a multiple of 4
    lg_uint width, height, layers;     // samples of a row, rows, layers
    lg_uint table_width, table_height; // words of a row, rows of a layer
    lg_int unit, below, split;     // exponent of the unit of floats; lg_area_below, lg_area_split
    lg_uint above_low, above_high; // bits of a double
    lg_uint count;                 // words
    lg_uint first;                 // of the first workgroup
};

LG_NUMBER(LG_AREA_SCAN, 256) // threads along a row

// areasum_scan.comp
LG_STRUCT(lg_area_scan_push)
{
    lg_address data;
    lg_uint entries; // of a row
    lg_uint first;   // line of the first workgroup: a channel of a row
};

// areasum_windows.comp
LG_STRUCT(lg_area_windows_push)
{
    lg_address table, boxes, results;
    lg_uint length_x, length_y; // entries of the table
    lg_uint count;              // channels of windows
    lg_uint first;              // of the first workgroup
};

// areasum_lines.comp
LG_STRUCT(lg_area_lines_push)
{
    lg_address data;
    lg_address outer_stride; // entries
    lg_address step;         // entries from k to k + 1
    lg_uint inner, lines;    // line i: i % inner + i / inner * outer_stride
    lg_uint count;           // entries of a line
    lg_uint first;           // line of the first workgroup
};

// areasum_largest.comp
LG_STRUCT(lg_area_largest_push)
{
    lg_address data, layer_stride;
    lg_address result;
    lg_uint row_stride;
    lg_uint width, height; // samples of a row, rows of a layer
    lg_uint rows;          // of all layers
};

// areasum_tiled.comp
LG_STRUCT(lg_area_tiled_push)
{
    lg_address data, layer_stride; // multiples of 16, as row_stride
    lg_address inside, left, above;
    lg_uint row_stride;
    lg_uint width, height, layers;
    lg_uint tiles_x, tiles_y; // of a layer, including the empty last ones
};

// areasum_ripmap.comp
LG_STRUCT(lg_area_ripmap_push)
{
    lg_address data;
    lg_address
        blocks; // addresses; block of levels (l0, l1, l2) at [l0 + levels_x * (l1 + levels_y * l2)]
    lg_uint row_stride;    // bytes; SAMPLES
    lg_uint width, height; // elements of the array
    lg_uint levels_x, levels_y;
    lg_uint base;                  // level of the input
    lg_uint tiles_x, tiles, first; // tiles: of a layer
    lg_uint write_first;           // 1: the block of levels (0, 0) is written too
    lg_uint above;
    lg_uint layer_groups;    // workgroups of a layer; COLUMNS: along a column
    lg_address layer_stride; // bytes; SAMPLES
    // COLUMNS joins rows or layers: their number and their levels; the distance in blocks from one
    // level to the next; the rows of each; levels of the first block; the first workgroup along the
    // columns.
    lg_uint extent, levels, next_block, rows, level_x, level_y, first_column;
    lg_uint max; // as in lg_area_rule
    lg_address largest;
    lg_int fraction;
};

// areasum_corners.comp
LG_STRUCT(lg_area_corners_push)
{
    lg_address table, boxes, results;
    lg_uint width, height; // of the array
    lg_uint count;         // channels of boxes
    lg_uint first;         // of the first workgroup
};

// areasum_nodes.comp
LG_STRUCT(lg_area_nodes_push)
{
    lg_address blocks; // addresses, as in areasum_ripmap.comp
    lg_address boxes, results;
    lg_uint width, levels_x; // of the array
    lg_uint dims;            // 1 to 3
    lg_uint count;           // channels of boxes
    lg_uint first;           // of the first workgroup
    lg_uint height, levels_y;
};

#endif
