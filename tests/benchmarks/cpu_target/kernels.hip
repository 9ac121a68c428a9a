// SPDX-License-Identifier: MIT
// Five computations as HIP kernels and as plain OpenMP loops. Prints for each its name, the least of several processor
// times of both in seconds, measured in turns, and the largest difference of the two results.
#include <hip/hip_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <vector>

namespace {

using Floats = std::vector<float>;

Floats ramp(size_t count) {
  Floats values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i * 2654435761u % 1000) / 1000.0f - 0.5f;
  return values;
}

// ---- vector addition ----

__global__ void add_kernel(const float* a, const float* b, float* c, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) c[i] = a[i] + b[i];
}
void add_openmp(const float* a, const float* b, float* c, int count) {
#pragma omp parallel for
  for (int i = 0; i < count; ++i) c[i] = a[i] + b[i];
}

// ---- matrix product by tiles in shared memory ----

constexpr int kTile = 16;

__global__ void gemm_kernel(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < n; k += kTile) {
    tile_a[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
void gemm_openmp(const float* a, const float* b, float* c, int n) {
#pragma omp parallel for
  for (int row = 0; row < n; ++row) {
    float* out = c + row * n;
    std::fill(out, out + n, 0.0f);
    for (int k = 0; k < n; ++k)
      for (int column = 0; column < n; ++column) out[column] += a[row * n + k] * b[k * n + column];
  }
}

// ---- sum: a partial sum per block ----

__global__ void reduce_kernel(const float* in, float* out, int count) {
  __shared__ float sums[256];
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) sum += in[i];
  sums[threadIdx.x] = sum;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}
void reduce_openmp(const float* in, float* out, int count, int blocks) {
  double sum = 0.0;
#pragma omp parallel for simd reduction(+ : sum)
  for (int i = 0; i < count; ++i) sum += in[i];
  std::fill(out, out + blocks, 0.0f);
  out[0] = static_cast<float>(sum);
}

// ---- five-point stencil on a square ----

__global__ void stencil_kernel(const float* in, float* out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  const float* at = in + y * n + x;
  out[y * n + x] = 0.5f * at[0] + 0.125f * (at[-1] + at[1] + at[-n] + at[n]);
}
void stencil_openmp(const float* in, float* out, int n) {
#pragma omp parallel for
  for (int y = 1; y < n - 1; ++y)
    for (int x = 1; x < n - 1; ++x) {
      const float* at = in + y * n + x;
      out[y * n + x] = 0.5f * at[0] + 0.125f * (at[-1] + at[1] + at[-n] + at[n]);
    }
}

// ---- attention of one head: a query row per block ----

constexpr int kDim = 64;

__global__ void attention_kernel(const float* q, const float* k, const float* v, float* out, int rows) {
  extern __shared__ float scores[];
  __shared__ float shared[2];
  const float* query = q + blockIdx.x * kDim;
  for (int j = threadIdx.x; j < rows; j += blockDim.x) {
    float product = 0.0f;
    for (int d = 0; d < kDim; ++d) product += query[d] * k[j * kDim + d];
    scores[j] = product;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    float largest = scores[0], total = 0.0f;
    for (int j = 1; j < rows; ++j) largest = fmaxf(largest, scores[j]);
    for (int j = 0; j < rows; ++j) total += scores[j] = expf(scores[j] - largest);
    shared[0] = total;
  }
  __syncthreads();
  float sum = 0.0f;
  for (int j = 0; j < rows; ++j) sum += scores[j] * v[j * kDim + threadIdx.x];
  out[blockIdx.x * kDim + threadIdx.x] = sum / shared[0];
}
void attention_openmp(const float* q, const float* k, const float* v, float* out, int rows) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) {
    Floats scores(rows);
    float largest = -INFINITY, total = 0.0f;
    for (int j = 0; j < rows; ++j) {
      float product = 0.0f;
      for (int d = 0; d < kDim; ++d) product += q[i * kDim + d] * k[j * kDim + d];
      largest = std::max(largest, scores[j] = product);
    }
    for (float& score : scores) total += score = std::exp(score - largest);
    for (int d = 0; d < kDim; ++d) out[i * kDim + d] = 0.0f;
    for (int j = 0; j < rows; ++j)
      for (int d = 0; d < kDim; ++d) out[i * kDim + d] += scores[j] * v[j * kDim + d] / total;
  }
}

struct Case {
  const char* name;
  size_t inputs, outputs;  // floats
  std::function<void(const Floats& in, float* out)> hip, openmp;
  bool sum;  // the outputs count by their sum
};

std::vector<Case> cases() {
  const int adds = 1 << 23, n = 512, sums = 1 << 24, blocks = 512, side = 4096, rows = 1024;
  return {
      {"add", adds, adds,
       [=](const Floats& in, float* out) {
         hipLaunchKernelGGL(add_kernel, dim3(adds / 256), dim3(256), 0, 0, in.data(), in.data(), out, adds);
       },
       [=](const Floats& in, float* out) { add_openmp(in.data(), in.data(), out, adds); }, false},
      {"gemm", n * n, n * n,
       [=](const Floats& in, float* out) {
         hipLaunchKernelGGL(gemm_kernel, dim3(n / kTile, n / kTile), dim3(kTile, kTile), 0, 0, in.data(), in.data(),
                            out, n);
       },
       [=](const Floats& in, float* out) { gemm_openmp(in.data(), in.data(), out, n); }, false},
      {"reduction", sums, blocks,
       [=](const Floats& in, float* out) {
         hipLaunchKernelGGL(reduce_kernel, dim3(blocks), dim3(256), 0, 0, in.data(), out, sums);
       },
       [=](const Floats& in, float* out) { reduce_openmp(in.data(), out, sums, blocks); }, true},
      {"stencil", side * side, side * side,
       [=](const Floats& in, float* out) {
         hipLaunchKernelGGL(stencil_kernel, dim3(side / 64, side / 4), dim3(64, 4), 0, 0, in.data(), out, side);
       },
       [=](const Floats& in, float* out) { stencil_openmp(in.data(), out, side); }, false},
      {"attention", rows * kDim, rows * kDim,
       [=](const Floats& in, float* out) {
         hipLaunchKernelGGL(attention_kernel, dim3(rows), dim3(kDim), rows * sizeof(float), 0, in.data(), in.data(),
                            in.data(), out, rows);
       },
       [=](const Floats& in, float* out) { attention_openmp(in.data(), in.data(), in.data(), out, rows); }, false},
  };
}

double seconds(const std::function<void()>& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

double difference(const Case& one, const Floats& a, const Floats& b) {
  double worst = 0.0, sum = 0.0;
  for (size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, std::fabs(static_cast<double>(a[i]) - b[i]));
    sum += static_cast<double>(a[i]) - b[i];
  }
  return one.sum ? std::fabs(sum) : worst;
}

}  // namespace

int main() {
  for (const Case& one : cases()) {
    const Floats in = ramp(one.inputs);
    Floats a(one.outputs), b(one.outputs);
    double hip = INFINITY, openmp = INFINITY;
    for (int i = 0; i < 6; ++i) {
      hip = std::min(hip, seconds([&] { one.hip(in, a.data()); }));
      openmp = std::min(openmp, seconds([&] { one.openmp(in, b.data()); }));
    }
    std::printf("%s %.6e %.6e %.3e\n", one.name, hip, openmp, difference(one, a, b));
  }
  return hipGetLastError() != hipSuccess;
}
