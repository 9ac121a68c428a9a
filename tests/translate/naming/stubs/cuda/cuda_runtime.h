// The few declarations of CUDA that the generated programs use.
#pragma once
#define CUDART_VERSION 12000
typedef struct CUstream_st* cudaStream_t;
enum cudaError { cudaSuccess = 0 };
typedef enum cudaError cudaError_t;
cudaError_t cudaFree(void* pointer);
void __trap();
#define CUFFT_FORWARD -1
struct curandStateXORWOW {};
typedef struct curandStateXORWOW curandState;
unsigned __ballot_sync(unsigned mask, int predicate);
