// Pools, virtual memory, handles between processes, values that streams write.
#include <hip/hip_runtime.h>

#include "newer_hip.h"

#include <cstdio>
#include <string>
#include <sys/wait.h>
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

static void pools() {
  hipMemPool_t pool, standard, current;
  hipMemPoolProps properties = {};
  properties.allocType = hipMemAllocationTypePinned;
  properties.location.type = hipMemLocationTypeDevice;
  OK(hipMemPoolCreate(&pool, &properties));
  OK(hipDeviceGetDefaultMemPool(&standard, 0));
  OK(hipDeviceGetMemPool(&current, 0));
  EXPECT(pool != standard && current == standard);
  void *a = nullptr, *b = nullptr;
  uint64_t used = 0, highest = 0, zero = 0;
  OK(hipMallocFromPoolAsync(&a, 1000, pool, nullptr));
  OK(hipDeviceSetMemPool(0, pool));
  void* from_pool = nullptr;
  const float* constants = nullptr;
  OK(hipMallocAsync(&from_pool, 24, pool, nullptr));
  OK(hipFreeAsync(from_pool, nullptr));
  OK(hipMalloc(&constants, 24));
  OK(hipFree(const_cast<float*>(constants)));
  OK(hipMallocAsync(&b, 24, nullptr));
  OK(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &used));
  EXPECT(used == 1024);
  OK(hipFreeAsync(a, nullptr));
  EXPECT(hipFreeAsync(a, nullptr) == hipErrorInvalidValue);
  OK(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &used));
  OK(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemHigh, &highest));
  EXPECT(used == 24 && highest == 1024);
  OK(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemHigh, &zero));
  OK(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemHigh, &highest));
  EXPECT(highest == 24);
  OK(hipMemPoolTrimTo(pool, 0));
  OK(hipMemPoolDestroy(pool));
  OK(hipDeviceGetMemPool(&current, 0));
  EXPECT(current == standard);
  OK(hipFree(b));
  EXPECT(hipMemPoolDestroy(standard) == hipErrorInvalidValue);
}

