// Times NPP's filters on random bytes that lie on the GPU, and a copy of the same bytes. Prints CSV.
//
// nvcc -O3 -std=c++17 -arch=sm_90 npp_filters.cu -o npp_filters \
//     -lnppif -lnppig -lnppim -lnppicc -lnppidei -lnppc
// usage: npp_filters WIDTH HEIGHT [FILTER]     (16384 16384; of the filters one alone)
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "npp_context.h"

enum { RUNS = 9 };

static NppStreamContext context;
static NppiSize size;
static Npp8u *in, *out;

// A filter of grey or of four-channel bytes; the status of NPP.
typedef std::function<NppStatus(int step, int out_step)> Call;

struct Row {
    const char *name;
    int channels;
    double scale; // sides of the result over those of the image
    Call call;
};

static double median_us(const Call &call, int step, int out_step)
{
    std::vector<double> times;
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    for (int i = 0; i < RUNS + 3; i++) {
        float milliseconds = 0;
        cudaEventRecord(start);
        if (call(step, out_step) < 0)
            return -1;
        cudaEventRecord(stop);
        if (cudaEventSynchronize(stop) != cudaSuccess)
            return -1;
        cudaEventElapsedTime(&milliseconds, start, stop);
        if (i >= 3)
            times.push_back(milliseconds * 1e3);
        if (milliseconds > 2000)
            break;
    }
    std::sort(times.begin(), times.end());
    return times.empty() ? -1 : times[times.size() / 2];
}

static NppiSize scaled(double scale)
{
    return {(int)(size.width * scale), (int)(size.height * scale)};
}

static NppStatus resize(int channels, double scale, int method, int step, int out_step)
{
    const NppiSize to = scaled(scale);
    const NppiRect from = {0, 0, size.width, size.height}, whole = {0, 0, to.width, to.height};
    return channels == 1 ? nppiResize_8u_C1R_Ctx(in, step, size, from, out, out_step, to, whole,
                                                 method, context)
                         : nppiResize_8u_C4R_Ctx(in, step, size, from, out, out_step, to, whole,
                                                 method, context);
}

static NppStatus box(int channels, int side, int step, int out_step)
{
    const NppiSize mask = {side, side};
    const NppiPoint anchor = {side / 2, side / 2}, origin = {0, 0};
    return channels == 1
               ? nppiFilterBoxBorder_8u_C1R_Ctx(in, step, size, origin, out, out_step, size, mask,
                                                anchor, NPP_BORDER_REPLICATE, context)
               : nppiFilterBoxBorder_8u_C4R_Ctx(in, step, size, origin, out, out_step, size, mask,
                                                anchor, NPP_BORDER_REPLICATE, context);
}

static NppStatus gauss(int channels, NppiMaskSize mask, int step, int out_step)
{
    const NppiPoint origin = {0, 0};
    return channels == 1
               ? nppiFilterGaussBorder_8u_C1R_Ctx(in, step, size, origin, out, out_step, size, mask,
                                                  NPP_BORDER_REPLICATE, context)
               : nppiFilterGaussBorder_8u_C4R_Ctx(in, step, size, origin, out, out_step, size, mask,
                                                  NPP_BORDER_REPLICATE, context);
}

static NppStatus convolve(int channels, int step, int out_step)
{
    static Npp32s *kernel;
    const Npp32s weights[9] = {1, 2, 1, 2, 4, 2, 1, 2, 1};
    const NppiSize mask = {3, 3};
    const NppiPoint anchor = {1, 1}, origin = {0, 0};
    if (!kernel && (cudaMalloc(&kernel, sizeof weights) ||
                    cudaMemcpy(kernel, weights, sizeof weights, cudaMemcpyHostToDevice)))
        return NPP_ERROR;
    return channels == 1
               ? nppiFilterBorder_8u_C1R_Ctx(in, step, size, origin, out, out_step, size, kernel,
                                             mask, anchor, 16, NPP_BORDER_REPLICATE, context)
               : nppiFilterBorder_8u_C4R_Ctx(in, step, size, origin, out, out_step, size, kernel,
                                             mask, anchor, 16, NPP_BORDER_REPLICATE, context);
}

static NppStatus median(int channels, int side, int step, int out_step)
{
    static Npp8u *room;
    static Npp32u room_bytes;
    const NppiSize mask = {side, side};
    const NppiPoint anchor = {side / 2, side / 2}, origin = {0, 0};
    Npp32u bytes = 0;
    if (channels == 1)
        nppiFilterMedianBorderGetBufferSize_8u_C1R_Ctx(size, mask, &bytes, NPP_BORDER_REPLICATE,
                                                       context);
    else
        nppiFilterMedianBorderGetBufferSize_8u_C4R_Ctx(size, mask, &bytes, NPP_BORDER_REPLICATE,
                                                       context);
    if (bytes > room_bytes) {
        cudaFree(room);
        if (cudaMalloc(&room, bytes))
            return NPP_ERROR;
        room_bytes = bytes;
    }
    return channels == 1 ? nppiFilterMedianBorder_8u_C1R_Ctx(in, step, size, origin, out, out_step,
                                                             size, mask, anchor, room,
                                                             NPP_BORDER_REPLICATE, context)
                         : nppiFilterMedianBorder_8u_C4R_Ctx(in, step, size, origin, out, out_step,
                                                             size, mask, anchor, room,
                                                             NPP_BORDER_REPLICATE, context);
}

