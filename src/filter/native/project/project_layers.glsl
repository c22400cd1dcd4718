// Projections: a thread goes through the layers at its pixels. Defined before: FIGURE; DATA,
// whether the fourth channel is one like the others. Words: height and layers of the result, layers of the
// image.
#include "filter/native/project/project_rule.h"

#if FIGURE <= 1

color project(int x, int y, uint layers)
{
    color c = lg_load_0(x, y, 0u);
    for (uint z = 1u; z < layers; z++) {
        color v = lg_load_0(x, y, z);
        const bool least = FIGURE == LG_PROJECT_MIN;
        c = rgba(project_outer(c.r, v.r, least), project_outer(c.g, v.g, least),
                 project_outer(c.b, v.b, least), project_outer(c.a, v.a, least));
    }
    return c;
}

#else

struct project_sums {
    color sum, lost;
};

float project_plus(float a, float b)
{
    LG_FLOAT sum = a + b;
    return sum;
}

project_sums project_add(project_sums s, color v)
{
    color t = rgba(project_plus(s.sum.r, v.r), project_plus(s.sum.g, v.g), project_plus(s.sum.b, v.b),
                   project_plus(s.sum.a, v.a));
    color lost = rgba(project_plus(s.lost.r, project_lost(s.sum.r, v.r, t.r)),
                      project_plus(s.lost.g, project_lost(s.sum.g, v.g, t.g)),
                      project_plus(s.lost.b, project_lost(s.sum.b, v.b, t.b)),
                      project_plus(s.lost.a, project_lost(s.sum.a, v.a, t.a)));
    return project_sums(t, lost);
}

color project(int x, int y, uint layers)
{
    const color zero = rgba(0.0, 0.0, 0.0, 0.0);
    float n = float(int(layers));
    project_sums s = project_sums(zero, zero);
    for (uint z = 0u; z < layers; z++)
        s = project_add(s, lg_load_0(x, y, z));
    color mean = rgba(project_mean(s.sum.r, s.lost.r, n), project_mean(s.sum.g, s.lost.g, n),
                      project_mean(s.sum.b, s.lost.b, n), project_mean(s.sum.a, s.lost.a, n));
#if FIGURE == 2
    return mean;
#elif FIGURE == 3
    return rgba(project_sum(s.sum.r, s.lost.r), project_sum(s.sum.g, s.lost.g),
                project_sum(s.sum.b, s.lost.b), DATA ? project_sum(s.sum.a, s.lost.a) : mean.a);
#else
    s = project_sums(zero, zero);
    for (uint z = 0u; z < layers; z++) {
        color v = lg_load_0(x, y, z);
        s = project_add(s, rgba(project_square(v.r, mean.r), project_square(v.g, mean.g),
                                project_square(v.b, mean.b), project_square(v.a, mean.a)));
    }
    return rgba(project_stddev(s.sum.r, s.lost.r, n), project_stddev(s.sum.g, s.lost.g, n),
                project_stddev(s.sum.b, s.lost.b, n),
                DATA ? project_stddev(s.sum.a, s.lost.a, n) : mean.a);
#endif
}

#endif

void main()
{
    LG_EACH_SPAN(x0, y, z) {
        LG_WORDS_OUT(result);
        [[unroll]] for (int j = 0; j < LG_SPAN; j++)
            lg_pack(result, j, project(min(x0 + j, width - 1), y, lg.extra[2]));
        lg_flush(result, x0, y, z);
    }
}
