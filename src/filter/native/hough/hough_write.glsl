// Votes as shares of the longer side: column by angle, row by distance. Words: height, layers, address of
// votes, bits of the share of one vote.
#include "filter/native/hough/hough_rule.h"

void main()
{
    lg_words votes = lg_words(uvec2(lg.extra[2], lg.extra[3]));
    float unit = lg_from_bits(lg.extra[4]);
    LG_EACH_SPAN(x0, y, z) {
        LG_WORDS_OUT(result);
        [[unroll]] for (int j = 0; j < LG_SPAN; j++) {
            uint x = uint(min(x0 + j, width - 1));
            float v = hough_share(votes.at[(z * uint(width) + x) * uint(height) + uint(y)], unit);
            lg_pack(result, j, rgba(v, v, v, 1.0));
        }
        lg_flush(result, x0, y, z);
    }
}
