// SPDX-License-Identifier: MIT
// Functions of the host that differ between releases of HIP, or that refuse arguments; an array of one slice.
#include <hip/hip_runtime.h>

#include <cstdio>

static int wrong = 0;
#define EXPECT(what)                                 \
  do {                                               \
    if (!(what)) {                                   \
      std::printf("line %d: %s\n", __LINE__, #what); \
      ++wrong;                                       \
    }                                                \
  } while (0)

__device__ int variable;

// Enumerators have the numbers of the release that this is compiled with.
static void memory_types() {
  void *device = nullptr, *host = nullptr;
  EXPECT(hipMalloc(&device, 64) == hipSuccess && hipHostMalloc(&host, 64, 0) == hipSuccess);
  for (void* const pointer : {device, host}) {
    const hipMemoryType expected = pointer == device ? hipMemoryTypeDevice : hipMemoryTypeHost;
    hipPointerAttribute_t all = {};
    EXPECT(hipPointerGetAttributes(&all, pointer) == hipSuccess);
#if HIP_VERSION_MAJOR < 6
    EXPECT(all.memoryType == expected);
#else
    EXPECT(all.type == expected);
#endif
    hipMemoryType type = {};
    EXPECT(hipPointerGetAttribute(&type, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer) == hipSuccess);
    EXPECT(type == expected);
    hipPointer_attribute wanted = HIP_POINTER_ATTRIBUTE_MEMORY_TYPE;
    void* to = &type;
    type = {};
    EXPECT(hipDrvPointerGetAttributes(1, &wanted, &to, pointer) == hipSuccess && type == expected);
  }
}

static void directions() {
  int from = 5, to = 0;
  const auto unknown = static_cast<hipMemcpyKind>(99);
  const hipError_t refused = hipErrorInvalidMemcpyDirection;
  EXPECT(hipMemcpy(&to, &from, 4, unknown) == refused);
  EXPECT(hipMemcpyAsync(&to, &from, 4, unknown, nullptr) == refused);
  EXPECT(hipMemcpy2D(&to, 4, &from, 4, 4, 1, unknown) == refused);
  EXPECT(hipMemcpyToSymbol(HIP_SYMBOL(variable), &from, 4, 0, unknown) == refused);
  EXPECT(hipMemcpyFromSymbol(&to, HIP_SYMBOL(variable), 4, 0, unknown) == refused);
  EXPECT(to == 0);
  EXPECT(hipMemcpyToSymbol(HIP_SYMBOL(variable), &from, 4, 0, hipMemcpyDefault) == hipSuccess);
  EXPECT(hipMemcpyFromSymbol(&to, HIP_SYMBOL(variable), 4, 0, hipMemcpyDeviceToHost) == hipSuccess && to == 5);
}

__device__ int pair[2];

static void nodes_of_symbols() {
  const int first[2] = {1, 2}, second = 3, third = 4;
  int found[2] = {}, last = 0;
  hipGraph_t graph = nullptr;
  hipGraphNode_t to = nullptr, from = nullptr;
  hipGraphExec_t executable = nullptr;
  const auto symbol = HIP_SYMBOL(pair);
  EXPECT(hipGraphCreate(&graph, 0) == hipSuccess);
  EXPECT(hipGraphAddMemcpyNodeToSymbol(&to, graph, nullptr, 0, symbol, first, 12, 0, hipMemcpyHostToDevice) ==
         hipErrorInvalidValue);
  EXPECT(hipGraphAddMemcpyNodeToSymbol(&to, graph, nullptr, 0, symbol, first, 4, 8, hipMemcpyHostToDevice) ==
         hipErrorInvalidValue);
  EXPECT(hipGraphAddMemcpyNodeToSymbol(&to, graph, nullptr, 0, &found, first, 4, 0, hipMemcpyHostToDevice) ==
         hipErrorInvalidSymbol);
  EXPECT(hipGraphAddMemcpyNodeToSymbol(&to, graph, nullptr, 0, symbol, first, 8, 0, hipMemcpyHostToDevice) ==
         hipSuccess);
  EXPECT(hipGraphAddMemcpyNodeFromSymbol(&from, graph, &to, 1, found, symbol, 8, 0, hipMemcpyDeviceToHost) ==
         hipSuccess);
  const auto run = [&] {
    EXPECT(hipGraphLaunch(executable, nullptr) == hipSuccess && hipDeviceSynchronize() == hipSuccess);
  };
  EXPECT(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0) == hipSuccess);
  run();
  EXPECT(found[0] == 1 && found[1] == 2);
  EXPECT(hipGraphExecMemcpyNodeSetParamsToSymbol(executable, to, symbol, &second, 4, 4, hipMemcpyHostToDevice) ==
         hipSuccess);
  EXPECT(hipGraphExecMemcpyNodeSetParamsFromSymbol(executable, from, &last, symbol, 4, 4, hipMemcpyDeviceToHost) ==
         hipSuccess);
  run();
  EXPECT(last == 3 && found[1] == 2);
  EXPECT(hipGraphMemcpyNodeSetParamsToSymbol(to, symbol, &third, 4, 0, hipMemcpyHostToDevice) == hipSuccess);
  EXPECT(hipGraphMemcpyNodeSetParamsFromSymbol(from, &last, symbol, 4, 0, hipMemcpyDeviceToHost) == hipSuccess);
  EXPECT(hipGraphExecDestroy(executable) == hipSuccess);
  EXPECT(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0) == hipSuccess);
  run();
  EXPECT(last == 4);
  EXPECT(hipMemcpyFromSymbol(found, HIP_SYMBOL(pair), 8, 0, hipMemcpyDeviceToHost) == hipSuccess);
  EXPECT(found[0] == 4 && found[1] == 3);
  EXPECT(hipMemcpyFromSymbol(found, HIP_SYMBOL(pair), 8, 4, hipMemcpyDeviceToHost) == hipErrorInvalidValue);
}