// Another process, and this one, get memory of a pool by a file.
static void shared_pools() {
  hipMemPool_t pool, plain, imported;
  hipMemPoolProps properties = {};
  properties.allocType = hipMemAllocationTypePinned;
  properties.location.type = hipMemLocationTypeDevice;
  OK(hipMemPoolCreate(&plain, &properties));
  properties.handleTypes = hipMemHandleTypePosixFileDescriptor;
  OK(hipMemPoolCreate(&pool, &properties));
  int file = -1, *first = nullptr, *second = nullptr, *other = nullptr;
  OK(hipMallocFromPoolAsync(reinterpret_cast<void**>(&first), 5000, pool, nullptr));
  OK(hipMallocFromPoolAsync(reinterpret_cast<void**>(&second), 8, pool, nullptr));
  OK(hipMallocFromPoolAsync(reinterpret_cast<void**>(&other), 8, plain, nullptr));
  OK(hipMemset(first, 1, 5000));
  OK(hipMemset(second, 2, 8));
  hipMemPoolPtrExportData one, two, none;
  OK(hipMemPoolExportPointer(&one, first));
  OK(hipMemPoolExportPointer(&two, second));
  EXPECT(hipMemPoolExportPointer(&none, other) == hipErrorInvalidValue);
  const hipMemAllocationHandleType type = hipMemHandleTypePosixFileDescriptor;
  EXPECT(hipMemPoolExportToShareableHandle(&file, plain, type, 0) == hipErrorInvalidValue);
  OK(hipMemPoolExportToShareableHandle(&file, pool, type, 0));
  void* const handle = reinterpret_cast<void*>(static_cast<intptr_t>(file));
  const pid_t child = fork();
  if (child == 0) {
    wrong = 0;
    int* there = nullptr;
    OK(hipMemPoolImportFromShareableHandle(&imported, handle, type, 0));
    OK(hipMemPoolImportPointer(reinterpret_cast<void**>(&there), imported, &two));
    EXPECT(there != second && there[1] == 0x02020202);
    there[1] = 7;
    OK(hipFree(there));
    std::fflush(stdout);
    _exit(wrong);
  }
  int status = -1;
  EXPECT(waitpid(child, &status, 0) == child && status == 0 && second[0] == 0x02020202 && second[1] == 7);
  OK(hipMemPoolImportFromShareableHandle(&imported, handle, type, 0));
  close(file);
  void *there = nullptr, *more = nullptr;
  OK(hipMemPoolImportPointer(&there, imported, &one));
  first[1249] = 9;
  EXPECT(there != first && static_cast<int*>(there)[1249] == 9 && static_cast<int*>(there)[1248] == 0x01010101);
  EXPECT(hipMemPoolImportPointer(&more, pool, &one) == hipErrorInvalidValue);  // it was not imported
  EXPECT(hipMallocFromPoolAsync(&more, 8, imported, nullptr) == hipErrorInvalidValue);
  EXPECT(hipDeviceSetMemPool(0, imported) == hipErrorInvalidValue);
  hipMemPool_t another;
  OK(hipMemPoolCreate(&another, &properties));
  OK(hipMemPoolExportToShareableHandle(&file, another, type, 0));
  OK(hipMemPoolImportFromShareableHandle(&another, reinterpret_cast<void*>(static_cast<intptr_t>(file)), type, 0));
  EXPECT(hipMemPoolImportPointer(&more, another, &one) == hipErrorInvalidValue);  // it is of another pool
  for (void* memory : {there, static_cast<void*>(first), static_cast<void*>(second), static_cast<void*>(other)})
    OK(hipFreeAsync(memory, nullptr));
  uint64_t used = 1;
  OK(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &used));
  EXPECT(used == 0);
  OK(hipMemPoolDestroy(imported));
  OK(hipMemPoolDestroy(pool));
}

static void batches() {
  char from[3][8] = {"first", "second", "third"}, to[3][8] = {};
  void *sources[] = {from[0], from[1], from[2]}, *targets[] = {to[2], to[0], to[1]};
  size_t sizes[] = {8, 8, 3}, firsts[] = {0, 2}, failed = 77;
  hipMemcpyAttributes attributes[2] = {};
  for (auto& one : attributes) one.srcAccessOrder = hipMemcpySrcAccessOrderStream;
  OK(hipMemcpyBatchAsync(targets, sources, sizes, 3, attributes, firsts, 2, &failed, nullptr));
  OK(hipDeviceSynchronize());
  EXPECT(std::string(to[2]) == "first" && std::string(to[0]) == "second" && std::string(to[1]) == "thi");
  OK(hipMemcpyBatchAsync(targets, sources, sizes, 1, nullptr, nullptr, 0, nullptr, nullptr));
  EXPECT(hipMemcpyBatchAsync(targets, sources, sizes, 0, nullptr, nullptr, 0, &failed, nullptr) ==
         hipErrorInvalidValue);
  firsts[0] = 1;  // nobody says how the first copy is done
  EXPECT(hipMemcpyBatchAsync(targets, sources, sizes, 3, attributes, firsts, 2, &failed, nullptr) ==
         hipErrorInvalidValue);
  EXPECT(failed == size_t(-1));
  targets[1] = nullptr;
  to[2][0] = 'x';
  EXPECT(hipMemcpyBatchAsync(targets, sources, sizes, 3, nullptr, nullptr, 0, &failed, nullptr) ==
         hipErrorInvalidValue);
  EXPECT(failed == 1 && to[2][0] == 'x');

  // To an array, and from there to rows that are longer.
  const hipChannelFormatDesc channels = hipCreateChannelDesc(16, 0, 0, 0, hipChannelFormatKindSigned);
  hipArray_t array;
  OK(hipMallocArray(&array, &channels, 4, 3, 0));
  short values[2][3] = {{1, 2, 3}, {4, 5, 6}}, back[2][5] = {};
  hipMemcpy3DBatchOp copies[2] = {};
  for (auto& one : copies) one.extent = make_hipExtent(3, 2, 1);
  copies[0].src.type = copies[1].dst.type = hipMemcpyOperandTypePointer;
  copies[0].dst.type = copies[1].src.type = hipMemcpyOperandTypeArray;
  copies[0].src.op.ptr.ptr = values;
  copies[1].dst.op.ptr.ptr = back;
  copies[1].dst.op.ptr.rowLength = 5;
  copies[0].dst.op.array.array = copies[1].src.op.array.array = array;
  copies[0].dst.op.array.offset.x = copies[1].src.op.array.offset.x = 1;
  copies[0].dst.op.array.offset.y = copies[1].src.op.array.offset.y = 1;
  OK(hipMemcpy3DBatchAsync(2, copies, &failed, 0, nullptr));
  OK(hipDeviceSynchronize());
  EXPECT(back[0][0] == 1 && back[0][2] == 3 && back[0][3] == 0 && back[1][0] == 4 && back[1][2] == 6);
  copies[1].dst.op.ptr.ptr = nullptr;
  EXPECT(hipMemcpy3DBatchAsync(2, copies, &failed, 0, nullptr) == hipErrorInvalidValue && failed == 1);
  OK(hipFreeArray(array));
}

