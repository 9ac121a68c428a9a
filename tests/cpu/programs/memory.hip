// Pools, virtual memory, handles between processes, values that streams write.
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

// One piece of memory at two addresses.
static void virtual_memory() {
  hipMemAllocationProp properties = {};
  properties.type = hipMemAllocationTypePinned;
  properties.location = {hipMemLocationTypeDevice, 0};
  size_t page = 0;
  OK(hipMemGetAllocationGranularity(&page, &properties, hipMemAllocationGranularityMinimum));
  hipMemGenericAllocationHandle_t memory;
  EXPECT(hipMemCreate(&memory, page + 1, &properties, 0) == hipErrorInvalidValue);
  OK(hipMemCreate(&memory, page, &properties, 0));
  char* range = nullptr;
  OK(hipMemAddressReserve(&range, 2 * page, 0, nullptr, 0));
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
  OK(hipIpcOpenMemHandle(&opened, handle, hipIpcMemLazyEnablePeerAccess));
  EXPECT(opened == pointer);
  OK(hipIpcCloseMemHandle(opened));
  uint32_t* value = reinterpret_cast<uint32_t*>(pointer);
  OK(hipStreamWriteValue32(nullptr, value, 9, 0));
  OK(hipStreamWaitValue32(nullptr, value, 8, hipStreamWaitValueGte));
  EXPECT(hipStreamWaitValue32(nullptr, value, 8, hipStreamWaitValueEq) == hipErrorNotSupported);
  EXPECT(hipMemcpyPeer(pointer, 1, pointer, 0, 4) == hipErrorInvalidDevice);
  OK(hipFree(pointer));
}

int main() {
  pools();
  virtual_memory();
  handles();
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
