// Times CUB and NPP on the benchmark's pixels, resident on the GPU. Prints CSV.
//
// nvcc -O3 -std=c++17 -arch=sm_90 cuda_peer.cu -o cuda_peer -lnppist -lnppc   (without NPP: no -l)
// usage: cuda_peer SIZES REGIMES     (1920x1080,3840x2160 cold,warm)
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <cub/cub.cuh>
#include <thrust/iterator/transform_iterator.h>
#if __has_include(<npp.h>)
#include "npp_context.h"
#define HAVE_NPP
#endif

#include "../content.h"

static void must(cudaError_t error)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "cuda_peer: %s\n", cudaGetErrorString(error));
        exit(4);
    }
}

#ifdef HAVE_NPP
static void must(NppStatus status)
{
    if (status < 0) {
        fprintf(stderr, "cuda_peer: NPP status %d\n", (int)status);
        exit(4);
    }
}
#endif

struct Picture {
    int width, height, channels, type, content;
    size_t bytes() const
    {
        const size_t size = type == CONTENT_U8 ? 1 : type == CONTENT_F32 ? 4 : 2;
        return (size_t)width * height * channels * size;
    }
    size_t stride() const
    {
        return bytes() / height;
    }
};

static const char *type_name(int type)
{
    return type == CONTENT_U8 ? "u8" : type == CONTENT_U16 ? "u16" : "f32";
}

static const char *const content_name[] = {"random", "natural", "constant"};

// Count, sum, sum of squares, minimum and maximum in one reduction: what our moments report.
struct Moments {
    double sum, squares;
    float low, high;
};

template <typename T> struct ToMoments {
    __host__ __device__ Moments operator()(T value) const
    {
        const double v = (double)value;
        return {v, v * v, (float)value, (float)value};
    }
};

struct Merge {
    __host__ __device__ Moments operator()(const Moments &a, const Moments &b) const
    {
        return {a.sum + b.sum, a.squares + b.squares, a.low < b.low ? a.low : b.low,
                a.high > b.high ? a.high : b.high};
    }
};

class Bench
{
  public:
    Bench(const Picture &picture, bool cold) : shape(picture), cold(cold)
    {
        const size_t count = cold ? ((size_t)256 << 20) / picture.bytes() + 1 : 1;
        std::vector<uint8_t> host(picture.bytes());
        content_source source = {};
        uint16_t *tile = content_tile();
        source.tile = tile;
        content_fill(host.data(), picture.stride(), picture.width, picture.height,
                     picture.channels, picture.type, picture.content, &source);
        free(tile);
        for (size_t i = 0; i < count; i++) {
            void *image;
            must(cudaMalloc(&image, picture.bytes()));
            must(cudaMemcpy(image, host.data(), picture.bytes(), cudaMemcpyHostToDevice));
            images.push_back(image);
        }
        must(cudaMalloc(&result, 1 << 20));
        must(cudaEventCreate(&start));
        must(cudaEventCreate(&stop));
    }
    ~Bench()
    {
        for (void *image : images)
            cudaFree(image);
        cudaFree(result);
        cudaFree(scratch);
        cudaEventDestroy(start);
        cudaEventDestroy(stop);
    }

    // `call` enqueues the work; `figure` reads the result back.
    void run(const char *bench, const char *peer, const char *variant,
             const std::function<void(const void *)> &call, const std::function<double()> &figure)
    {
        std::vector<double> host, device;
        // As long as ours: the clock must be up.
        const auto begin = std::chrono::steady_clock::now();
        for (size_t i = 0; std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(400);
             i++) {
            call(images[i % images.size()]);
            must(cudaDeviceSynchronize());
        }
        for (size_t i = 0; i < 30; i++) {
            const auto before = std::chrono::steady_clock::now();
            must(cudaEventRecord(start));
            call(images[i % images.size()]);
            must(cudaEventRecord(stop));
            must(cudaEventSynchronize(stop));
            const auto after = std::chrono::steady_clock::now();
            float milliseconds;
            must(cudaEventElapsedTime(&milliseconds, start, stop));
            device.push_back(milliseconds * 1e3);
            host.push_back(std::chrono::duration<double>(after - before).count() * 1e6);
        }
        std::sort(host.begin(), host.end());
        std::sort(device.begin(), device.end());
        printf("%s,%s,%s,%s,%d,%s,%d,%d,%s,%zu,%.3f,%.3f,%.3f,%.17g\n", peer, bench, variant,
               type_name(shape.type), shape.channels, content_name[shape.content], shape.width,
               shape.height, cold ? "cold" : "warm", host.size(), host[host.size() / 2], host[0],
               device[device.size() / 2], figure());
        fflush(stdout);
    }

