// Appends the peaks of view 0, red from a threshold on, to the list of a layer, in any order: an integer
// with the order of the value, and row times width plus column. Defined before: THRESHOLD: index of the
// parameter. Words: height, layers, address of the lists, address of their lengths, most peaks of a layer.
#include "filter/native/hough/hough_rule.h"

// Beyond the last angle lines begin anew with the opposite distance; beyond the first and the last distance
// there is nothing.
float vote_at(int x, int y, uint z, int width, int height)
{
    if (x < 0 || x >= width) {
        x = x < 0 ? width - 1 : 0;
        y = height - 1 - y;
    }
    return y < 0 || y >= height ? lg_from_bits(0xff800000u) : lg_load_0(x, y, z).r;
}

bool is_peak(float v, int x, int y, uint z, int width, int height)
{
    bool peak = true;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            float other = vote_at(x + dx, y + dy, z, width, height);
            bool before = dx < 0 || (dx == 0 && dy < 0), above = v > other, equal = v >= other;
            peak = peak && ((dx == 0 && dy == 0) || (before ? above : equal));
        }
    return peak;
}

void main()
{
    int height = int(lg.extra[0]), layers = int(lg.extra[1]), width = lg_param_int(5);
    lg_words lists = lg_words(uvec2(lg.extra[2], lg.extra[3]));
    lg_words lengths = lg_words(uvec2(lg.extra[4], lg.extra[5]));
    float threshold = lg_param_float(THRESHOLD);
    int x = int(gl_GlobalInvocationID.x);
    if (x >= width)
        return;
    LG_EACH_ROW(y, z, 0, height, layers) {
        float v = lg_load_0(x, y, z).r;
        if (v >= threshold && is_peak(v, x, y, z, width, height)) {
            uint at = 2u * (z * lg.extra[6] + atomicAdd(lengths.at[z], 1u));
            lists.at[at] = hough_key(v);
            lists.at[at + 1u] = uint(y * width + x);
        }
    }
}
