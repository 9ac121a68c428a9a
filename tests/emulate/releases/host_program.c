// SPDX-License-Identifier: MIT
// Passes structures and enumerators to the emulator as the release does whose `interface.h` this is compiled with.
#include "interface.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kWidth = 12, kHeight = 3, kDepth = 2, kBytes = kWidth * kHeight * kDepth };

static int wrong = 0;
static void expect(const char* what, long got, long expected) {
  if (got == expected) return;
  printf("%s: %ld, not %ld\n", what, got, expected);
  ++wrong;
}
static void succeed(const char* what, int status) { expect(what, status, hipSuccess); }
#define CALL(function, ...) succeed(#function, function(__VA_ARGS__))

static void fill(unsigned char* bytes, int first) {
  for (int i = 0; i < kBytes; ++i) bytes[i] = (unsigned char)(first + i);
}

static void properties(void) {
  hipDeviceProp_t all;
  memset(&all, 0x55, sizeof all);
  CALL(hipGetDeviceProperties, &all, 0);
  int value = 0;
#define ATTRIBUTE(member, name)                 \
  CALL(hipDeviceGetAttribute, &value, name, 0); \
  expect(#member, all.member < INT_MAX ? (long)all.member : INT_MAX, value);
  ATTRIBUTE(maxThreadsDim[0], hipDeviceAttributeMaxBlockDimX)
  ATTRIBUTE(maxGridSize[2], hipDeviceAttributeMaxGridDimZ)
  ATTRIBUTE(maxTexture1D, hipDeviceAttributeMaxTexture1DWidth)
  ATTRIBUTE(maxTexture2D[1], hipDeviceAttributeMaxTexture2DHeight)
  ATTRIBUTE(maxTexture3D[2], hipDeviceAttributeMaxTexture3DDepth)
  ATTRIBUTE(major, hipDeviceAttributeComputeCapabilityMajor)
  ATTRIBUTE(sharedMemPerBlock, hipDeviceAttributeMaxSharedMemoryPerBlock)
#include "attributes.h"
#ifdef HAVE_hipDeviceProp_t_gcnArch
  expect("gcnArch", all.gcnArch, 910);
#endif
  expect("gcnArchName", strncmp(all.gcnArchName, "gfx", 3), 0);
  int device = -1;
  CALL(hipChooseDevice, &device, &all);
  expect("chosen device", device, 0);
}

static void copies(unsigned char* device) {
  unsigned char from[kBytes], to[kBytes];
  fill(from, 1);
  HIP_MEMCPY3D box;
  memset(&box, 0, sizeof box);
  box.srcMemoryType = hipMemoryTypeHost, box.srcHost = from, box.srcPitch = kWidth, box.srcHeight = kHeight;
  box.dstMemoryType = hipMemoryTypeDevice, box.dstDevice = device, box.dstPitch = kWidth, box.dstHeight = kHeight;
  box.WidthInBytes = kWidth, box.Height = kHeight, box.Depth = kDepth;
  CALL(hipDrvMemcpy3D, &box);
  CALL(hipMemcpy, to, device, kBytes, hipMemcpyDeviceToHost);
  expect("box", memcmp(from, to, kBytes), 0);

  hip_Memcpy2D flat;
  memset(&flat, 0, sizeof flat);
  memset(to, 0, kBytes);
  flat.srcMemoryType = hipMemoryTypeDevice, flat.srcDevice = device, flat.srcPitch = kWidth;
  flat.dstMemoryType = hipMemoryTypeHost, flat.dstHost = to, flat.dstPitch = kWidth;
  flat.WidthInBytes = kWidth, flat.Height = kHeight * kDepth;
  CALL(hipMemcpyParam2D, &flat);
  expect("rectangle", memcmp(from, to, kBytes), 0);
#ifdef HAVE_hipDrvMemcpy2DUnaligned
  memset(to, 0, kBytes);
  CALL(hipDrvMemcpy2DUnaligned, &flat);
  expect("unaligned rectangle", memcmp(from, to, kBytes), 0);
#endif
}

static void pointers(unsigned char* device) {
  hipPointerAttribute_t one;
  CALL(hipPointerGetAttributes, &one, device);
#ifdef HAVE_hipPointerAttribute_t_type
  expect("type", one.type, hipMemoryTypeDevice);
#endif
#ifdef HAVE_hipPointerAttribute_t_memoryType
  expect("memoryType", one.memoryType, hipMemoryTypeDevice);
#endif
  expect("devicePointer", one.devicePointer == device, 1);
  void* host = NULL;
  CALL(hipHostMalloc, &host, kBytes, 0);
  CALL(hipPointerGetAttributes, &one, host);
#ifdef HAVE_hipPointerAttribute_t_type
  expect("type of the host", one.type, hipMemoryTypeHost);
#else
  expect("memoryType of the host", one.memoryType, hipMemoryTypeHost);
#endif
#ifdef HAVE_hipPointerGetAttribute
  int type = -1;
  CALL(hipPointerGetAttribute, &type, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, device);
  expect("attribute", type, hipMemoryTypeDevice);
#endif
  CALL(hipHostFree, host);
}

#ifdef HAVE_hipGraphNodeGetType
static void expect_type(const char* what, void* node, int expected) {
  hipGraphNodeType type;
  CALL(hipGraphNodeGetType, node, &type);
  expect(what, type, expected);
}
static void nodes(unsigned char* device) {
  void *graph = NULL, *node = NULL, *executable = NULL;
  CALL(hipGraphCreate, (void*)&graph, 0);
  CALL(hipGraphAddEmptyNode, (void*)&node, graph, NULL, 0);
  expect_type("empty", node, hipGraphNodeTypeEmpty);
  hipMemsetParams one;
  memset(&one, 0, sizeof one);
  one.dst = device, one.elementSize = 1, one.width = kWidth, one.height = 1, one.pitch = kWidth, one.value = 7;
  CALL(hipGraphAddMemsetNode, (void*)&node, graph, NULL, 0, &one);
  expect_type("memset", node, hipGraphNodeTypeMemset);
  unsigned char last = 0;
  CALL(hipGraphAddMemcpyNode1D, (void*)&node, graph, (void*)&node, 1, &last, device + kWidth - 1, 1,
       hipMemcpyDeviceToHost);
  expect_type("memcpy", node, hipGraphNodeTypeMemcpy);
#ifdef HAVE_hipDrvGraphAddMemsetNode
  unsigned char value = 0;
#ifdef HAVE_HIP_MEMSET_NODE_PARAMS
  HIP_MEMSET_NODE_PARAMS two;
#else
  hipMemsetParams two;
#endif
  memset(&two, 0, sizeof two);
  two.dst = device + kWidth, two.elementSize = 2, two.width = 3, two.height = 2, two.pitch = 8, two.value = 0x0909;
  void* other = NULL;
  CALL(hipDrvGraphAddMemsetNode, (void*)&other, graph, NULL, 0, &two, NULL);
  expect_type("memset of the driver", other, hipGraphNodeTypeMemset);
#endif
  CALL(hipGraphInstantiate, (void*)&executable, graph, NULL, NULL, 0);
  CALL(hipGraphLaunch, executable, NULL);
  CALL(hipDeviceSynchronize);
  expect("value of the graph", last, 7);
#ifdef HAVE_hipDrvGraphAddMemsetNode
  CALL(hipMemcpy, &value, device + kWidth + 8 + 5, 1, hipMemcpyDeviceToHost);
  expect("value of the driver's node", value, 9);
#endif
  CALL(hipGraphExecDestroy, executable);
  CALL(hipGraphDestroy, graph);
}
#endif

#ifdef HAVE_hipMemCreate
static void allocations(void) {
  hipMemAllocationProp wanted, found;
  memset(&wanted, 0, sizeof wanted);
  memset(&found, 0x55, sizeof found);
  wanted.type = hipMemAllocationTypePinned;
  wanted.location.type = hipMemLocationTypeDevice;
  size_t size = 0;
  CALL(hipMemGetAllocationGranularity, (void*)&size, &wanted, hipMemAllocationGranularityMinimum);
  void* memory = NULL;
  CALL(hipMemCreate, (void*)&memory, size, &wanted, 0);
  CALL(hipMemGetAllocationPropertiesFromHandle, &found, memory);
  expect("type of an allocation", found.type, wanted.type);
  expect("place of an allocation", found.location.type, wanted.location.type);
  expect("device of an allocation", found.location.id, 0);
  CALL(hipMemRelease, memory);
  wanted.location.id = 99;
  expect("unknown device", hipMemCreate((void*)&memory, size, &wanted, 0), hipErrorInvalidValue);
}
#endif

int main(void) {
  unsigned char* device = NULL;
  CALL(hipMalloc, (void*)&device, kBytes);
  properties();
  copies(device);
  pointers(device);
#ifdef HAVE_hipGraphNodeGetType
  nodes(device);
#endif
#ifdef HAVE_hipMemCreate
  allocations();
#endif
  CALL(hipFree, device);
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
