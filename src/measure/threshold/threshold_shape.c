// Levels by the shape of the curve of counts: two peaks and the valley between, or one peak and its
// tail.
#include "core/u1024.h"
#include "measure/threshold/threshold_classic.h"

#include <math.h>

#define LG_SMOOTHINGS 10000

// ---- two peaks --------------------------------------------------------------------------------------

typedef struct lg_peaks {
    int count;             // all peaks
    int32_t first, second; // of exactly two
} lg_peaks;

// Peaks are runs of equal values with lower ones, or the end of the table, on both sides; a run
// stands at its middle.
static lg_peaks find_peaks(const double *curve, int32_t bins)
{
    lg_peaks out = {0, -1, -1};
    bool rising = true;
    int32_t start = 0;
    for (int32_t i = 1; i <= bins; i++) {
        if (i < bins && curve[i] == curve[i - 1])
            continue;
        const bool falls = i == bins || curve[i] < curve[i - 1];
        if (falls && rising) {
            out.first = out.count == 0 ? (start + i - 1) / 2 : out.first;
            out.second = out.count == 1 ? (start + i - 1) / 2 : out.second;
            out.count++;
        }
        rising = !falls;
        start = i;
    }
    return out;
}

// Prewitt and Mendelsohn 1966: a running mean over three bins (0 beyond the ends) until two peaks
// are left. Returns the curve, NULL when it never has exactly two.
static const double *smooth_to_two(const lg_cumulative *t, lg_peaks *peaks)
{
    double *now = t->scratch, *next = t->scratch + t->bins;
    for (int32_t i = 0; i < t->bins; i++)
        now[i] = (double)t->counts[i];
    for (int round = 0; round < LG_SMOOTHINGS; round++) {
        *peaks = find_peaks(now, t->bins);
        if (peaks->count == 2)
            return now;
        if (peaks->count < 2)
            return NULL; // smoothing makes no new peaks
        for (int32_t i = 0; i < t->bins; i++) {
            const double left = i > 0 ? now[i - 1] : 0, right = i + 1 < t->bins ? now[i + 1] : 0;
            next[i] = (left + now[i] + right) / 3;
        }
        double *swap = now;
        now = next;
        next = swap;
    }
    return NULL;
}

int32_t lg_classic_intermodes(const lg_cumulative *t)
{
    lg_peaks peaks;
    if (!smooth_to_two(t, &peaks))
        return -1;
    return (peaks.first + peaks.second) / 2;
}

int32_t lg_classic_minimum(const lg_cumulative *t)
{
    lg_peaks peaks;
    const double *curve = smooth_to_two(t, &peaks);
    if (!curve)
        return -1;
    int32_t best = peaks.first;
    for (int32_t i = peaks.first; i < peaks.second; i++)
        if (curve[i] < curve[best])
            best = i;
    return best;
}

// ---- one peak and its tail --------------------------------------------------------------------------

// Steps from the peak to the bin that lies deepest below the line from the peak's top to the foot
// one bin beyond the tail's end; `step` is the direction. Exact: |height * reach| < 2^80.
static int32_t deepest(const lg_cumulative *t, int32_t peak, int32_t step)
{
    const int32_t end = step > 0 ? t->last : t->first;
    const int32_t reach = (end - peak) * step + 1;
    __int128 max = 0;
    int32_t best = 0;
    for (int32_t d = 0; d < reach; d++) {
        const __int128 line = (__int128)t->counts[peak] * (reach - d);
        const __int128 depth = line - (__int128)t->counts[peak + d * step] * reach;
        if (depth > max) {
            max = depth;
            best = d;
        }
    }
    return best;
}

// Zack, Rogers and Latt 1977. The longer tail is the one with the objects: bins from the peak to the
// deepest are the background's class, so a mirrored table gives the mirrored classes.
int32_t lg_classic_triangle(const lg_cumulative *t)
{
    int32_t peak = t->first;
    for (int32_t i = t->first; i <= t->last; i++)
        if (t->counts[i] > t->counts[peak])
            peak = i;
    int32_t level;
    if (t->last - peak >= peak - t->first)
        level = peak + deepest(t, peak, 1);
    else
        level = peak - deepest(t, peak, -1) - 1;
    return LG_MAX(t->first, LG_MIN(level, t->last - 1));
}
