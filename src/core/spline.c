#include "core/spline.h"

// The tridiagonal system from the top down, then back.
void lg_spline_bend(lg_spline *s)
{
    double upper[LG_SPLINE_POINTS] = {0};
    const double *x = s->x, *y = s->y;
    s->bend[0] = s->bend[s->count - 1] = 0;
    for (int i = 1; i < s->count - 1; i++) {
        const double before = x[i] - x[i - 1], after = x[i + 1] - x[i];
        const double turn = (y[i + 1] - y[i]) / after - (y[i] - y[i - 1]) / before;
        const double pivot = (before + after) / 3 - before / 6 * upper[i - 1];
        upper[i] = after / 6 / pivot;
        s->bend[i] = (turn - before / 6 * s->bend[i - 1]) / pivot;
    }
    for (int i = s->count - 2; i > 0; i--)
        s->bend[i] -= upper[i] * s->bend[i + 1];
}

double lg_spline_at(const lg_spline *s, double x)
{
    if (x <= s->x[0])
        return s->y[0];
    int i = 0;
    while (i < s->count - 2 && x > s->x[i + 1])
        i++;
    if (x >= s->x[i + 1])
        return s->y[i + 1];
    const double h = s->x[i + 1] - s->x[i], t = (x - s->x[i]) / h, u = 1 - t;
    const double bent = (u * u * u - u) * s->bend[i] + (t * t * t - t) * s->bend[i + 1];
    const double y = u * s->y[i] + t * s->y[i + 1] + h * h / 6 * bent;
    return y < 0 ? 0 : y > 1 ? 1 : y;
}
