// What NPP's functions want to know about the current device.
#ifndef LG_BENCH_NPP_CONTEXT_H
#define LG_BENCH_NPP_CONTEXT_H

#include <cstdio>
#include <cstdlib>

#include <npp.h>

static NppStreamContext npp_context()
{
    NppStreamContext context = {};
    cudaDeviceProp properties;
    if (cudaGetDevice(&context.nCudaDeviceId) ||
        cudaGetDeviceProperties(&properties, context.nCudaDeviceId)) {
        fprintf(stderr, "no CUDA device\n");
        exit(4);
    }
    context.nMultiProcessorCount = properties.multiProcessorCount;
    context.nMaxThreadsPerMultiProcessor = properties.maxThreadsPerMultiProcessor;
    context.nMaxThreadsPerBlock = properties.maxThreadsPerBlock;
    context.nSharedMemPerBlock = properties.sharedMemPerBlock;
    context.nCudaDevAttrComputeCapabilityMajor = properties.major;
    context.nCudaDevAttrComputeCapabilityMinor = properties.minor;
    return context;
}

#endif
