// Kernels that a capture has recorded get other arguments and another grid by the functions for kernel nodes.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <vector>

static int wrong = 0;
#define EXPECT(what)                                 \
  do {                                               \
    if (!(what)) {                                   \
      std::printf("line %d: %s\n", __LINE__, #what); \
      ++wrong;                                       \
    }                                                \
  } while (0)
#define OK(call) EXPECT((call) == hipSuccess)

struct Pair {
  const int first;  // cannot be assigned
  short second;
};
__global__ void fill(int* data, int value) { data[blockIdx.x * blockDim.x + threadIdx.x] = value; }
template <typename T>
__global__ void add(T* data, Pair by) {
  data[blockIdx.x * blockDim.x + threadIdx.x] += by.first * by.second;
}
__global__ void scale(int* data, int by = 3) { data[blockIdx.x * blockDim.x + threadIdx.x] *= by; }

int main() {
  constexpr int size = 64;
  int* data = nullptr;
  OK(hipHostMalloc((void**)&data, size * sizeof(int), 0));
  hipStream_t stream;
  hipGraph_t graph;
  hipGraphExec_t executable;
  OK(hipStreamCreate(&stream));
  OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  int five = 5;
  void* arguments[] = {&data, &five};
  OK(hipLaunchKernel((const void*)fill, dim3(1), dim3(size), arguments, 0, stream));
  add<int><<<1, size, 0, stream>>>(data, Pair{2, 3});
  OK(hipStreamEndCapture(stream, &graph));

  hipGraphNode_t nodes[2];
  size_t count = 2;
  OK(hipGraphGetNodes(graph, nodes, &count));
  EXPECT(count == 2);
  hipKernelNodeParams filled = {}, added = {};
  OK(hipGraphKernelNodeGetParams(nodes[0], &filled));
  OK(hipGraphKernelNodeGetParams(nodes[1], &added));
  EXPECT(filled.func == (void*)fill && *static_cast<int*>(filled.kernelParams[1]) == 5 && filled.blockDim.x == size);
  EXPECT(static_cast<Pair*>(added.kernelParams[1])->second == 3 && added.gridDim.x == 1 && added.extra == nullptr);

  OK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  OK(hipGraphLaunch(executable, stream));
  OK(hipStreamSynchronize(stream));
  for (int i = 0; i < size; ++i) EXPECT(data[i] == 5 + 6);

  int forty = 40;
  Pair pair{10, 7};
  void *other[] = {&data, &forty}, *others[] = {&data, &pair};
  filled.kernelParams = other;
  added.kernelParams = others;
  added.blockDim = dim3(size / 2);
  OK(hipGraphExecKernelNodeSetParams(executable, nodes[0], &filled));
  OK(hipGraphExecKernelNodeSetParams(executable, nodes[1], &added));
  forty = 1;  // the arguments have been copied
  OK(hipGraphLaunch(executable, stream));
  OK(hipStreamSynchronize(stream));
  for (int i = 0; i < size; ++i) EXPECT(data[i] == (i < size / 2 ? 40 + 70 : 40));

  // The graph itself has the old arguments until it gets new ones.
  OK(hipGraphKernelNodeGetParams(nodes[0], &filled));
  EXPECT(*static_cast<int*>(filled.kernelParams[1]) == 5);
  OK(hipGraphKernelNodeSetParams(nodes[1], &added));
  added.blockDim = dim3(2000);
  EXPECT(hipGraphKernelNodeSetParams(nodes[1], &added) != hipSuccess);
  OK(hipGraphExecDestroy(executable));
  OK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  OK(hipGraphLaunch(executable, stream));
  OK(hipStreamSynchronize(stream));
  for (int i = 0; i < size; ++i) EXPECT(data[i] == (i < size / 2 ? 5 + 70 : 5));

  // Launches whose kernel is deduced from the arguments, or has default arguments, are recorded as they are.
  OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  add<<<1, size, 0, stream>>>(data, Pair{1, 2});
  scale<<<1, size / 2, 0, stream>>>(data);
  OK(hipStreamEndCapture(stream, &graph));
  for (int i = 0; i < size; ++i) EXPECT(data[i] == (i < size / 2 ? 5 + 70 : 5));
  OK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  OK(hipGraphLaunch(executable, stream));
  OK(hipStreamSynchronize(stream));
  for (int i = 0; i < size; ++i) EXPECT(data[i] == (i < size / 2 ? (5 + 70 + 2) * 3 : 5 + 2));
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