// One piece of memory at two addresses.
static void virtual_memory() {
  hipMemAllocationProp properties = {};
#ifdef HIPPORT_WAVE_SIZE  // earlier releases of HIP have other members
  properties.requestedHandleTypes = hipMemHandleTypeNone;
  properties.allocFlags.compressionType = 0;
#endif
  properties.type = hipMemAllocationTypePinned;
  properties.location = {hipMemLocationTypeDevice, 0};
  size_t page = 0;
  OK(hipMemGetAllocationGranularity(&page, &properties, hipMemAllocationGranularityMinimum));
  hipMemGenericAllocationHandle_t memory;
  EXPECT(hipMemCreate(&memory, page + 1, &properties, 0) == hipErrorInvalidValue);
  OK(hipMemCreate(&memory, page, &properties, 0));
  char* range = nullptr;
  OK(hipMemAddressReserve(reinterpret_cast<void**>(&range), 2 * page, 0, nullptr, 0));
  OK(hipMemMap(range, page, 0, memory, 0));
  OK(hipMemMap(range + page, page, 0, memory, 0));
  OK(hipMemRelease(memory));
  const hipMemAccessDesc access = {properties.location, hipMemAccessFlagsProtReadWrite};
  OK(hipMemSetAccess(range, 2 * page, &access, 1));
  range[5] = 'x';
  EXPECT(range[page + 5] == 'x');
  OK(hipMemUnmap(range, page));
  OK(hipMemUnmap(range + page, page));
  EXPECT(hipMemUnmap(range, page) == hipErrorInvalidValue);
  OK(hipMemAddressFree(range, 2 * page));
}

static void handles() {
  int *pointer = nullptr, *opened = nullptr;
  hipIpcMemHandle_t handle;
  OK(hipMalloc(&pointer, 64));
  EXPECT(hipIpcGetMemHandle(&handle, &wrong) == hipErrorInvalidValue);
  OK(hipIpcGetMemHandle(&handle, pointer));
  OK(hipIpcOpenMemHandle(reinterpret_cast<void**>(&opened), handle, hipIpcMemLazyEnablePeerAccess));
  EXPECT(opened == pointer);
  OK(hipIpcCloseMemHandle(opened));
  uint32_t* value = reinterpret_cast<uint32_t*>(pointer);
  OK(hipStreamWriteValue32(nullptr, value, 9, 0));
  OK(hipStreamWaitValue32(nullptr, value, 8, hipStreamWaitValueGte));
  EXPECT(hipStreamWaitValue32(nullptr, value, 8, hipStreamWaitValueEq) == hipErrorNotSupported);
  EXPECT(hipMemcpyPeer(pointer, 1, pointer, 0, 4) == hipErrorInvalidDevice);
  OK(hipFree(pointer));
}