    void *need(size_t bytes)
    {
        if (bytes > scratch_size) {
            cudaFree(scratch);
            must(cudaMalloc(&scratch, bytes));
            scratch_size = bytes;
        }
        return scratch;
    }

    template <typename T> T fetch(size_t offset = 0)
    {
        T value;
        must(cudaMemcpy(&value, (uint8_t *)result + offset, sizeof value, cudaMemcpyDeviceToHost));
        return value;
    }

    Picture shape;
    bool cold;
    void *result = nullptr;

  private:
    std::vector<void *> images;
    void *scratch = nullptr;
    size_t scratch_size = 0;
    cudaEvent_t start, stop;
};

static double bin_sum(Bench &bench, size_t bins)
{
    std::vector<int> counts(bins);
    must(cudaMemcpy(counts.data(), bench.result, bins * sizeof(int), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (size_t i = 0; i < bins; i++)
        sum += (double)counts[i] * (double)i;
    return sum;
}

// CUB histogram with 256 even bins per channel.
template <typename T, int CHANNELS> static void cub_histogram(Bench &bench, T top)
{
    using Level = std::conditional_t<std::is_floating_point_v<T>, T, int>;
    const int64_t pixels = (int64_t)bench.shape.width * bench.shape.height;
    int *counts[CHANNELS], levels[CHANNELS];
    Level low[CHANNELS], high[CHANNELS];
    for (int c = 0; c < CHANNELS; c++) {
        counts[c] = (int *)bench.result + 256 * c;
        levels[c] = 257;
        low[c] = 0;
        high[c] = std::is_floating_point_v<T> ? (Level)top : (Level)top + 1;
    }
    size_t bytes = 0;
    auto enqueue = [&](void *scratch, const void *image) {
        if constexpr (CHANNELS == 1)
            must(cub::DeviceHistogram::HistogramEven(scratch, bytes, (const T *)image, counts[0],
                                                     levels[0], low[0], high[0], (int)pixels));
        else
            must(cub::DeviceHistogram::MultiHistogramEven<CHANNELS, CHANNELS>(
                scratch, bytes, (const T *)image, counts, levels, low, high, (int)pixels));
    };
    enqueue(nullptr, nullptr);
    void *scratch = bench.need(bytes);
    bench.run("histogram", "CUB", "HistogramEven",
              [&](const void *image) { enqueue(scratch, image); },
              [&] { return bin_sum(bench, 256); });
}

template <typename T> static void cub_moments(Bench &bench)
{
    const int64_t samples = (int64_t)bench.shape.width * bench.shape.height;
    size_t bytes = 0;
    const Moments zero = {0, 0, 1e30f, -1e30f};
    auto enqueue = [&](void *scratch, const void *image) {
        // Not TransformReduce, whose vector loads of bytes end in a misaligned address.
        const auto values =
            thrust::make_transform_iterator((const T *)image, ToMoments<T>());
        must(cub::DeviceReduce::Reduce(scratch, bytes, values, (Moments *)bench.result, samples,
                                       Merge(), zero));
    };
    enqueue(nullptr, nullptr);
    void *scratch = bench.need(bytes);
    bench.run("moments", "CUB", "Reduce(sum+squares+min+max)",
              [&](const void *image) { enqueue(scratch, image); },
              [&] { return bench.fetch<Moments>().sum; });
}

static void cub_sum(Bench &bench)
{
    const int64_t samples = (int64_t)bench.shape.width * bench.shape.height;
    size_t bytes = 0;
    must(cub::DeviceReduce::Sum(nullptr, bytes, (const float *)nullptr, (float *)bench.result,
                                samples));
    void *scratch = bench.need(bytes);
    bench.run("moments", "CUB", "Sum alone",
              [&](const void *image) {
                  must(cub::DeviceReduce::Sum(scratch, bytes, (const float *)image,
                                              (float *)bench.result, samples));
              },
              [&] { return (double)bench.fetch<float>(); });
}

#ifdef HAVE_NPP
static void npp_moments(Bench &bench)
{
    const NppStreamContext context = npp_context();
    const NppiSize roi = {bench.shape.width, bench.shape.height};
    const int stride = (int)bench.shape.stride();
    const double samples = (double)roi.width * roi.height;
    double *mean = (double *)bench.result;
    size_t bytes = 0;
    if (bench.shape.type == CONTENT_U8)
        must(nppiMeanStdDevGetBufferHostSize_8u_C1R_Ctx(roi, &bytes, context));
    else
        must(nppiMeanStdDevGetBufferHostSize_32f_C1R_Ctx(roi, &bytes, context));
    Npp8u *scratch = (Npp8u *)bench.need(bytes);
    bench.run("moments", "NPP", "Mean_StdDev alone",
              [&](const void *image) {
                  if (bench.shape.type == CONTENT_U8)
                      must(nppiMean_StdDev_8u_C1R_Ctx((const Npp8u *)image, stride, roi, scratch,
                                                      mean, mean + 1, context));
                  else
                      must(nppiMean_StdDev_32f_C1R_Ctx((const Npp32f *)image, stride, roi, scratch,
                                                       mean, mean + 1, context));
              },
              [&] { return bench.fetch<double>() * samples; });
}

static void npp_histogram(Bench &bench)
{
    const NppStreamContext context = npp_context();
    const NppiSize roi = {bench.shape.width, bench.shape.height};
    const int stride = (int)bench.shape.stride();
    size_t bytes = 0;
    if (bench.shape.channels == 1) {
        must(nppiHistogramEvenGetBufferSize_8u_C1R_Ctx(roi, 257, &bytes, context));
        Npp8u *scratch = (Npp8u *)bench.need(bytes);
        bench.run("histogram", "NPP", "HistogramEven",
                  [&](const void *image) {
                      must(nppiHistogramEven_8u_C1R_Ctx((const Npp8u *)image, stride, roi,
                                                        (Npp32s *)bench.result, 257, 0, 256,
                                                        scratch, context));
                  },
                  [&] { return bin_sum(bench, 256); });
        return;
    }
    int levels[4] = {257, 257, 257, 257}, low[4] = {}, high[4] = {256, 256, 256, 256};
    Npp32s *counts[4];
    for (int c = 0; c < 4; c++)
        counts[c] = (Npp32s *)bench.result + 256 * c;
    must(nppiHistogramEvenGetBufferSize_8u_C4R_Ctx(roi, levels, &bytes, context));
    Npp8u *scratch = (Npp8u *)bench.need(bytes);
    bench.run("histogram", "NPP", "HistogramEven",
              [&](const void *image) {
                  must(nppiHistogramEven_8u_C4R_Ctx((const Npp8u *)image, stride, roi, counts,
                                                    levels, low, high, scratch, context));
              },
              [&] { return bin_sum(bench, 256); });
}

#else
static void npp_moments(Bench &)
{
}
static void npp_histogram(Bench &)
{
}
#endif

static void measure(const Picture &picture, bool cold)
{
    Bench bench(picture, cold);
    if (picture.type == CONTENT_U8 && picture.channels == 4) {
        cub_histogram<uint8_t, 4>(bench, 255);
        npp_histogram(bench);
    } else if (picture.type == CONTENT_U8) {
        cub_histogram<uint8_t, 1>(bench, 255);
        npp_histogram(bench);
    } else if (picture.type == CONTENT_U16) {
        cub_histogram<uint16_t, 1>(bench, 65535);
    } else {
        cub_histogram<float, 1>(bench, 1.0f);
    }
    if (picture.content != CONTENT_NATURAL || picture.channels != 1)
        return;
    if (picture.type == CONTENT_U8)
        cub_moments<uint8_t>(bench);
    else if (picture.type == CONTENT_U16)
        cub_moments<uint16_t>(bench);
    else
        cub_moments<float>(bench);
    if (picture.type == CONTENT_F32)
        cub_sum(bench);
    if (picture.type != CONTENT_U16)
        npp_moments(bench);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: cuda_peer SIZES REGIMES\n");
        return 2;
    }
    static const int shapes[][2] = {
        {CONTENT_U8, 1}, {CONTENT_U8, 4}, {CONTENT_U16, 1}, {CONTENT_F32, 1}};
    puts("peer,bench,variant,type,channels,content,width,height,regime,samples,call_median_us,"
         "call_min_us,device_median_us,figure");
    const std::string regimes = argv[2];
    for (const char *size = argv[1]; size && *size;) {
        int width = 0, height = 0;
        if (sscanf(size, "%dx%d", &width, &height) != 2)
            return 2;
        for (const auto &shape : shapes)
            for (int content = CONTENT_RANDOM; content <= CONTENT_CONSTANT; content++)
                for (const char *regime : {"cold", "warm"})
                    if (regimes.find(regime) != std::string::npos)
                        measure({width, height, shape[1], shape[0], content},
                                regime[0] == 'c');
        size = strchr(size, ',');
        size += size != nullptr;
    }
    return 0;
}
