// The benchmark as a program of its own: needs no image library.
#ifndef LG_BENCH_IN_TOOL
#include "bench.h"

int main(int argc, char **argv)
{
    return lg_bench_main(argc, argv);
}
#endif
