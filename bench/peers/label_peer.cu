// Times NPP's labels of connected components, 8-connected, resident on the GPU: the union-find alone, and
// with its labels made consecutive, which still are in no particular order. Prints CSV.
//
// nvcc -O3 -std=c++17 -arch=sm_90 label_peer.cu -o label_peer -lnppif -lnppc
// usage: label_peer SIZES     (3840x2160,16384x16384)
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "npp_context.h"

#include "../content.h"

static void must(bool done, const char *what)
{
    if (!done) {
        fprintf(stderr, "label_peer: %s\n", what);
        exit(4);
    }
}

// 0 and 255: 45 % of random pixels, or natural noise above its middle, as `lumagraph bench label-device` has
// it.
static std::vector<unsigned char> binary(int width, int height, int content)
{
    std::vector<unsigned char> pixels((size_t)width * height);
    content_source source = {};
    uint16_t *tile = content_tile();
    must(tile, "memory");
    source.tile = tile;
    content_fill(pixels.data(), width, width, height, 1, CONTENT_U8, content, &source);
    free(tile);
    const int level = content == CONTENT_RANDOM ? 139 : 127;
    for (auto &v : pixels)
        v = v > level ? 255 : 0;
    return pixels;
}

// Labels replace what was there before, so compressing is timed behind labelling each time.
static void time_labels(int width, int height, int content, const char *name)
{
    const NppiSize size = {width, height};
    const std::vector<unsigned char> pixels = binary(width, height, content);
    const int pitch = width * 4, most = width * height;
    unsigned char *from, *scratch, *compress_scratch = nullptr;
    Npp32u *labels;
    int bytes = 0, compress_bytes = 0, count = 0;
    must(nppiLabelMarkersUFGetBufferSize_32u_C1R(size, &bytes) >= 0, "size of the scratch memory");
    must(nppiCompressMarkerLabelsGetBufferSize_32u_C1R(most, &compress_bytes) >= 0,
         "size of the scratch memory");
    const bool consecutive = compress_bytes > 0; // the size of many labels does not fit its 32 bits
    must(!cudaMalloc(&from, pixels.size()) && !cudaMalloc(&labels, (size_t)pitch * height) &&
             !cudaMalloc(&scratch, bytes) &&
             (!consecutive || !cudaMalloc(&compress_scratch, compress_bytes)),
         "memory");
    must(!cudaMemcpy(from, pixels.data(), pixels.size(), cudaMemcpyHostToDevice), "upload");
    const NppStreamContext context = npp_context();
    cudaEvent_t at[3];
    for (auto &event : at)
        cudaEventCreate(&event);
    std::vector<float> label_times, whole_times;
    for (int i = 0; i < 25; i++) {
        cudaEventRecord(at[0]);
        must(nppiLabelMarkersUF_8u32u_C1R_Ctx(from, width, labels, pitch, size, nppiNormInf, scratch,
                                              context) >= 0,
             "labels");
        cudaEventRecord(at[1]);
        must(!consecutive ||
                 nppiCompressMarkerLabelsUF_32u_C1IR_Ctx(labels, pitch, size, most, &count,
                                                         compress_scratch, context) >= 0,
             "compressing");
        cudaEventRecord(at[2]);
        must(!cudaEventSynchronize(at[2]), "run");
        float label_ms, whole_ms;
        cudaEventElapsedTime(&label_ms, at[0], at[1]);
        cudaEventElapsedTime(&whole_ms, at[0], at[2]);
        if (i >= 10) {
            label_times.push_back(label_ms);
            whole_times.push_back(whole_ms);
        }
    }
    for (auto *times : {&label_times, &whole_times}) {
        if (times == &whole_times && !consecutive)
            continue;
        std::sort(times->begin(), times->end());
        const double us = (*times)[times->size() / 2] * 1e3;
        const char *what = times == &label_times ? "labels" : "labels, consecutive";
        printf("npp,\"%s\",%s,%d,%d,%d,%.2f\n", what, name, width, height, count, us);
    }
    cudaFree(from);
    cudaFree(labels);
    cudaFree(scratch);
    cudaFree(compress_scratch);
}

int main(int argc, char **argv)
{
    const char *list = argc > 1 ? argv[1] : "3840x2160,16384x16384";
    printf("peer,what,content,width,height,components,us\n");
    for (int width, height, length; sscanf(list, "%dx%d%n", &width, &height, &length) == 2;
         list += length + (list[length] == ',')) {
        time_labels(width, height, CONTENT_RANDOM, "random");
        time_labels(width, height, CONTENT_NATURAL, "natural");
    }
    return 0;
}
