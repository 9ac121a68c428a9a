// SPDX-License-Identifier: MIT
// Symbols: offsets, directions and ends. Host functions of a graph that is launched twice.
#include <cuda_runtime.h>

#include "checks.h"

struct Row {
  float a;
  int b[3];
  double c;
};
__constant__ Row rows[4];
__device__ unsigned char bytes[10];

__global__ void read(double* out) {
  out[0] = rows[2].b[1];
  out[1] = rows[3].c;
  out[2] = bytes[4];
}

static int called = 0;
static void count(void* by) { called += *static_cast<int*>(by); }

int main() {
  const Row row = {1.5f, {1, 2, 3}, -4};
  const double eight = 8.25;
  const unsigned char byte = 200;
  expect("to", 0, cudaMemcpyToSymbol(rows, &row, sizeof row, 2 * sizeof row), cudaSuccess);
  expect("to", 1, cudaMemcpyToSymbol(rows, &eight, 8, 3 * sizeof row + offsetof(Row, c), cudaMemcpyDefault),
         cudaSuccess);
  expect("to", 2, cudaMemcpyToSymbolAsync(bytes, &byte, 1, 4, cudaMemcpyDefault, 0), cudaSuccess);
  expect("to", 3, cudaMemcpyToSymbol(bytes, &row, 12), cudaErrorInvalidValue);
  expect("to", 4, cudaMemcpyToSymbol(bytes, &byte, 1, 10), cudaErrorInvalidValue);
  expect("to", 5, cudaMemcpyToSymbol(bytes, &byte, 1, 0, cudaMemcpyDeviceToHost), cudaErrorInvalidMemcpyDirection);
  double *out, got[3];
  cudaMalloc(&out, sizeof got);
  read<<<1, 1>>>(out);
  cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  const double expected[3] = {2, 8.25, 200};
  for (int i = 0; i < 3; ++i) expect("read", i, got[i], expected[i]);
  int second = 0;
  cudaMemcpyFromSymbol(&second, rows, 4, 2 * sizeof row + offsetof(Row, b) + 4, cudaMemcpyDefault);
  expect("from", 0, second, 2);

  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  int by = 3;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  cudaLaunchHostFunc(stream, count, &by);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&executable, graph, nullptr, nullptr, 0);
  for (int i = 0; i < 3; ++i) cudaGraphLaunch(executable, stream);
  cudaLaunchHostFunc(stream, count, &by);
  cudaStreamSynchronize(stream);
  expect("called", 0, called, 12);
  return finished("symbols");
}
