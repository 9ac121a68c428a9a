/* The C interface to single kernels: memory of the device, and one call that launches any version of any kernel.
   Functions return 0, or another value where hipport_kernels_error() has the message (of this thread). */
#ifndef HIPPORT_KERNELS_H
#define HIPPORT_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A version of a kernel. What it takes (sizes, numbers, buffers) is said in the kernel's file. */
typedef struct {
  const char* name;
  int32_t version;       /* counted from 1 */
  const char* what;      /* a sentence on what is new in it */
  const int32_t* blocks; /* threads of a block that it can be launched with */
  int32_t block_count;
} hipport_kernel;

typedef struct {
  const int64_t* sizes;
  const float* numbers;
  void* const* buffers; /* memory of the device; null where the kernel says that it may be */
  int32_t size_count, number_count, buffer_count;
  int32_t block; /* threads, one of the version's */
} hipport_kernel_arguments;

int32_t hipport_kernels_count(void);
int hipport_kernels_describe(int32_t index, hipport_kernel* kernel);
/* Launches `repeat` times; without `seconds` it does not wait, with it all of them have ended when it returns. */
int hipport_kernels_launch(int32_t index, const hipport_kernel_arguments* arguments, int32_t repeat, double* seconds);
/* Launches `count` kernels, one after the other, and does not wait. */
int hipport_kernels_run(const int32_t* indices, const hipport_kernel_arguments* arguments, int32_t count);

int hipport_kernels_allocate(size_t bytes, void** memory);
void hipport_kernels_free(void* memory);
int hipport_kernels_upload(void* to, const void* from, size_t bytes);
int hipport_kernels_download(void* to, const void* from, size_t bytes);
int hipport_kernels_device(char* name, size_t bytes);

const char* hipport_kernels_error(void);

#ifdef __cplusplus
}
#endif

#endif
