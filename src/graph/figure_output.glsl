// Writes the numbers of a measured parameter from the kernel that makes them to the stage that
// needs them.
#include "graph/figure_push.h"
#include "graph/figure_rule.h"

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer lg_numbers {
    float at[];
};

// Kept for the next run if needed.
void lg_figure_write(lg_figure_output to, uint i, float x)
{
    float now = x;
    if ((to.previous.x | to.previous.y) != 0u) {
        now = to.first_run != 0u ? x : lg_numbers(to.previous).at[i];
        lg_numbers(to.previous).at[i] = x;
    }
    lg_numbers(to.target).at[i] = now;
}

void lg_figure_write_fitted(lg_figure_output to, uint i, float x)
{
    lg_figure_write(to, i, lg_figure_fit(x, to.factor, to.offset, to.min, to.max, to.whole));
}
