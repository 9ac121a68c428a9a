// SPDX-License-Identifier: MIT
// As much of libcudart as a traced program needs, on memory of the host. A kernel is a function that is given its
// arguments as the array of pointers to them.
#include <cstdlib>
#include <cstring>

struct Dim3 {
  unsigned x, y, z;
};

extern "C" {
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*) {}
int __cudaGetKernel(void** handle, const void* host) {
  *handle = new const void*(host);
  return 0;
}
int __cudaLaunchKernel(void* handle, Dim3, Dim3, void** values, size_t, void*) {
  reinterpret_cast<void (*)(void**)>(*static_cast<void**>(handle))(values);
  return 0;
}
int cudaLaunchKernel(const void* host, Dim3, Dim3, void** values, size_t, void*) {
  reinterpret_cast<void (*)(void**)>(const_cast<void*>(host))(values);
  return 0;
}
int cudaMalloc(void** pointer, size_t size) {
  *pointer = std::malloc(size);
  for (size_t i = 0; i < size; ++i) static_cast<char*>(*pointer)[i] = static_cast<char>(std::rand());
  return 0;
}
int cudaFree(void* pointer) {
  std::free(pointer);
  return 0;
}
int cudaMemset(void* to, int value, size_t size) {
  std::memset(to, value, size);
  return 0;
}
int cudaMemcpy(void* to, const void* from, size_t size, int) {
  std::memcpy(to, from, size);
  return 0;
}
int cudaDeviceSynchronize() { return 0; }
int cudaStreamIsCapturing(void*, int* state) {
  *state = 0;
  return 0;
}
}
