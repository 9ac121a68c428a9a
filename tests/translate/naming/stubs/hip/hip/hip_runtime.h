// The few declarations of HIP that translations of the generated programs use.
#pragma once
typedef struct ihipStream_t* hipStream_t;
enum hipError_t { hipSuccess = 0 };
hipError_t hipFree(void* pointer);
#define HIPFFT_FORWARD -1
struct rocrand_state {};
typedef struct rocrand_state hiprandState;
unsigned long long __ballot(int predicate);
