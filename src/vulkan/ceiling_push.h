// Push constants of ceiling.comp, one text for the host and the kernel.
#ifndef LG_CEILING_PUSH_H
#define LG_CEILING_PUSH_H

#include "kernel/subset.h"

LG_STRUCT(lg_ceiling_push)
{
    lg_address from, to; // multiples of 16
    lg_uint units;       // of 16 bytes, below 2^31
};

#endif
