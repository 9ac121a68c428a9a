// What a CUDA compiler includes before the first line of a source, for libclang: CUDA's headers (the real ones, or those
// made of the tables), its words, and the functions of the device, which the real headers hide from other compilers.
#pragma once
#if __has_include(<new>)
#include <new>
#endif

#pragma clang force_cuda_host_device begin
#include <cuda_runtime.h>
#include <hipport_words.h>
#include <hipport_any.h>

extern "C" int cudaConfigureCall(dim3 grid, dim3 block, decltype(sizeof(0)) shared = 0, cudaStream_t stream = 0);
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, decltype(sizeof(0)) shared = 0, void* stream = 0);

extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;

int min(int, int);
unsigned min(unsigned, unsigned);
long long min(long long, long long);
unsigned long long min(unsigned long long, unsigned long long);
float min(float, float);
double min(double, double);
int max(int, int);
unsigned max(unsigned, unsigned);
long long max(long long, long long);
unsigned long long max(unsigned long long, unsigned long long);
float max(float, float);
double max(double, double);

#include <hipport_device.h>

#define __CUDACC__ 1
#define __NVCC__ 1
