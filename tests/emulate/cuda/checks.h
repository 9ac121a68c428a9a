// Compares what kernels compute with what CUDA's documentation says; the exit status says whether all is as expected.
#ifndef HIPPORT_TESTS_EMULATE_CUDA_CHECKS_H
#define HIPPORT_TESTS_EMULATE_CUDA_CHECKS_H

#include <cstdio>

static int wrong_values = 0;

template <typename T, typename U>
void expect(const char* what, int index, T got, U expected) {
  if (got == static_cast<T>(expected)) return;
  ++wrong_values;
  std::printf("%s[%d] is %g, not %g\n", what, index, static_cast<double>(got), static_cast<double>(expected));
}

inline int finished(const char* name) {
  std::printf(wrong_values == 0 ? "PASS: %s\n" : "FAIL: %s\n", name);
  return wrong_values != 0;
}

#endif
