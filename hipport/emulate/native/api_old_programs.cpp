// SPDX-License-Identifier: MIT
// Functions whose arguments or results are others in some releases of HIP: a program gets those of the release that it was
// linked with.
#include "callers.h"

#include <hip/hip_runtime_api.h>

#include <optional>

#define C_NAME(name) asm(#name)

namespace {

using hipport::emulate::linked_release;

// HIP_MEMCPY3D up to HIP 5.7.
struct OldCopy {
  unsigned srcXInBytes, srcY, srcZ, srcLOD;
  hipMemoryType srcMemoryType;
  const void* srcHost;
  hipDeviceptr_t srcDevice;
  hipArray_t srcArray;
  unsigned srcPitch, srcHeight, dstXInBytes, dstY, dstZ, dstLOD;
  hipMemoryType dstMemoryType;
  void* dstHost;
  hipDeviceptr_t dstDevice;
  hipArray_t dstArray;
  unsigned dstPitch, dstHeight, WidthInBytes, Height, Depth;
};
static_assert(sizeof(OldCopy) == 128);

// Return what the number of a memory type meant up to HIP 5.7.
hipMemoryType new_type(hipMemoryType old) {
  switch (int(old)) {
    case 0: return hipMemoryTypeHost;
    case 1: return hipMemoryTypeDevice;
    case 2: return hipMemoryTypeArray;
    case 3: return hipMemoryTypeUnified;
    case 4: return hipMemoryTypeManaged;
    default: return hipMemoryTypeUnregistered;
  }
}

HIP_MEMCPY3D new_copy(const OldCopy& old) {
  return {old.srcXInBytes,  old.srcY,      old.srcZ,     old.srcLOD,   new_type(old.srcMemoryType),
          old.srcHost,      old.srcDevice, old.srcArray, old.srcPitch, old.srcHeight,
          old.dstXInBytes,  old.dstY,      old.dstZ,     old.dstLOD,   new_type(old.dstMemoryType),
          old.dstHost,      old.dstDevice, old.dstArray, old.dstPitch, old.dstHeight,
          old.WidthInBytes, old.Height,    old.Depth};
}

// Return a copy as a program passes it, or none for a null pointer.
std::optional<HIP_MEMCPY3D> copy_of(const void* given, void* caller) {
  if (given == nullptr) return {};
  if (linked_release(caller) < hipport::emulate::kRelease60) return new_copy(*static_cast<const OldCopy*>(given));
  return *static_cast<const HIP_MEMCPY3D*>(given);
}
std::optional<hip_Memcpy2D> flat_copy_of(const hip_Memcpy2D* given, void* caller) {
  if (given == nullptr) return {};
  hip_Memcpy2D copy = *given;
  if (linked_release(caller) >= hipport::emulate::kRelease60) return copy;
  copy.srcMemoryType = new_type(copy.srcMemoryType);
  copy.dstMemoryType = new_type(copy.dstMemoryType);
  return copy;
}
template <typename T>
const T* pointer_to(const std::optional<T>& one) {
  return one ? &*one : nullptr;
}

// hipMemAllocationProp up to HIP 5.2.
struct OldAllocation {
  unsigned char compressionType;
  hipMemLocation location;
  hipMemAllocationHandleType requestedHandleType;
  hipMemAllocationType type;
  unsigned short usage;
  void* win32HandleMetaData;
};
std::optional<hipMemAllocationProp> allocation_of(const void* given, void* caller) {
  if (given == nullptr) return {};
  if (linked_release(caller) >= hipport::emulate::kRelease53) return *static_cast<const hipMemAllocationProp*>(given);
  const OldAllocation& old = *static_cast<const OldAllocation*>(given);
  return hipMemAllocationProp{
      old.type, {old.requestedHandleType}, old.location, old.win32HandleMetaData, {old.compressionType, 0, old.usage}};
}
OldAllocation old_allocation(const hipMemAllocationProp& one) {
  return {one.allocFlags.compressionType, one.location,           one.requestedHandleType, one.type,
          one.allocFlags.usage,           one.win32HandleMetaData};
}

// Return the parameters of a node that sets memory, which were those of the driver API up to HIP 6.
std::optional<HIP_MEMSET_NODE_PARAMS> setting_of(const void* given, void* caller) {
  if (given == nullptr) return {};
  if (linked_release(caller) < hipport::emulate::kRelease70) return *static_cast<const HIP_MEMSET_NODE_PARAMS*>(given);
  const hipMemsetParams& one = *static_cast<const hipMemsetParams*>(given);
  return HIP_MEMSET_NODE_PARAMS{one.dst, one.pitch, one.value, one.elementSize, one.width, one.height};
}

// Return the type of a node as HIP 5.2 and earlier number it.
hipGraphNodeType old_type(hipGraphNodeType type) {
  switch (type) {
    case hipGraphNodeTypeMemcpyFromSymbol: return hipGraphNodeType(10);
    case hipGraphNodeTypeMemcpyToSymbol: return hipGraphNodeType(11);
    default: return type <= hipGraphNodeTypeEventRecord ? hipGraphNodeType(type + 1) : type;
  }
}

}  // namespace

