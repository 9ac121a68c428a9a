// Captures of a thread's default stream, and calls that make a capture invalid.
#include <cuda_runtime.h>

#include "checks.h"

__global__ void set(int* where, int value) { *where = value; }

static void per_thread(int* values) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamCaptureStatus status;
  size_t nodes = 0;
  expect("begin", 0, cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeThreadLocal), 0);
  set<<<1, 1, 0, cudaStreamPerThread>>>(values, 55);
  cudaStreamIsCapturing(cudaStreamPerThread, &status);
  expect("status", 0, static_cast<int>(status), static_cast<int>(cudaStreamCaptureStatusActive));
  expect("end", 0, cudaStreamEndCapture(cudaStreamPerThread, &graph), 0);
  cudaGraphGetNodes(graph, nullptr, &nodes);
  expect("nodes", 0, nodes, 1);
  expect("captured", 0, values[0], 0);
  cudaGraphInstantiate(&executable, graph, 0);
  expect("launch", 0, cudaGraphLaunch(executable, cudaStreamPerThread), 0);
  cudaStreamSynchronize(cudaStreamPerThread);
  expect("launched", 0, values[0], 55);
}

template <typename Call>
static void invalid(int index, cudaStream_t stream, Call call) {
  cudaGraph_t graph = reinterpret_cast<cudaGraph_t>(1);
  cudaStreamCaptureStatus status;
  expect("begin", index, cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), 0);
  expect("call", index, call(stream), cudaErrorStreamCaptureUnsupported);
  cudaStreamIsCapturing(stream, &status);
  expect("status", index, static_cast<int>(status), static_cast<int>(cudaStreamCaptureStatusInvalidated));
  expect("end", index, cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
  expect("graph", index, graph == nullptr, true);
  cudaStreamIsCapturing(stream, &status);
  expect("ended", index, static_cast<int>(status), static_cast<int>(cudaStreamCaptureStatusNone));
}

int main() {
  int* values;
  cudaMallocManaged(&values, sizeof(int));
  *values = 0;
  per_thread(values);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  invalid(1, stream, cudaStreamSynchronize);
  invalid(2, stream, cudaStreamQuery);
  invalid(3, cudaStreamPerThread, cudaStreamSynchronize);
  cudaGetLastError();
  const int none = *values - 56;  // -1, as a number of blocks more than 2^31 - 1
  set<<<none, 1>>>(values, 7);
  expect("negative grid", 0, cudaGetLastError() != cudaSuccess, true);
  return finished("captures");
}
