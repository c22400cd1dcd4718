// Levels of a Gaussian of bytes: two samples of 16 bits in a word, which are computed together.
//
// CH 4: a word has red and blue of a pixel, or green and alpha; a row of a level has a line of the first
// and a line of the others. CH 1: a word has two neighbours of a row, the first at an even place.
#if CH == 4
#define LINES 2
#else
#define LINES 1
#endif
#define THREADS int(LG_GROUP_X)
#define EACH    (4 * LINES) // words that a thread has of a row: four columns of each line
#define ONES    0x10001u    // 1 in both samples

// Words of push constants. Places of rows and words are counted in those of the level, those of an image
// from its first.
#define LAYERS         lg.extra[0]
#define BAND           int(lg.extra[1]) // rows of the result
#define TO_ROWS        int(lg.extra[2])
#define TO_WORDS       int(lg.extra[3]) // of a line, pixels of an image
#define TO_FIRST_ROW   int(lg.extra[4])
#define TO_FIRST       int(lg.extra[5])
#define FROM_ROWS      int(lg.extra[6])
#define FROM_WORDS     int(lg.extra[7])
#define FROM_FIRST     int(lg.extra[8])
#define FROM_FIRST_ROW int(lg.extra[9])
#define FROM_LINE      (int(lg.views[0].row_stride) / (4 * LINES)) // words from line to line
#define TO_LINE        (int(lg.views[1].row_stride) / (4 * LINES))

layout(buffer_reference, scalar, buffer_reference_align = 8) buffer word_pairs {
    uvec2 at[];
};

// The neighbours of two samples, of which `own` has one and a neighbour's word the other.
uint left_of(uint before, uint own)
{
#if CH == 4
    return before;
#else
    return own << 16 | before >> 16;
#endif
}

uint right_of(uint own, uint behind)
{
#if CH == 4
    return behind;
#else
    return own >> 16 | behind << 16;
#endif
}

// Samples are below 2^14, so that no sum reaches the other half of a word.
uint halves(uint sums)
{
    return sums >> 1 & 0x7fff7fffu;
}

uint quarters(uint sums)
{
    return sums >> 2 & 0x3fff3fffu;
}

// The low halves of two words, and the high ones.
uint low_halves(uint a, uint b)
{
    return (a & 0xffffu) | b << 16;
}

uint high_halves(uint a, uint b)
{
    return a >> 16 | (b & 0xffff0000u);
}