hipError_t emulated_copy(const void* copy) C_NAME(hipDrvMemcpy3D);
hipError_t emulated_copy(const void* copy) {
  return ::hipDrvMemcpy3D(pointer_to(copy_of(copy, __builtin_return_address(0))));
}
hipError_t emulated_copy(const void* copy, hipStream_t stream) C_NAME(hipDrvMemcpy3DAsync);
hipError_t emulated_copy(const void* copy, hipStream_t stream) {
  return ::hipDrvMemcpy3DAsync(pointer_to(copy_of(copy, __builtin_return_address(0))), stream);
}
hipError_t emulated_flat_copy(const hip_Memcpy2D* copy) C_NAME(hipMemcpyParam2D);
hipError_t emulated_flat_copy(const hip_Memcpy2D* copy) {
  return ::hipMemcpyParam2D(pointer_to(flat_copy_of(copy, __builtin_return_address(0))));
}
hipError_t emulated_flat_copy(const hip_Memcpy2D* copy, hipStream_t stream) C_NAME(hipMemcpyParam2DAsync);
hipError_t emulated_flat_copy(const hip_Memcpy2D* copy, hipStream_t stream) {
  return ::hipMemcpyParam2DAsync(pointer_to(flat_copy_of(copy, __builtin_return_address(0))), stream);
}
hipError_t emulated_unaligned_copy(const hip_Memcpy2D* copy) C_NAME(hipDrvMemcpy2DUnaligned);
hipError_t emulated_unaligned_copy(const hip_Memcpy2D* copy) {
  return ::hipDrvMemcpy2DUnaligned(pointer_to(flat_copy_of(copy, __builtin_return_address(0))));
}
hipError_t emulated_node_type(hipGraphNode_t node, hipGraphNodeType* type) C_NAME(hipGraphNodeGetType);
hipError_t emulated_node_type(hipGraphNode_t node, hipGraphNodeType* type) {
  const hipError_t error = ::hipGraphNodeGetType(node, type);
  if (error == hipSuccess && linked_release(__builtin_return_address(0)) < hipport::emulate::kRelease53)
    *type = old_type(*type);
  return error;
}
hipError_t emulated_granularity(size_t* size, const void* wanted, hipMemAllocationGranularity_flags which)
    C_NAME(hipMemGetAllocationGranularity);
hipError_t emulated_granularity(size_t* size, const void* wanted, hipMemAllocationGranularity_flags which) {
  return ::hipMemGetAllocationGranularity(size, pointer_to(allocation_of(wanted, __builtin_return_address(0))), which);
}
hipError_t emulated_creation(hipMemGenericAllocationHandle_t* made, size_t size, const void* wanted,
                             unsigned long long flags) C_NAME(hipMemCreate);
hipError_t emulated_creation(hipMemGenericAllocationHandle_t* made, size_t size, const void* wanted,
                             unsigned long long flags) {
  return ::hipMemCreate(made, size, pointer_to(allocation_of(wanted, __builtin_return_address(0))), flags);
}
hipError_t emulated_allocation(void* to, hipMemGenericAllocationHandle_t memory)
    C_NAME(hipMemGetAllocationPropertiesFromHandle);
hipError_t emulated_allocation(void* to, hipMemGenericAllocationHandle_t memory) {
  hipMemAllocationProp found;
  const hipError_t error = ::hipMemGetAllocationPropertiesFromHandle(to == nullptr ? nullptr : &found, memory);
  if (error != hipSuccess) return error;
  if (linked_release(__builtin_return_address(0)) < hipport::emulate::kRelease53)
    *static_cast<OldAllocation*>(to) = old_allocation(found);
  else
    *static_cast<hipMemAllocationProp*>(to) = found;
  return hipSuccess;
}
hipError_t emulated_memset_node(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                size_t count, const void* wanted, hipCtx_t context) C_NAME(hipDrvGraphAddMemsetNode);
hipError_t emulated_memset_node(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                size_t count, const void* wanted, hipCtx_t context) {
  const auto setting = setting_of(wanted, __builtin_return_address(0));
  return ::hipDrvGraphAddMemsetNode(node, graph, dependencies, count, pointer_to(setting), context);
}
hipError_t emulated_memset_change(hipGraphExec_t graph, hipGraphNode_t node, const void* wanted, hipCtx_t context)
    C_NAME(hipDrvGraphExecMemsetNodeSetParams);
hipError_t emulated_memset_change(hipGraphExec_t graph, hipGraphNode_t node, const void* wanted, hipCtx_t context) {
  const auto setting = setting_of(wanted, __builtin_return_address(0));
  return ::hipDrvGraphExecMemsetNodeSetParams(graph, node, pointer_to(setting), context);
}
