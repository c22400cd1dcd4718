// States of moments in tests: equality bit for bit, and a line of text for a message.
#ifndef LG_TEST_STATES_H
#define LG_TEST_STATES_H

#include "measure/moments/moments.h"
#include "measurement.h"

bool same_state(const lg_moments_state *a, const lg_moments_state *b);
const char *state_text(const lg_moments_state *s, char text[640]);

// Moments in the harness of measurements. It compares states, which are not rounded.
extern const measure_case moments_case;

#endif