#ifdef IMAGES
// On gfx90a the array says how many coordinates there are. The register after those of a plane holds 9.
__global__ void write(const unsigned* descriptor, const float* values) {
#ifdef __gfx90a__
  typedef unsigned Descriptor __attribute__((ext_vector_type(8)));
  const unsigned lane = threadIdx.x;  // before ROCm 6 an object that no register holds
  Descriptor to;
  for (int i = 0; i < 8; ++i) to[i] = __builtin_amdgcn_readfirstlane(descriptor[i]);
  asm volatile(
      "v_mov_b32 v10, %1\n"
      "v_mov_b32 v11, 1\n"
      "v_mov_b32 v12, 9\n"
      "image_store %0, v[10:11], %2 dmask:0x1 unorm\n"
      "s_waitcnt vmcnt(0)"
      :
      : "v"(values[lane]), "v"(lane), "s"(to)
      : "memory", "v10", "v11", "v12");
#endif
}

static void one_slice() {
  float* values = nullptr;
  hipArray_t array = nullptr;
  const hipChannelFormatDesc channel = hipCreateChannelDesc(32, 0, 0, 0, hipChannelFormatKindFloat);
  hipSurfaceObject_t surface = {};
  EXPECT(hipMallocManaged(reinterpret_cast<void**>(&values), 16) == hipSuccess);
  EXPECT(hipMalloc3DArray(&array, &channel, {4, 2, 1}, hipArraySurfaceLoadStore) == hipSuccess);
  for (int i = 0; i < 4; ++i) values[i] = float(100 + i);
  hipResourceDesc resource = {};
  resource.resType = hipResourceTypeArray;
  resource.res.array.array = array;
  EXPECT(hipCreateSurfaceObject(&surface, &resource) == hipSuccess);
  write<<<1, 4>>>(reinterpret_cast<const unsigned*>(surface), values);
  EXPECT(hipDeviceSynchronize() == hipSuccess);
  hipMemcpy3DParms copy = {};
  float found[8] = {};
  copy.srcArray = array;
  copy.dstPtr = make_hipPitchedPtr(found, 16, 16, 2);
  copy.extent = {4, 2, 1};
  copy.kind = hipMemcpyDeviceToHost;
  EXPECT(hipMemcpy3D(&copy) == hipSuccess);
  for (int i = 0; i < 4; ++i) EXPECT(found[4 + i] == float(100 + i));
}
#endif

int main() {
  memory_types();
  directions();
  nodes_of_symbols();
#ifdef IMAGES
  one_slice();
#endif
  std::printf("%d wrong\n", wrong);
}
