// What nvcc's --use_fast_math leaves alone: the order of sums, NaN and infinity.
#include <cmath>
#include <cstdio>

constexpr int kCount = 4096;

__global__ void compensated(const float* x, float* out) {
  float sum = 0, lost = 0;
  for (int i = 0; i < kCount; ++i) {
    const float next = x[i] - lost, total = sum + next;
    lost = (total - sum) - next;
    sum = total;
  }
  out[0] = sum;
  out[1] = isnan(x[kCount]);
  out[2] = x[kCount] == x[kCount];
  out[3] = isinf(x[kCount + 1]);
  out[4] = isfinite(x[kCount + 1]) || signbit(x[0]);
}

int main() {
  float *x, *out;
  if (cudaMallocManaged(&x, (kCount + 2) * sizeof(float)) != cudaSuccess) return 2;
  if (cudaMallocManaged(&out, 5 * sizeof(float)) != cudaSuccess) return 2;
  for (int i = 0; i < kCount; ++i) x[i] = i == 0 ? 1e4f : 1e-5f;
  x[kCount] = NAN;
  x[kCount + 1] = INFINITY;
  compensated<<<1, 1>>>(x, out);
  if (cudaDeviceSynchronize() != cudaSuccess) return 3;
  std::printf("%.3f %g %g %g %g\n", out[0], out[1], out[2], out[3], out[4]);
  return 0;
}