__device__ int variable;

static void directions() {
  int from[2] = {1, 2}, to[2] = {};
  hipArray_t array = nullptr;
  const hipChannelFormatDesc channel = hipCreateChannelDesc(32, 0, 0, 0, hipChannelFormatKindSigned);
  OK(hipMallocArray(&array, &channel, 2, 1));
  hipMemcpy3DParms box = {};
  box.kind = static_cast<hipMemcpyKind>(99);
  const hipMemcpyKind unknown = box.kind;
  const hipError_t refused = hipErrorInvalidMemcpyDirection;
  EXPECT(hipMemcpy(to, from, 8, unknown) == refused);
  EXPECT(hipMemcpyAsync(to, from, 8, unknown, nullptr) == refused);
  EXPECT(hipMemcpyWithStream(to, from, 8, unknown, nullptr) == refused);
  EXPECT(hipMemcpy2D(to, 8, from, 8, 8, 1, unknown) == refused);
  EXPECT(hipMemcpy2DAsync(to, 8, from, 8, 8, 1, unknown, nullptr) == refused);
  EXPECT(hipMemcpyToSymbol(HIP_SYMBOL(variable), from, 4, 0, unknown) == refused);
  EXPECT(hipMemcpyToSymbolAsync(HIP_SYMBOL(variable), from, 4, 0, unknown, nullptr) == refused);
  EXPECT(hipMemcpyFromSymbol(to, HIP_SYMBOL(variable), 4, 0, unknown) == refused);
  EXPECT(hipMemcpyFromSymbolAsync(to, HIP_SYMBOL(variable), 4, 0, unknown, nullptr) == refused);
  EXPECT(hipMemcpy2DToArray(array, 0, 0, from, 8, 8, 1, unknown) == refused);
  EXPECT(hipMemcpy2DToArrayAsync(array, 0, 0, from, 8, 8, 1, unknown, nullptr) == refused);
  EXPECT(hipMemcpy2DFromArray(to, 8, array, 0, 0, 8, 1, unknown) == refused);
  EXPECT(hipMemcpy2DArrayToArray(array, 0, 0, array, 0, 0, 8, 1, unknown) == refused);
  EXPECT(hipMemcpyToArray(array, 0, 0, from, 8, unknown) == refused);
  EXPECT(hipMemcpyFromArray(to, array, 0, 0, 8, unknown) == refused);
  EXPECT(hipMemcpy3D(&box) == refused);
  hipGraph_t graph = nullptr;
  hipGraphNode_t node = nullptr;
  OK(hipGraphCreate(&graph, 0));
  EXPECT(hipGraphAddMemcpyNode1D(&node, graph, nullptr, 0, to, from, 8, unknown) == refused);
  OK(hipGraphDestroy(graph));
  OK(hipMemcpyToArray(array, 0, 0, from, 8, hipMemcpyDefault));
  EXPECT(to[0] == 0 && to[1] == 0);
  OK(hipMemcpyFromArray(to, array, 0, 0, 8, hipMemcpyDeviceToHost));
  EXPECT(to[0] == 1 && to[1] == 2);
  OK(hipFreeArray(array));
}

