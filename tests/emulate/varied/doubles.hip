// SPDX-License-Identifier: MIT
// Functions of floating-point numbers: results that are exact, and others to 9 digits.
#include "show.h"

#include <cmath>

__device__ double rounded(double value) {
  if (value == 0 || isnan(value) || isinf(value)) return isnan(value) ? 0.5 : value;
  int exponent;
  const double fraction = frexp(value, &exponent);
  return ldexp(rint(fraction * 134217728.0), exponent - 27);
}
__global__ void exact(double* out, float* floats) {
  const int i = int(thread_number());
  const double x = (int(scrambled(unsigned(i))) >> 3) * 0x1p-20, y = (int(scrambled(unsigned(i + 99))) >> 9) * 0x1p-7;
  int exponent;
  double all[] = {x / y,
                  sqrt(fabs(x)),
                  fma(x, y, 1.0),
                  floor(x),
                  ceil(y),
                  trunc(x),
                  rint(y),
                  round(x),
                  fmod(x, y),
                  fmin(x, y),
                  fmax(x, y),
                  copysign(x, y),
                  frexp(x, &exponent),
                  ldexp(y, i % 40 - 20),
                  x * y - x,
                  double(llrint(x)),
                  double(float(x)),
                  double(int(y)),
                  fdim(x, y),
                  remainder(x, y),
                  double(exponent)};
  for (int k = 0; k < 21; ++k) out[i * 21 + k] = all[k];
  const float a = float(x), b = float(y);
  float single[] = {a / b,     sqrtf(fabsf(a)), fmaf(a, b, 1.0f),       fmodf(a, b), remainderf(a, b),
                    floorf(b), roundf(a),       ldexpf(a, i % 60 - 30), a * 1e-42f,  float(unsigned(fabsf(a))),
                    truncf(b), rintf(a)};
  for (int k = 0; k < 12; ++k) floats[i * 12 + k] = single[k];
}
__global__ void close(double* out) {
  const int i = int(thread_number());
  const double x = fma(double(i), 0.37, 0.01), y = fma(double(i), 0.11, -3.0);
  double all[] = {sin(x),  cos(x),   tan(y / 4), exp(y),       log(x),      pow(x, y), atan2(y, x),  sinh(y),
                  tanh(y), erf(y),   cbrt(x),    hypot(x, y),  log1p(x),    expm1(y),  asin(y / 20), tgamma(x / 10 + 1),
                  exp2(y), log10(x), rsqrt(x),   sin(x * 1e6), acosh(x + 1)};
  for (int k = 0; k < 21; ++k) out[i * 21 + k] = rounded(all[k]);
}

int main() {
  auto* const out = zeros<double>(128 * 21);
  auto* const floats = zeros<float>(128 * 12);
  exact<<<2, 64>>>(out, floats);
  show("doubles", out, 128 * 21);
  show("floats", floats, 128 * 12);
  close<<<2, 64>>>(out);
  std::vector<double> all(128 * 21);
  if (hipMemcpy(all.data(), out, all.size() * sizeof(double), hipMemcpyDeviceToHost) != hipSuccess) return 1;
  for (size_t i = 0; i < all.size(); i += 5) std::printf("%.7g\n", all[i]);
}
