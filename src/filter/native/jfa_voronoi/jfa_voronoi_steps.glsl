// Jump flooding: seeds (STEP 0), a step (STEP 1), and the colours of sites (STEP 2).
// Words: height, layers, step.
#include "filter/native/jfa_voronoi/jfa_voronoi_rule.h"

uint site_at(int x, int y, uint z)
{
    return lg_words(lg_row(lg.views[0], uint(y), z)).at[x];
}

// The nearest of nine; of equally near ones the first, the pixel's own before all others.
uint nearest(int x, int y, uint z)
{
    int step = int(lg.extra[2]), width = int(lg.width), height = int(lg.extra[0]);
    uint site = site_at(x, y, z);
    uint square = voronoi_square(site, x, y);
    for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++) {
            int column = x + j * step, row = y + i * step;
            if ((i == 0 && j == 0) || column < 0 || column >= width || row < 0 || row >= height)
                continue;
            uint other = site_at(column, row, z);
            uint distance = voronoi_square(other, x, y);
            site = distance < square ? other : site;
            square = distance < square ? distance : square;
        }
    return site;
}

void main()
{
    LG_EACH_SPAN(x0, y, z) {
#if STEP == 2
        LG_WORDS_OUT(result);
        [[unroll]] for (int j = 0; j < LG_SPAN; j++) {
            int x = min(x0 + j, width - 1);
            lg_pack(result, j, voronoi_color(site_at(x, y, z), x, y, width, height));
        }
        lg_flush(result, x0, y, z);
#elif STEP == 1
        lg_words(lg_row(lg.views[1], uint(y), z)).at[x0] = nearest(x0, y, z);
#else
        lg_words(lg_row(lg.views[1], uint(y), z)).at[x0] = voronoi_seed(lg_load_0(x0, y, z), x0, y);
#endif
    }
}
