// Functions of the host that few programs call: nodes by one structure, nodes of the driver API, graphs as text, captures
// into a graph, attributes, memory of other interfaces, ranges of memory, and what is refused as by ROCm.
#include <hip/hip_runtime.h>

#define MEMORY_TYPES_OF_6
#include "newer_hip.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

static int wrong = 0;
#define EXPECT(what)                                 \
  do {                                               \
    if (!(what)) {                                   \
      std::printf("line %d: %s\n", __LINE__, #what); \
      ++wrong;                                       \
    }                                                \
  } while (0)
#define OK(call) EXPECT((call) == hipSuccess)
#define REFUSED(error, call) EXPECT((call) == (error))

__global__ void add(int* to, int by) { to[threadIdx.x] += by; }

static hipKernelNodeParams addition(int** to, int* by, void** arguments) {
  arguments[0] = to;
  arguments[1] = by;
  hipKernelNodeParams kernel = {};
  kernel.func = reinterpret_cast<void*>(&add);
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(4);
  kernel.kernelParams = arguments;
  return kernel;
}

static void nodes_by_structure() {
  int *memory = nullptr, found[4] = {}, by = 5, more = 70;
  void* arguments[2];
  OK(hipMalloc(reinterpret_cast<void**>(&memory), sizeof found));
  hipGraph_t graph, child;
  hipGraphNode_t set, kernel, inner, back, allocated, freed;
  OK(hipGraphCreate(&graph, 0));
  OK(hipGraphCreate(&child, 0));
  hipGraphNodeParams params = {};
  params.type = hipGraphNodeTypeMemset;
  params.memset.dst = memory;
  params.memset.elementSize = 4;
  params.memset.width = 4;
  params.memset.height = 1;
  params.memset.value = 100;
  OK(hipGraphAddNode(&set, graph, nullptr, 0, &params));
  params = {};
  params.type = hipGraphNodeTypeKernel;
  params.kernel = addition(&memory, &by, arguments);
  OK(hipGraphAddNode(&kernel, child, nullptr, 0, &params));
  params = {};
  params.type = hipGraphNodeTypeGraph;
  params.graph.graph = child;
  OK(hipGraphAddNode(&inner, graph, &set, 1, &params));
  params = {};
  params.type = hipGraphNodeTypeMemcpy;
  params.memcpy.copyParams.srcPtr = make_hipPitchedPtr(memory, sizeof found, sizeof found, 1);
  params.memcpy.copyParams.dstPtr = make_hipPitchedPtr(found, sizeof found, sizeof found, 1);
  params.memcpy.copyParams.extent = make_hipExtent(sizeof found, 1, 1);
  params.memcpy.copyParams.kind = hipMemcpyDeviceToHost;
  OK(hipGraphAddNode(&back, graph, &inner, 1, &params));
  params = {};
  params.type = hipGraphNodeTypeMemAlloc;
  params.alloc.bytesize = 64;
  OK(hipGraphAddNode(&allocated, graph, nullptr, 0, &params));
  void* const address = params.alloc.dptr;
  EXPECT(address != nullptr);
  params = {};
  params.type = hipGraphNodeTypeMemFree;
  params.free.dptr = address;
  OK(hipGraphAddNode(&freed, graph, &allocated, 1, &params));
  params = {};
  params.type = static_cast<hipGraphNodeType>(77);
  REFUSED(hipErrorInvalidValue, hipGraphAddNode(&freed, graph, nullptr, 0, &params));
  REFUSED(hipErrorInvalidValue, hipGraphAddNode(&freed, graph, nullptr, 0, nullptr));

  hipGraphExec_t executable;
  hipGraphInstantiateParams how = {};
  how.flags = hipGraphInstantiateFlagAutoFreeOnLaunch;
  how.result_out = hipGraphInstantiateError;
  OK(hipGraphInstantiateWithParams(&executable, graph, &how));
  EXPECT(how.result_out == hipGraphInstantiateSuccess && how.errNode_out == nullptr);
  unsigned long long flags = 0;
  OK(hipGraphExecGetFlags(executable, &flags));
  EXPECT(flags == hipGraphInstantiateFlagAutoFreeOnLaunch);
  OK(hipGraphLaunch(executable, nullptr));
  OK(hipDeviceSynchronize());
  EXPECT(found[0] == 105 && found[3] == 105);
  params = {};
  params.type = hipGraphNodeTypeMemset;
  params.memset.dst = memory;
  params.memset.elementSize = 4;
  params.memset.width = 4;
  params.memset.height = 1;
  params.memset.value = 200;
  OK(hipGraphExecNodeSetParams(executable, set, &params));
  OK(hipGraphLaunch(executable, nullptr));
  OK(hipDeviceSynchronize());
  EXPECT(found[1] == 205);
  hipGraphNodeParams other = {};
  other.type = hipGraphNodeTypeKernel;
  other.kernel = addition(&memory, &more, arguments);
  OK(hipGraphNodeSetParams(kernel, &other));
  REFUSED(hipErrorInvalidValue, hipGraphNodeSetParams(kernel, &params));  // another type
  OK(hipGraphInstantiate(&executable, child, nullptr, nullptr, 0));
  OK(hipGraphLaunch(executable, nullptr));
  OK(hipMemcpy(found, memory, sizeof found, hipMemcpyDeviceToHost));
  EXPECT(found[2] == 275);

  hipKernelNodeAttrValue value = {};
  value.cooperative = 1;
  OK(hipGraphKernelNodeSetAttribute(kernel, hipKernelNodeAttributeCooperative, &value));
  value.cooperative = 7;
  OK(hipGraphKernelNodeGetAttribute(kernel, hipKernelNodeAttributeCooperative, &value));
  EXPECT(value.cooperative == 1);
  REFUSED(hipErrorInvalidValue, hipGraphKernelNodeSetAttribute(set, hipKernelNodeAttributeCooperative, &value));
  REFUSED(hipErrorInvalidValue, hipGraphKernelNodeSetAttribute(kernel, static_cast<hipKernelNodeAttrID>(99), &value));
  REFUSED(hipErrorInvalidContext, hipGraphKernelNodeCopyAttributes(kernel, set));

  const char path[] = "graph.dot";
  OK(hipGraphDebugDotPrint(graph, path, 0));
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  std::remove(path);
  for (const char* part : {"digraph", "MEMSET", "KERNEL", "MEM_ALLOC", "\"graph_0\" -> \"graph_1\""})
    EXPECT(text.str().find(part) != std::string::npos);
  REFUSED(hipErrorOperatingSystem, hipGraphDebugDotPrint(graph, "/no/such/folder/graph.dot", 0));
}

static void nodes_of_the_driver_api() {
  int *memory = nullptr, found[4] = {};
  OK(hipMalloc(reinterpret_cast<void**>(&memory), sizeof found));
  hipGraph_t graph;
  hipGraphNode_t set, copy;
  OK(hipGraphCreate(&graph, 0));
  HIP_MEMSET_NODE_PARAMS fill = {};
  fill.dst = memory;
  fill.elementSize = 4;
  fill.value = 9;
  fill.width = 4;
  fill.height = 1;
  OK(hipDrvGraphAddMemsetNode(&set, graph, nullptr, 0, &fill, nullptr));
  HIP_MEMCPY3D all = {}, same = {};
  all.srcMemoryType = hipMemoryTypeDevice;
  all.srcDevice = memory;
  all.dstMemoryType = hipMemoryTypeHost;
  all.dstHost = found;
  all.WidthInBytes = sizeof found;
  all.Height = all.Depth = 1;
  OK(hipDrvGraphAddMemcpyNode(&copy, graph, &set, 1, &all, nullptr));
  OK(hipDrvGraphMemcpyNodeGetParams(copy, &same));
  EXPECT(same.dstHost == found && same.WidthInBytes == sizeof found);
  hipGraphExec_t executable;
  OK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  OK(hipGraphLaunch(executable, nullptr));
  OK(hipDeviceSynchronize());
  EXPECT(found[0] == 9 && found[3] == 9);
  fill.value = 11;
  OK(hipDrvGraphExecMemsetNodeSetParams(executable, set, &fill, nullptr));
  all.WidthInBytes = 8;
  OK(hipDrvGraphExecMemcpyNodeSetParams(executable, copy, &all, nullptr));
  OK(hipGraphLaunch(executable, nullptr));
  OK(hipDeviceSynchronize());
  EXPECT(found[1] == 11 && found[2] == 9);
  REFUSED(hipErrorInvalidValue, hipDrvGraphMemcpyNodeSetParams(copy, nullptr));
  REFUSED(hipErrorInvalidValue, hipDrvGraphMemcpyNodeGetParams(set, &same));
}

static void capture_into_a_graph() {
  int *memory = nullptr, found = 0;
  OK(hipMalloc(reinterpret_cast<void**>(&memory), sizeof found));
  hipGraph_t graph, ended = nullptr;
  hipGraphNode_t first;
  OK(hipGraphCreate(&graph, 0));
  hipMemsetParams fill = {};
  fill.dst = memory;
  fill.elementSize = 4;
  fill.width = fill.height = 1;
  fill.value = 40;
  OK(hipGraphAddMemsetNode(&first, graph, nullptr, 0, &fill));
  hipStream_t stream;
  OK(hipStreamCreate(&stream));
  REFUSED(hipErrorInvalidValue,
          hipStreamBeginCaptureToGraph(stream, nullptr, nullptr, nullptr, 0, hipStreamCaptureModeGlobal));
  OK(hipStreamBeginCaptureToGraph(stream, graph, &first, nullptr, 1, hipStreamCaptureModeGlobal));
  add<<<1, 1, 0, stream>>>(memory, 2);
  OK(hipMemcpyAsync(&found, memory, sizeof found, hipMemcpyDeviceToHost, stream));
  OK(hipStreamEndCapture(stream, &ended));
  EXPECT(ended == graph);
  size_t count = 0;
  OK(hipGraphGetNodes(graph, nullptr, &count));
  EXPECT(count == 3);
  hipGraphExec_t executable;
  OK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  OK(hipGraphLaunch(executable, stream));
  OK(hipStreamSynchronize(stream));
  EXPECT(found == 42);
  OK(hipGraphDestroy(graph));
}

static void streams() {
  hipStream_t some, all;
  const unsigned mask[4] = {5, 0, 0, 0};
  unsigned found[64] = {};
  OK(hipStreamCreate(&all));
  OK(hipExtStreamCreateWithCUMask(&some, 4, mask));
  REFUSED(hipErrorInvalidValue, hipExtStreamCreateWithCUMask(&some, 0, mask));
  OK(hipExtStreamGetCUMask(some, 64, found));
  EXPECT(found[0] == 5 && found[1] == 0);
  OK(hipExtStreamGetCUMask(all, 64, found));
  EXPECT((found[0] & 1) == 1);
  REFUSED(hipErrorInvalidValue, hipExtStreamGetCUMask(some, 0, found));
}

static void memory_of_others() {
  const int file = memfd_create("other", 0);
  EXPECT(ftruncate(file, 8192) == 0);
  int* const host = static_cast<int*>(mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  host[1024] = 30;
  hipExternalMemory_t memory = nullptr;
  hipExternalMemoryHandleDesc wanted = {};
  wanted.type = hipExternalMemoryHandleTypeOpaqueFd;
  wanted.handle.fd = dup(file);
  REFUSED(hipErrorInvalidValue, hipImportExternalMemory(&memory, &wanted));  // no size
  wanted.size = 8192;
  OK(hipImportExternalMemory(&memory, &wanted));
  hipExternalMemoryBufferDesc part = {};
  part.offset = 4096;
  part.size = 4096;
  int* buffer = nullptr;
  OK(hipExternalMemoryGetMappedBuffer(reinterpret_cast<void**>(&buffer), memory, &part));
  add<<<1, 4>>>(buffer, 12);
  OK(hipDeviceSynchronize());
  EXPECT(host[1024] == 42 && host[1027] == 12 && host[1028] == 0);
  void* none = nullptr;
  part.size = 8192;
  REFUSED(hipErrorInvalidValue, hipExternalMemoryGetMappedBuffer(&none, memory, &part));
  OK(hipDestroyExternalMemory(memory));
  wanted.type = hipExternalMemoryHandleTypeOpaqueWin32;
  REFUSED(hipErrorNotSupported, hipImportExternalMemory(&memory, &wanted));
  hipExternalSemaphore_t semaphore = nullptr;
  hipExternalSemaphoreHandleDesc sign = {};
  sign.type = hipExternalSemaphoreHandleTypeOpaqueFd;
  sign.handle.fd = file;
  REFUSED(hipErrorNotSupported, hipImportExternalSemaphore(&semaphore, &sign));
  REFUSED(hipErrorInvalidValue, hipImportExternalSemaphore(nullptr, &sign));
}

static void ranges() {
  char* managed = nullptr;
  OK(hipMallocManaged(reinterpret_cast<void**>(&managed), 5000));
  size_t size = 0;
  OK(hipMemPtrGetInfo(managed, &size));
  EXPECT(size == 5000);
  int value = 77, devices[2] = {};
  OK(hipMemRangeGetAttribute(&value, sizeof value, hipMemRangeAttributeReadMostly, managed, 5000));
  EXPECT(value == 0);
  OK(hipMemRangeGetAttribute(devices, sizeof devices, hipMemRangeAttributeAccessedBy, managed, 5000));
  EXPECT(devices[0] == hipInvalidDeviceId && devices[1] == hipInvalidDeviceId);
  REFUSED(hipErrorInvalidValue, hipMemRangeGetAttribute(&value, 3, hipMemRangeAttributeReadMostly, managed, 5000));
  REFUSED(hipErrorInvalidValue, hipMemRangeGetAttribute(&value, 4, hipMemRangeAttributeReadMostly, &value, 4));
}

// Advice about parts of a range: an attribute has a value where all of the range that is asked about has it.
static void advised() {
  char* managed = nullptr;
  OK(hipMallocManaged(reinterpret_cast<void**>(&managed), 4 * 4096));
  const auto of = [&](hipMemRangeAttribute attribute, int first, int pages) {
    int value = 77;
    OK(hipMemRangeGetAttribute(&value, sizeof value, attribute, managed + first * 4096, size_t(pages) * 4096));
    return value;
  };
  OK(hipMemAdvise(managed + 4096, 2 * 4096, hipMemAdviseSetReadMostly, 0));
  for (int first = 0; first < 4; ++first)
    for (int pages = 1; first + pages <= 4; ++pages)
      EXPECT(of(hipMemRangeAttributeReadMostly, first, pages) == (first >= 1 && first + pages <= 3));
  OK(hipMemAdvise(managed + 4096, 4096, hipMemAdviseUnsetReadMostly, 0));
  EXPECT(of(hipMemRangeAttributeReadMostly, 1, 2) == 0 && of(hipMemRangeAttributeReadMostly, 2, 1) == 1);
  OK(hipMemAdvise(managed, 4 * 4096, hipMemAdviseSetPreferredLocation, 0));
  OK(hipMemAdvise(managed, 4096, hipMemAdviseSetPreferredLocation, hipCpuDeviceId));
  EXPECT(of(hipMemRangeAttributePreferredLocation, 1, 3) == 0);
  EXPECT(of(hipMemRangeAttributePreferredLocation, 0, 1) == hipCpuDeviceId);
  EXPECT(of(hipMemRangeAttributePreferredLocation, 0, 2) == hipInvalidDeviceId);
  OK(hipMemAdvise(managed, 4 * 4096, hipMemAdviseUnsetPreferredLocation, 0));
  EXPECT(of(hipMemRangeAttributePreferredLocation, 0, 4) == hipInvalidDeviceId);
  OK(hipMemPrefetchAsync(managed, 4 * 4096, 0, nullptr));
  EXPECT(of(hipMemRangeAttributeLastPrefetchLocation, 0, 4) == 0);
  int devices[3] = {};
  OK(hipMemAdvise(managed, 4 * 4096, hipMemAdviseSetAccessedBy, 0));
  OK(hipMemAdvise(managed, 4 * 4096, hipMemAdviseSetAccessedBy, hipCpuDeviceId));
  OK(hipMemRangeGetAttribute(devices, sizeof devices, hipMemRangeAttributeAccessedBy, managed, 4 * 4096));
  EXPECT(devices[0] == hipCpuDeviceId && devices[1] == 0 && devices[2] == hipInvalidDeviceId);
  OK(hipMemAdvise(managed, 4 * 4096, hipMemAdviseUnsetAccessedBy, hipCpuDeviceId));
  OK(hipMemRangeGetAttribute(devices, sizeof devices, hipMemRangeAttributeAccessedBy, managed, 4 * 4096));
  EXPECT(devices[0] == 0 && devices[1] == hipInvalidDeviceId);
  OK(hipFree(managed));
  OK(hipMallocManaged(reinterpret_cast<void**>(&managed), 4 * 4096));
  EXPECT(of(hipMemRangeAttributeLastPrefetchLocation, 0, 4) == hipInvalidDeviceId);
}

static void mapped() {
  hipMemAllocationProp properties = {};
  properties.type = hipMemAllocationTypePinned;
  properties.location.type = hipMemLocationTypeDevice;
  size_t page = 0;
  OK(hipMemGetAllocationGranularity(&page, &properties, hipMemAllocationGranularityMinimum));
  void* address = nullptr;
  hipMemGenericAllocationHandle_t handle, same;
  OK(hipMemAddressReserve(&address, page, 0, nullptr, 0));
  OK(hipMemCreate(&handle, page, &properties, 0));
  OK(hipMemMap(address, page, 0, handle, 0));
  hipMemAccessDesc access = {};
  access.location = properties.location;
  access.flags = hipMemAccessFlagsProtReadWrite;
  unsigned long long flags = 99;
  OK(hipMemGetAccess(&flags, &access.location, address));
  EXPECT(flags == hipMemAccessFlagsProtNone);
  OK(hipMemSetAccess(address, page, &access, 1));
  OK(hipMemGetAccess(&flags, &access.location, static_cast<char*>(address) + 100));
  EXPECT(flags == hipMemAccessFlagsProtReadWrite);
  REFUSED(hipErrorInvalidValue, hipMemGetAccess(&flags, &access.location, &flags));
  OK(hipMemRetainAllocationHandle(&same, address));
  OK(hipMemGetAllocationPropertiesFromHandle(&properties, same));
  EXPECT(properties.type == hipMemAllocationTypePinned);
  OK(hipMemRelease(same));
  OK(hipMemUnmap(address, page));
  REFUSED(hipErrorInvalidValue, hipMemRetainAllocationHandle(&same, address));
  OK(hipMemRelease(handle));
  OK(hipMemAddressFree(address, page));
}

static void mipmaps() {
  hipMipmappedArray_t array = nullptr;
  const hipChannelFormatDesc channel = hipCreateChannelDesc(32, 0, 0, 0, hipChannelFormatKindFloat);
  REFUSED(hipErrorInvalidValue, hipMallocMipmappedArray(&array, nullptr, make_hipExtent(8, 8, 0), 3, 0));
  OK(hipMallocMipmappedArray(&array, &channel, make_hipExtent(8, 8, 0), 3, 0));
  hipArray_t level = nullptr;
  OK(hipMipmappedArrayGetLevel(&level, array, 2));
  REFUSED(hipErrorInvalidValue, hipMipmappedArrayGetLevel(&level, array, 3));
  OK(hipMipmappedArrayDestroy(array));
}

int main() {
  nodes_by_structure();
  nodes_of_the_driver_api();
  capture_into_a_graph();
  streams();
  memory_of_others();
  ranges();
  advised();
  mapped();
  mipmaps();
  std::printf("%d wrong\n", wrong);
}
