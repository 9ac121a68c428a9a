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

// HIP 6 has other members in HIP_MEMCPY3D than HIP 5, and other numbers of memory types in both structures.
static void driver_copies() {
  unsigned char from[48], to[48] = {}, *device = nullptr;
  for (int i = 0; i < 48; ++i) from[i] = (unsigned char)(i + 1);
  EXPECT(hipMalloc(reinterpret_cast<void**>(&device), 48) == hipSuccess);
  HIP_MEMCPY3D up = {};
  up.srcMemoryType = hipMemoryTypeHost;
  up.srcHost = from;
  up.srcPitch = up.dstPitch = 8;
  up.srcHeight = up.dstHeight = 3;
  up.dstMemoryType = hipMemoryTypeDevice;
  up.dstDevice = device;
  up.WidthInBytes = 8;
  up.Height = 3;
  up.Depth = 2;
  EXPECT(hipDrvMemcpy3D(&up) == hipSuccess);
  HIP_MEMCPY3D down = {};
  down.srcMemoryType = hipMemoryTypeDevice;
  down.srcDevice = device;
  down.srcXInBytes = down.dstXInBytes = 2;
  down.srcY = down.dstY = 1;
  down.srcZ = down.dstZ = 1;
  down.srcPitch = down.dstPitch = 8;
  down.srcHeight = down.dstHeight = 3;
  down.dstMemoryType = hipMemoryTypeHost;
  down.dstHost = to;
  down.WidthInBytes = 4;
  down.Height = 2;
  down.Depth = 1;
  EXPECT(hipDrvMemcpy3DAsync(&down, nullptr) == hipSuccess && hipDeviceSynchronize() == hipSuccess);
  for (int i = 0; i < 48; ++i) {
    const bool is_copied = i / 24 == 1 && i / 8 % 3 != 0 && i % 8 / 2 % 3 != 0;
    EXPECT(to[i] == (is_copied ? i + 1 : 0));
  }
  hip_Memcpy2D flat = {};
  flat.srcMemoryType = hipMemoryTypeDevice;
  flat.srcDevice = device;
  flat.srcPitch = flat.dstPitch = 8;
  flat.srcY = 1;
  flat.dstMemoryType = hipMemoryTypeHost;
  flat.dstHost = to;
  flat.WidthInBytes = 8;
  flat.Height = 2;
  EXPECT(hipMemcpyParam2D(&flat) == hipSuccess);
  for (int i = 0; i < 16; ++i) EXPECT(to[i] == i + 9);
}

// HIP 5.2 numbers the types of nodes from 1.
static void node_types() {
  hipGraph_t graph = nullptr, child = nullptr;
  hipGraphNode_t node = nullptr;
  hipGraphNodeType type = {};
  void* device = nullptr;
  EXPECT(hipMalloc(&device, 64) == hipSuccess);
  EXPECT(hipGraphCreate(&graph, 0) == hipSuccess && hipGraphCreate(&child, 0) == hipSuccess);
  EXPECT(hipGraphAddEmptyNode(&node, graph, nullptr, 0) == hipSuccess);
  EXPECT(hipGraphNodeGetType(node, &type) == hipSuccess && type == hipGraphNodeTypeEmpty);
  EXPECT(hipGraphAddChildGraphNode(&node, graph, nullptr, 0, child) == hipSuccess);
  EXPECT(hipGraphNodeGetType(node, &type) == hipSuccess && type == hipGraphNodeTypeGraph);
  hipMemsetParams set = {};
  set.dst = device;
  set.elementSize = set.height = 1;
  set.width = 64;
  EXPECT(hipGraphAddMemsetNode(&node, graph, nullptr, 0, &set) == hipSuccess);
  EXPECT(hipGraphNodeGetType(node, &type) == hipSuccess && type == hipGraphNodeTypeMemset);
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
  // For symbols HIP takes no direction but those that it can have.
  EXPECT(hipMemcpyToSymbol(HIP_SYMBOL(variable), &from, 4, 0, hipMemcpyDefault) == refused);
  EXPECT(hipMemcpyToSymbol(HIP_SYMBOL(variable), &from, 4, 0, hipMemcpyHostToDevice) == hipSuccess);
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
  driver_copies();
  node_types();
  directions();
  nodes_of_symbols();
#ifdef IMAGES
  one_slice();
#endif
  std::printf("%d wrong\n", wrong);
}
