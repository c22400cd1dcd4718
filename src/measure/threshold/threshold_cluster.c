// Levels by the means, variances and moments of the two classes.
#include "measure/threshold/threshold_classic.h"

#include <math.h>

// Ridler and Calvard 1978: the level is the middle of the class means. The lowest bin that holds the
// middle it leads to; one exists because the middle grows with the level and stays inside.
int32_t lg_classic_isodata(const lg_cumulative *t)
{
    for (int32_t k = t->first; k < t->last; k++) {
        const double middle = (lg_mean_below(t, k) + lg_mean_above(t, k)) / 2;
        if (middle >= k && middle < k + 1)
            return k;
    }
    return -1;
}

// The intermeans walk of ImageJ: from the lowest bin up until the level passes the middle of the
// class means, then the rounded middle. The end bins of the table, which often hold what was clipped
// or erased, take no part unless nothing else is left to divide.
int32_t lg_classic_default(const lg_cumulative *t)
{
    int32_t first = t->first, last = t->last;
    while (first < last && (first == 0 || t->counts[first] == 0))
        first++;
    while (last > first && (last == t->bins - 1 || t->counts[last] == 0))
        last--;
    if (first >= last || t->counts[first] == 0 || t->counts[last] == 0) {
        first = t->first;
        last = t->last;
    }
    const double n0 = first > 0 ? t->below[first - 1] : 0;
    const double m0 = first > 0 ? t->below_moment[first - 1] : 0;
    const double n1 = t->below[last], m1 = t->below_moment[last];
    double middle = first;
    for (int32_t k = first; k < last; k++) {
        const double low = (t->below_moment[k] - m0) / (t->below[k] - n0);
        const double high = (m1 - t->below_moment[k]) / (n1 - t->below[k]);
        middle = (low + high) / 2;
        if (k + 2 > middle || k + 2 >= last)
            break;
    }
    return (int32_t)floor(middle + 0.5);
}

static double times_log(double factor, double x)
{
    return x > 0 ? factor * log(x) : 0;
}

// Li and Lee 1993: least cross entropy between the table and its two class means, tried for every
// level instead of iterated (Li and Tam 1998), which can stop at a local minimum.
int32_t lg_classic_li(const lg_cumulative *t)
{
    int32_t best = -1;
    double max = 0;
    for (int32_t k = t->first; k < t->last; k++) {
        if (t->counts[k] == 0)
            continue;
        const double now = times_log(t->below_moment[k], lg_mean_below(t, k)) +
                           times_log(t->moment - t->below_moment[k], lg_mean_above(t, k));
        if (best < 0 || now > max) {
            best = k;
            max = now;
        }
    }
    return best;
}

// Kittler and Illingworth 1986: least expected error of two normal distributions. A bin's samples
// spread over its width, which adds 1/12 to each variance and keeps classes of one bin defined.
int32_t lg_classic_min_error(const lg_cumulative *t)
{
    // Deviations from the mean of all: no cancellation of large squares.
    const double centre = t->moment / t->total;
    double *squares = t->scratch, sum = 0;
    for (int32_t i = 0; i < t->bins; i++) {
        sum += (double)t->counts[i] * (i - centre) * (i - centre);
        squares[i] = sum;
    }
    int32_t best = -1;
    double min = 0;
    for (int32_t k = t->first; k < t->last; k++) {
        if (t->counts[k] == 0)
            continue;
        const double n1 = t->below[k], n2 = t->total - n1;
        const double d1 = lg_mean_below(t, k) - centre, d2 = lg_mean_above(t, k) - centre;
        const double v1 = fmax(squares[k] / n1 - d1 * d1, 0) + 1.0 / 12;
        const double v2 = fmax((sum - squares[k]) / n2 - d2 * d2, 0) + 1.0 / 12;
        const double p1 = n1 / t->total, p2 = n2 / t->total;
        const double now = p1 * log(v1) + p2 * log(v2) - 2 * (p1 * log(p1) + p2 * log(p2));
        if (best < 0 || now < min) {
            best = k;
            min = now;
        }
    }
    return best;
}

// Shannon's function of the membership of a bin `distance` bins from its class mean.
static double fuzziness(int32_t distance, double width)
{
    const double u = 1 / (1 + distance / width);
    return -times_log(u, u) - times_log(1 - u, 1 - u);
}

// Huang and Wang 1995: least fuzziness, with class means rounded to bins.
int32_t lg_classic_huang(const lg_cumulative *t)
{
    const int32_t width = t->last - t->first;
    double *cost = t->scratch;
    for (int32_t d = 0; d <= width; d++)
        cost[d] = fuzziness(d, width);
    int32_t best = -1;
    double min = 0;
    for (int32_t k = t->first; k < t->last; k++) {
        if (t->counts[k] == 0)
            continue;
        const int32_t low = (int32_t)floor(lg_mean_below(t, k) + 0.5);
        const int32_t high = (int32_t)floor(lg_mean_above(t, k) + 0.5);
        double now = 0;
        for (int32_t i = t->first; i <= t->last; i++) {
            const int32_t d = i - (i <= k ? low : high);
            now += cost[d < 0 ? -d : d] * (double)t->counts[i];
        }
        if (best < 0 || now < min) {
            best = k;
            min = now;
        }
    }
    return best;
}

// The level whose lower class is nearest to `wanted` samples; the lowest on a tie.
static int32_t nearest_share(const lg_cumulative *t, double wanted)
{
    int32_t best = -1;
    double min = 0;
    for (int32_t k = t->first; k < t->last; k++) {
        const double now = fabs(t->below[k] - wanted);
        if (best < 0 || now < min) {
            best = k;
            min = now;
        }
    }
    return best;
}

// Doyle 1962 with half of the samples as foreground.
int32_t lg_classic_percentile(const lg_cumulative *t)
{
    return nearest_share(t, t->total / 2);
}

// Tsai 1985: two grey values with the table's first three moments; the share of the darker one is
// the share of the lower class. Moments about the mean, where the first is 0.
int32_t lg_classic_moments(const lg_cumulative *t)
{
    const double centre = t->moment / t->total;
    double m2 = 0, m3 = 0;
    for (int32_t i = t->first; i <= t->last; i++) {
        const double d = i - centre, p = (double)t->counts[i] / t->total;
        m2 += p * d * d;
        m3 += p * d * d * d;
    }
    // The values are the roots of z^2 - skew z - m2, the darker one below 0, the other above.
    const double skew = m3 / m2, root = sqrt(skew * skew + 4 * m2);
    const double bright = (skew + root) / 2;
    return nearest_share(t, bright / root * t->total);
}