static NppStatus mirror(int channels, int step, int out_step)
{
    return channels == 1
               ? nppiMirror_8u_C1R_Ctx(in, step, out, out_step, size, NPP_VERTICAL_AXIS, context)
               : nppiMirror_8u_C4R_Ctx(in, step, out, out_step, size, NPP_VERTICAL_AXIS, context);
}

static NppStatus transpose(int channels, int step, int out_step)
{
    return channels == 1 ? nppiTranspose_8u_C1R_Ctx(in, step, out, out_step, size, context)
                         : nppiTranspose_8u_C4R_Ctx(in, step, out, out_step, size, context);
}

static NppStatus twist(int step, int out_step)
{
    const Npp32f matrix[3][4] = {
        {0.393f, 0.769f, 0.189f, 0}, {0.349f, 0.686f, 0.168f, 0}, {0.272f, 0.534f, 0.131f, 0}};
    return nppiColorTwist32f_8u_C4R_Ctx(in, step, out, out_step, size, matrix, context);
}

static NppStatus copy(int channels, int step, int out_step)
{
    return cudaMemcpyAsync(out, in, (size_t)step * size.height, cudaMemcpyDeviceToDevice)
               ? NPP_ERROR
               : NPP_SUCCESS;
}

int main(int argc, char **argv)
{
    if (argc != 3 && argc != 4) {
        fprintf(stderr, "usage: npp_filters WIDTH HEIGHT [FILTER]\n");
        return 2;
    }
    context = npp_context();
    size = {atoi(argv[1]), atoi(argv[2])};
    const size_t bytes = (size_t)size.width * size.height * 4;
    std::vector<uint8_t> host(bytes);
    uint32_t state = 1;
    for (uint8_t &b : host)
        b = (uint8_t)((state = state * 1664525u + 1013904223u) >> 24);
    if (cudaMalloc(&in, bytes) || cudaMalloc(&out, 4 * bytes) ||
        cudaMemcpy(in, host.data(), bytes, cudaMemcpyHostToDevice)) {
        fprintf(stderr, "npp_filters: no memory for %zu bytes\n", 5 * bytes);
        return 4;
    }
    std::vector<Row> rows;
    for (int c = 1; c <= 4; c += 3) {
        using std::placeholders::_1;
        using std::placeholders::_2;
        rows.push_back({"copy", c, 1, std::bind(copy, c, _1, _2)});
        rows.push_back({"mirror", c, 1, std::bind(mirror, c, _1, _2)});
        rows.push_back({"transpose", c, 1, std::bind(transpose, c, _1, _2)});
        rows.push_back({"convolution 3 x 3", c, 1, std::bind(convolve, c, _1, _2)});
        rows.push_back({"Gauss 5 x 5", c, 1, std::bind(gauss, c, NPP_MASK_SIZE_5_X_5, _1, _2)});
        rows.push_back({"Gauss 13 x 13", c, 1, std::bind(gauss, c, NPP_MASK_SIZE_13_X_13, _1, _2)});
        rows.push_back({"box 9 x 9", c, 1, std::bind(box, c, 9, _1, _2)});
        rows.push_back({"median 3 x 3", c, 1, std::bind(median, c, 3, _1, _2)});
        rows.push_back(
            {"resize 1/2 linear", c, 0.5, std::bind(resize, c, 0.5, NPPI_INTER_LINEAR, _1, _2)});
        rows.push_back(
            {"resize 1/2 super", c, 0.5, std::bind(resize, c, 0.5, NPPI_INTER_SUPER, _1, _2)});
        rows.push_back(
            {"resize 2 linear", c, 2, std::bind(resize, c, 2.0, NPPI_INTER_LINEAR, _1, _2)});
        rows.push_back(
            {"resize 1/2 Lanczos", c, 0.5, std::bind(resize, c, 0.5, NPPI_INTER_LANCZOS, _1, _2)});
    }
    rows.push_back({"color twist", 4, 1, twist});
    for (int c = 1; c <= 4; c += 3) // last: on images of 16384 x 16384 it writes outside its memory
        rows.push_back({"median 21 x 21", c, 1,
                        std::bind(median, c, 21, std::placeholders::_1, std::placeholders::_2)});
    puts("peer,filter,channels,width,height,device_median_us,times_of_copy");
    double copied[5] = {};
    for (const Row &row : rows) {
        const bool is_copy = row.name == std::string("copy");
        if (argc == 4 && !is_copy && row.name != std::string(argv[3]))
            continue;
        const int step = size.width * row.channels, out_step = (int)(step * row.scale);
        const double us =
            median_us(row.call, step,
                      row.name == std::string("transpose") ? size.height * row.channels : out_step);
        if (is_copy)
            copied[row.channels] = us;
        printf("NPP,%s,%d,%d,%d,%.1f,%.2f\n", row.name, row.channels, size.width, size.height, us,
               us / copied[row.channels]);
        fflush(stdout);
        if (cudaDeviceSynchronize()) {
            fprintf(stderr, "npp_filters: %s broke the device; no rows behind it\n", row.name);
            return 4;
        }
    }
    return 0;
}
