// Natural cubic splines: curves of tone through control points.
#ifndef LG_SPLINE_H
#define LG_SPLINE_H

enum { LG_SPLINE_POINTS = 256 };

typedef struct lg_spline {
    int count;                                       // 2 or more
    double x[LG_SPLINE_POINTS], y[LG_SPLINE_POINTS]; // x grows
    double bend[LG_SPLINE_POINTS];                   // second derivatives, by lg_spline_bend
} lg_spline;

// Finds the second derivatives: 0 at both ends.
void lg_spline_bend(lg_spline *s);

// The curve at x, clamped to 0..1; beyond the first and the last point it goes on as at them.
double lg_spline_at(const lg_spline *s, double x);

#endif
