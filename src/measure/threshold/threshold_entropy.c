// Levels by the entropies of the two classes.
#include "measure/threshold/threshold_classic.h"

#include <math.h>
#include <stdlib.h>

// Sum over bins 0..k of f(count) at scratch[k]; a function of the count alone.
static double *accumulate(const lg_cumulative *t, double *out, double (*f)(double p))
{
    double sum = 0;
    for (int32_t i = 0; i < t->bins; i++) {
        if (t->counts[i])
            sum += f((double)t->counts[i] / t->total);
        out[i] = sum;
    }
    return out;
}

static double p_log_p(double p)
{
    return p * log(p);
}

static double p_squared(double p)
{
    return p * p;
}

static double share_below(const lg_cumulative *t, int32_t k)
{
    return t->below[k] / t->total;
}

static double share_above(const lg_cumulative *t, int32_t k)
{
    return (t->total - t->below[k]) / t->total;
}

// Entropies of the classes in terms of the sums a and b of p log p, of sqrt p or of p^2.
static double shannon(double a, double b, double low, double high)
{
    return log(low) - a / low + log(high) - b / high;
}

static double renyi_half(double a, double b, double low, double high)
{
    return 2 * (log(a / sqrt(low)) + log(b / sqrt(high)));
}

static double renyi_two(double a, double b, double low, double high)
{
    return -log(a / (low * low)) - log(b / (high * high));
}

static double yen(double a, double b, double low, double high)
{
    return -log(a * b) + 2 * log(low * high);
}

static int32_t maximise(const lg_cumulative *t, double (*part)(double p),
                        double (*criterion)(double a, double b, double low, double high))
{
    const double *sum = accumulate(t, t->scratch, part);
    int32_t best = -1;
    double max = 0;
    for (int32_t k = t->first; k < t->last; k++) {
        if (t->counts[k] == 0)
            continue;
        const double now =
            criterion(sum[k], sum[t->last] - sum[k], share_below(t, k), share_above(t, k));
        if (best < 0 || now > max) {
            best = k;
            max = now;
        }
    }
    return best;
}

// Kapur, Sahoo and Wong 1985.
int32_t lg_classic_max_entropy(const lg_cumulative *t)
{
    return maximise(t, p_log_p, shannon);
}

// Yen, Chang and Chang 1995: greatest correlation criterion.
int32_t lg_classic_yen(const lg_cumulative *t)
{
    return maximise(t, p_squared, yen);
}

static int by_value(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

// Sahoo, Wilkins and Yeager 1997: a weighted mean of the levels of the entropies of order 1/2, 1 and
// 2. Levels within 5 grey values of 256 of each other count as near.
int32_t lg_classic_renyi_entropy(const lg_cumulative *t)
{
    int32_t k[3] = {maximise(t, sqrt, renyi_half), maximise(t, p_log_p, shannon),
                    maximise(t, p_squared, renyi_two)};
    qsort(k, 3, sizeof k[0], by_value);
    const double near = 5.0 * t->bins / 256;
    const bool low = k[1] - k[0] <= near, high = k[2] - k[1] <= near;
    static const double weights[2][2][3] = {{{1, 2, 1}, {3, 1, 0}}, {{0, 1, 3}, {1, 2, 1}}};
    const double *w = weights[low][high];
    const double below = share_below(t, k[0]), above = share_above(t, k[2]);
    const double between = share_below(t, k[2]) - below;
    const double level = k[0] * (below + between * w[0] / 4) + k[1] * between * w[1] / 4 +
                         k[2] * (above + between * w[2] / 4);
    // A mean of equal levels may round to just below them.
    return (int32_t)floor(level + 1e-9);
}

// Shanbhag 1994: the level at which both classes carry the most equal information. A bin belongs to
// its class the less certainly the more of the class lies between the bin and the far end: bins at
// the level are the doubtful ones.
int32_t lg_classic_shanbhag(const lg_cumulative *t)
{
    int32_t best = -1;
    double min = 0;
    for (int32_t k = t->first; k < t->last; k++) {
        if (t->counts[k] == 0)
            continue;
        const double n1 = t->below[k], n2 = t->total - n1;
        double low = 0, high = 0;
        for (int32_t i = t->first; i <= t->last; i++) {
            if (t->counts[i] == 0)
                continue;
            const double n = (double)t->counts[i];
            if (i <= k) // samples of darker bins of this class
                low -= n / n1 * log(1 - 0.5 * (t->below[i] - n) / n1);
            else // samples of brighter bins of this class
                high -= n / n2 * log(1 - 0.5 * (t->total - t->below[i]) / n2);
        }
        const double now = fabs(low - high);
        if (best < 0 || now < min) {
            best = k;
            min = now;
        }
    }
    return best;
}
