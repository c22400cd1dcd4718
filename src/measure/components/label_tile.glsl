// The common parts of the kernels of labels.
//
// The image is cut into tiles of TILE_WORDS x 32 columns and TILE_ROWS rows. A bit is a pixel, a
// word 32 pixels of a row. A run is a maximal sequence of set bits within a word; if only equal
// values join, its pixels are equal too. The runs of a tile are numbered in raster order. So the
// run of a bit follows from the number of the word's first run and a count of starts. The first
// pixel of a component, within a tile or in the image, is the first of a run.
#extension GL_EXT_shader_16bit_storage : require
#include "kernel/memory.glsl"
#include "measure/components/label_push.h"

layout(constant_id = 1) const uint TILE_WORDS = 4; // a multiple of 4
layout(constant_id = 2) const uint TILE_ROWS = 64;
layout(constant_id = 3) const uint EACH = 1; // words of a thread that ranks roots: 1, 4 or 16
layout(constant_id = 9) const uint VALUES = 0; // bytes of a sample, if only equal ones join; else 0

const uint COLUMNS = 32u * TILE_WORDS, WORDS = TILE_WORDS * TILE_ROWS; // of a tile
const uint RUNS = (VALUES == 0u ? 16u : 32u) * WORDS;                  // at most
const uint TILE_BYTES = (VALUES == 0u ? 8u : 12u) * WORDS;             // of `words`
const uint RANKED = 64u * EACH; // segments of a group
const uint TAKEN = 0u; // a word of the header

layout(push_constant, scalar) uniform parameters {
    lg_label_push p;
};

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer word_records {
    uvec2 at[];
};
layout(buffer_reference, scalar, buffer_reference_align = 2) buffer root_places {
    uint16_t at[];
};
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer mark_vectors {
    uvec4 at[];
};
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer plain_words {
    uint at[];
};

// ---- places -------------------------------------------------------------------------------------

// One element each: a device may count the bytes of an index in 32 bits.
uvec2 element(uvec2 from, uint index, uint size)
{
    return lg_add64(from, lg_mul64(index, uvec2(size, 0u)));
}

struct tile_place {
    uint x, row; // of tiles, in all layers
};

uint first_row(uint tile_row)
{
    const uint layer = tile_row / p.tiles_y;
    return layer * p.height + (tile_row - layer * p.tiles_y) * TILE_ROWS;
}

uint tile_number(tile_place at)
{
    return at.row * p.tiles_x + at.x;
}

// The number of a pixel from its position in a tile.
uint pixel_number(tile_place at, uint place)
{
    return (first_row(at.row) + place / COLUMNS) * p.width + at.x * COLUMNS + place % COLUMNS;
}

word_records tile_words(tile_place at)
{
    return word_records(lg_add64(p.words, lg_mul64(tile_number(at), uvec2(TILE_BYTES, 0u))));
}

plain_words tile_starts(tile_place at)
{
    const uvec2 words = lg_mul64(tile_number(at), uvec2(TILE_BYTES, 0u));
    return plain_words(lg_add64(p.words, lg_add64(words, uvec2(8u * WORDS, 0u))));
}

root_places tile_roots(tile_place at)
{
    return root_places(lg_add64(p.roots, lg_mul64(tile_number(at), uvec2(4u * RUNS, 0u))));
}

// ---- bits ---------------------------------------------------------------------------------------

// When values do not matter.
uint starts_of(uint bits)
{
    return bits & ~(bits << 1);
}

// The run that begins with the bit `first`.
uint run_bits(uint bits, uint starts, uint first)
{
    const uint rest = VALUES == 0u ? bits : (bits & ~starts) | first;
    return rest & ~(rest + first);
}

// The bits up to bit i.
uint up_to(uint i)
{
    return (2u << i) - 1u;
}

uint first_run(uvec2 word)
{
    return word.y & 0xffffu;
}

// The number of the run that bit i belongs to.
uint run_number(uvec2 word, uint starts, uint i)
{
    return first_run(word) + bitCount(starts & up_to(i)) - 1u;
}

// Bits of a word and of the word above it, or in another row. The bits of neighbours next to them
// are 0 or 1.
struct surroundings {
    uint bits, above, left, right, above_left, above_right;
};

// Pixels that join those of the row above, or another row, one for each pair of runs: `vertical`
// joins the pixel above, `left` and `right` those beside it. `corners`: all bits if corners join,
// else 0.
struct links {
    uint vertical, left, right;
};

links links_of(surroundings s, uint corners)
{
    links l;
    l.vertical = s.bits & s.above;
    const uint corner = s.bits & ~s.above & corners;
    l.left = corner & (s.above << 1 | s.above_left) & ~(s.bits << 1 | s.left);
    l.right = corner & (s.above >> 1 | s.above_right << 31) & ~(s.bits >> 1 | s.right << 31);
    l.vertical &= ~(l.vertical << 1 | (s.left & s.above_left));
    return l;
}
