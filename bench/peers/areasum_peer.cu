// Times NPP's integral image, resident on the GPU. Prints CSV.
//
// nvcc -O3 -std=c++17 -arch=sm_90 areasum_peer.cu -o areasum_peer -lnppist -lnppc
// usage: areasum_peer SIZES     (1920x1080,16384x16384)
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "npp_context.h"

static void must(bool done, const char *what)
{
    if (!done) {
        fprintf(stderr, "areasum_peer: %s\n", what);
        exit(4);
    }
}

static double time_integral(int width, int height)
{
    unsigned char *from;
    int *to;
    const size_t pitch = (size_t)(width + 1) * sizeof *to;
    must(!cudaMalloc(&from, (size_t)width * height) && !cudaMalloc(&to, pitch * (height + 1)), "memory");
    std::vector<unsigned char> noise((size_t)width * height);
    for (auto &v : noise)
        v = (unsigned char)(rand() >> 8);
    must(!cudaMemcpy(from, noise.data(), noise.size(), cudaMemcpyHostToDevice), "upload");

    const NppStreamContext context = npp_context();
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    std::vector<float> times;
    for (int i = 0; i < 25; i++) {
        cudaEventRecord(start);
        const NppStatus status =
            nppiIntegral_8u32s_C1R_Ctx(from, width, to, (int)pitch, {width, height}, 0, context);
        must(status >= 0, "NPP");
        cudaEventRecord(stop);
        must(!cudaEventSynchronize(stop), "run");
        float ms;
        cudaEventElapsedTime(&ms, start, stop);
        if (i >= 10)
            times.push_back(ms);
    }
    cudaFree(from);
    cudaFree(to);
    std::sort(times.begin(), times.end());
    return times[times.size() / 2] * 1e3;
}

int main(int argc, char **argv)
{
    const char *list = argc > 1 ? argv[1] : "3840x2160,16384x16384";
    printf("peer,what,width,height,us,gb_per_s\n");
    for (int width, height, length; sscanf(list, "%dx%d%n", &width, &height, &length) == 2;
         list += length + (list[length] == ',')) {
        const double us = time_integral(width, height);
        printf("npp,\"integral u8 -> i32\",%d,%d,%.2f,%.1f\n", width, height, us,
               5.0 * width * height / us / 1e3);
    }
    return 0;
}
