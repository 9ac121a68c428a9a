// SPDX-License-Identifier: MIT
// printf with many arguments and all conversions.
#include "show.h"

__global__ void all(const char* given, double number) {
  printf("%d %u %x %X %o %c %s|%5d|%-5d|%05d|%+d\n", -1, 4000000000u, 0xbeef, 0xBEEF, 8, 'c', "text", 42, 42, 42, 42);
  printf("%lld %llu %lx %hhd %hd %zu\n", -1234567890123ll, 18446744073709551615ull, 0xfffffffffful, char(-3), short(-9),
         sizeof(long));
  printf("%f %e %g %.3f %10.2f|%-10.1e|%G\n", number, number, number, number, number, number, number * 1e-10);
  printf("%s%% %.2s %8s %-8s|\n", "100", "abcdef", "right", "left");
  printf("%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
         15, 16, 17, 18, 19, 20);
  printf("%s %f %s %d %s %g %s %lld\n", "a", 1.5, "bc", 2, "def", 3.25, "", 4ll);
  printf("no arguments\n");
  printf("%.*f %*d\n", 2, 3.14159, 6, 5);
  if (given != nullptr) printf("given\n");
}
__global__ void each() {
  if (threadIdx.x % 16 == 3)
    printf("thread %u of block %u: %f\n", unsigned(threadIdx.x), unsigned(blockIdx.x), unsigned(threadIdx.x) / 2.0);
}

int main() {
  all<<<1, 1>>>(nullptr, 12345.678);
  if (hipDeviceSynchronize() != hipSuccess) return 1;
  for (int i = 0; i < 2; ++i) {
    each<<<1, 64>>>();
    if (hipDeviceSynchronize() != hipSuccess) return 1;
  }
}