void described_arrays() {
  const HIP_ARRAY3D_DESCRIPTOR wanted = {5, 3, 0, HIP_AD_FORMAT_SIGNED_INT16, 2, 0};
  hipArray_t array = nullptr;
  OK(hipArray3DCreate(&array, &wanted));
  HIP_ARRAY3D_DESCRIPTOR whole = {};
  OK(hipArray3DGetDescriptor(&whole, array));
  EXPECT(whole.Width == 5 && whole.Height == 3 && whole.Depth == 0 && whole.NumChannels == 2);
  EXPECT(whole.Format == HIP_AD_FORMAT_SIGNED_INT16);
  HIP_ARRAY_DESCRIPTOR flat = {};
  OK(hipArrayGetDescriptor(&flat, array));
  EXPECT(flat.Width == 5 && flat.Height == 3 && flat.Format == whole.Format && flat.NumChannels == 2);
  EXPECT(hipArrayGetDescriptor(nullptr, array) == hipErrorInvalidValue);
  hipChannelFormatDesc channels = {}, same = {};
  hipExtent extent = {};
  unsigned flags = 9;
  OK(hipArrayGetInfo(&channels, &extent, &flags, array));
  EXPECT(channels.x == 16 && channels.y == 16 && channels.z == 0 && channels.f == hipChannelFormatKindSigned);
  EXPECT(extent.width == 5 && extent.height == 3 && flags == 0);
  OK(hipGetChannelDesc(&same, array));
  EXPECT(same.x == 16 && same.f == channels.f);

  short rows[4] = {1, 2, 3, 4}, back[4] = {};
  OK(hipMemcpyHtoAAsync(array, 0, rows, sizeof rows, nullptr));
  OK(hipMemcpyAtoA(array, 4, array, 0, 4));  // bytes
  OK(hipMemcpyAtoHAsync(back, array, 0, sizeof back, nullptr));
  OK(hipDeviceSynchronize());
  EXPECT(back[0] == 1 && back[1] == 2 && back[2] == 1 && back[3] == 2);
  OK(hipFreeArray(array));

  for (const hipArray_Format format :
       {HIP_AD_FORMAT_UNSIGNED_INT8, HIP_AD_FORMAT_UNSIGNED_INT16, HIP_AD_FORMAT_UNSIGNED_INT32,
        HIP_AD_FORMAT_SIGNED_INT8, HIP_AD_FORMAT_SIGNED_INT16, HIP_AD_FORMAT_SIGNED_INT32, HIP_AD_FORMAT_HALF,
        HIP_AD_FORMAT_FLOAT}) {
    const HIP_ARRAY_DESCRIPTOR one = {4, 1, format, 1};
    OK(hipArrayCreate(&array, &one));
    OK(hipArrayGetDescriptor(&flat, array));
    EXPECT(flat.Format == format && flat.NumChannels == 1);
    OK(hipArrayDestroy(array));
  }
}

void filled_rows() {
  unsigned data[3][4] = {};
  OK(hipMemsetD2D32(data, sizeof data[0], 7, 3, 2));
  EXPECT(data[0][0] == 7 && data[0][2] == 7 && data[0][3] == 0 && data[1][2] == 7 && data[2][0] == 0);
  OK(hipMemsetD2D16Async(data, sizeof data[0], 0x1234, 2, 3, nullptr));
  OK(hipDeviceSynchronize());
  EXPECT(data[2][0] == 0x12341234 && data[2][1] == 0 && data[0][1] == 7);
  OK(hipMemsetD2D8(data, sizeof data[0], 0xff, 1, 1));
  EXPECT(data[0][0] == 0x123412ff && data[1][0] == 0x12341234);
}

void numbered_streams() {
  hipStream_t first, second;
  unsigned long long one = 0, two = 0;
  OK(hipStreamCreate(&first));
  OK(hipStreamCreate(&second));
  OK(hipStreamGetId(first, &one));
  OK(hipStreamGetId(second, &two));
  EXPECT(one != two);
  OK(hipStreamDestroy(first));
  OK(hipStreamDestroy(second));
}

int main() {
  described_arrays();
  filled_rows();
  numbered_streams();
  pools();
  shared_pools();
  batches();
  directions();
  virtual_memory();
  handles();
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
