// Graphs node by node and by capture, with the order, the edges and the memory that they are to have.
// As in programs of the time before std::swap was everywhere.
template <typename T>
void swap(T& a, T& b) {
  T c = a;
  a = b;
  b = c;
}

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

__global__ void scale(int* data, int factor) { data[threadIdx.x] *= factor; }
template <typename T>
__global__ void shift(T* data, T by) {
  data[threadIdx.x] += by;
}
static void note(void* counter) { ++*static_cast<int*>(counter); }

constexpr int size = 32;

static hipKernelNodeParams kernel_params(void* kernel, void** arguments) {
  hipKernelNodeParams params = {};
  params.func = kernel;
  params.gridDim = dim3(1);
  params.blockDim = dim3(size);
  params.kernelParams = arguments;
  return params;
}

// (i * 3 + 5) by a copy, two kernels and a copy back; then other parameters in the executable graph.
static void nodes() {
  std::vector<int> in(size), out(size);
  for (int i = 0; i < size; ++i) in[i] = i;
  int *device = nullptr, factor = 3, by = 5, notes = 0;
  OK(hipMalloc(&device, size * sizeof(int)));
  hipGraph_t graph;
  hipGraphNode_t to, times, plus, back, host, empty;
  OK(hipGraphCreate(&graph, 0));
  OK(hipGraphAddMemcpyNode1D(&to, graph, nullptr, 0, device, in.data(), size * sizeof(int), hipMemcpyHostToDevice));
  {
    // Arguments are copied when the node is made.
    int* pointer = device;
    int passed = factor;
    void* arguments[] = {&pointer, &passed};
    hipKernelNodeParams params = kernel_params((void*)scale, arguments);
    OK(hipGraphAddKernelNode(&times, graph, &to, 1, &params));
    passed = 1000;
  }
  // Added before what it depends on.
  OK(hipGraphAddMemcpyNode1D(&back, graph, nullptr, 0, out.data(), device, size * sizeof(int), hipMemcpyDeviceToHost));
  void* arguments[] = {&device, &by};
  hipKernelNodeParams shifted = kernel_params(reinterpret_cast<void*>(shift<int>), arguments);
  OK(hipGraphAddKernelNode(&plus, graph, &times, 1, &shifted));
  OK(hipGraphAddDependencies(graph, &plus, &back, 1));
  EXPECT(hipGraphAddDependencies(graph, &plus, &back, 1) == hipErrorInvalidValue);
  hipHostNodeParams host_params = {note, &notes};
  OK(hipGraphAddHostNode(&host, graph, &back, 1, &host_params));
  OK(hipGraphAddEmptyNode(&empty, graph, &host, 1));

  size_t count = 0, edges = 0, roots = 0;
  OK(hipGraphGetNodes(graph, nullptr, &count));
  OK(hipGraphGetEdges(graph, nullptr, nullptr, &edges));
  OK(hipGraphGetRootNodes(graph, nullptr, &roots));
  EXPECT(count == 6 && edges == 5 && roots == 1);
  hipGraphNodeType type;
  OK(hipGraphNodeGetType(plus, &type));
  EXPECT(type == hipGraphNodeTypeKernel);
  size_t dependents = 1;
  hipGraphNode_t dependent = nullptr;
  OK(hipGraphNodeGetDependentNodes(plus, &dependent, &dependents));
  EXPECT(dependents == 1 && dependent == back);

  hipGraphExec_t executable;
  OK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  OK(hipGraphLaunch(executable, nullptr));
  for (int i = 0; i < size; ++i) EXPECT(out[i] == i * 3 + 5);
  EXPECT(notes == 1);

  by = 7;
  OK(hipGraphExecKernelNodeSetParams(executable, plus, &shifted));
  OK(hipGraphNodeSetEnabled(executable, host, 0));
  OK(hipGraphLaunch(executable, nullptr));
  for (int i = 0; i < size; ++i) EXPECT(out[i] == i * 3 + 7);
  EXPECT(notes == 1);
  hipKernelNodeParams read = {};
  OK(hipGraphKernelNodeGetParams(plus, &read));
  EXPECT(read.func == (void*)shift<int> && *static_cast<int*>(read.kernelParams[1]) == 5);

  // A graph in a graph, and a copy of it, twice the work.
  hipGraph_t outer, clone;
  hipGraphNode_t first, second, found;
  OK(hipGraphCreate(&outer, 0));
  OK(hipGraphAddChildGraphNode(&first, outer, nullptr, 0, graph));
  OK(hipGraphAddChildGraphNode(&second, outer, &first, 1, graph));
  OK(hipGraphClone(&clone, outer));
  OK(hipGraphNodeFindInClone(&found, second, clone));
  EXPECT(found != second);
  OK(hipGraphDestroy(outer));
  hipGraphExec_t twice;
  OK(hipGraphInstantiate(&twice, clone, nullptr, nullptr, 0));
  OK(hipGraphLaunch(twice, nullptr));
  EXPECT(notes == 3);

  // A cycle is no graph that can run; a graph of another shape is no update.
  OK(hipGraphAddDependencies(graph, &back, &times, 1));
  EXPECT(hipGraphInstantiate(&twice, graph, nullptr, nullptr, 0) == hipErrorInvalidValue);
  hipGraphExecUpdateResult result;
  hipGraphNode_t error_node;
  EXPECT(hipGraphExecUpdate(executable, clone, &error_node, &result) == hipErrorGraphExecUpdateFailure);
  EXPECT(result == hipGraphExecUpdateErrorTopologyChanged);
  OK(hipGraphDestroyNode(times));
  OK(hipGraphGetNodes(graph, nullptr, &count));
  EXPECT(count == 5);
  OK(hipGraphExecDestroy(executable));
  OK(hipGraphDestroy(graph));
  OK(hipGraphDestroy(clone));
  OK(hipFree(device));
}

// A fork and a join, memory from the graph; both streams are free again afterwards.
static void capture() {
  hipStream_t main, other;
  hipEvent_t fork, join;
  OK(hipStreamCreate(&main));
  OK(hipStreamCreate(&other));
  OK(hipEventCreate(&fork));
  OK(hipEventCreate(&join));
  int *device = nullptr, out[size] = {};
  OK(hipStreamBeginCapture(main, hipStreamCaptureModeGlobal));
  OK(hipMallocAsync(&device, sizeof(out), main));
  OK(hipMemsetAsync(device, 0, sizeof(out), main));
  OK(hipEventRecord(fork, main));
  OK(hipStreamWaitEvent(other, fork, 0));
  shift<int><<<1, size, 0, other>>>(device, 4);
  OK(hipEventRecord(join, other));
  hipStreamCaptureStatus status;
  OK(hipStreamIsCapturing(other, &status));
  EXPECT(status == hipStreamCaptureStatusActive);
  OK(hipStreamWaitEvent(main, join, 0));
  OK(hipMemcpyAsync(out, device, sizeof(out), hipMemcpyDeviceToHost, main));
  OK(hipFreeAsync(device, main));
  hipGraph_t graph;
  EXPECT(hipStreamEndCapture(other, &graph) == hipErrorStreamCaptureUnmatched);
  OK(hipStreamEndCapture(main, &graph));
  OK(hipStreamIsCapturing(other, &status));
  EXPECT(status == hipStreamCaptureStatusNone && out[3] == 0);
  size_t count = 0, edges = 0;
  OK(hipGraphGetNodes(graph, nullptr, &count));
  OK(hipGraphGetEdges(graph, nullptr, nullptr, &edges));
  EXPECT(count == 5 && edges == 5);  // the copy comes behind the memset and the kernel
  hipGraphExec_t executable;
  OK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  for (int run = 0; run < 2; ++run) {
    out[3] = 0;
    OK(hipGraphLaunch(executable, main));
    EXPECT(out[3] == 4);
  }
  OK(hipGraphExecDestroy(executable));
  OK(hipGraphDestroy(graph));

  OK(hipStreamBeginCapture(main, hipStreamCaptureModeGlobal));
  OK(hipEventRecord(fork, main));
  OK(hipStreamWaitEvent(other, fork, 0));
  OK(hipLaunchHostFunc(other, note, out));
  EXPECT(hipStreamEndCapture(main, &graph) == hipErrorStreamCaptureUnjoined);
  OK(hipStreamSynchronize(other));
  OK(hipStreamDestroy(main));
  OK(hipStreamDestroy(other));
}

int main() {
  nodes();
  capture();
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
