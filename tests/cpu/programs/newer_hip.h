// Declares what HIP's headers before 6.4 and 7.0 lack, as those of newer releases have it, so that programs are built with
// older ones, too. The emulator has the functions, whatever the release of the headers is.
#pragma once

#if defined(__HIP_PLATFORM_AMD__) && !defined(HIPPORT_WAVE_SIZE) && HIP_VERSION < 60400000
#include <hip/hip_runtime_api.h>

// Numbers of release 6, which functions that came with it expect. Functions that are older expect those of the headers.
#ifdef MEMORY_TYPES_OF_6
#define hipMemoryTypeHost static_cast<hipMemoryType>(1)
#define hipMemoryTypeDevice static_cast<hipMemoryType>(2)
#endif
#define hipGraphNodeTypeKernel static_cast<hipGraphNodeType>(0)
#define hipGraphNodeTypeMemcpy static_cast<hipGraphNodeType>(1)
#define hipGraphNodeTypeMemset static_cast<hipGraphNodeType>(2)
#define hipGraphNodeTypeGraph static_cast<hipGraphNodeType>(4)
#define hipGraphNodeTypeMemAlloc static_cast<hipGraphNodeType>(10)
#define hipGraphNodeTypeMemFree static_cast<hipGraphNodeType>(11)
#define hipGraphNodeTypeBatchMemOp static_cast<hipGraphNodeType>(14)

struct hipMemcpyNodeParams {
  int flags, reserved[3];
  hipMemcpy3DParms copyParams;
};
struct hipChildGraphNodeParams {
  hipGraph_t graph;
};
struct hipMemFreeNodeParams {
  void* dptr;
};
struct NewerAllocation {  // hipMemAllocNodeParams, which some releases have
  hipMemPoolProps poolProps;
  const hipMemAccessDesc* accessDescs;
  size_t accessDescCount, bytesize;
  void* dptr;
};
struct hipGraphNodeParams {
  hipGraphNodeType type;
  int reserved0[3];
  union {
    long long reserved1[29];
    hipKernelNodeParams kernel;
    hipMemcpyNodeParams memcpy;
    hipMemsetParams memset;
    hipHostNodeParams host;
    hipChildGraphNodeParams graph;
    NewerAllocation alloc;
    hipMemFreeNodeParams free;
  };
  long long reserved2;
};
struct NewerCopy {  // HIP_MEMCPY3D of release 6
  size_t srcXInBytes, srcY, srcZ, srcLOD;
  hipMemoryType srcMemoryType;
  const void* srcHost;
  hipDeviceptr_t srcDevice;
  hipArray_t srcArray;
  size_t srcPitch, srcHeight, dstXInBytes, dstY, dstZ, dstLOD;
  hipMemoryType dstMemoryType;
  void* dstHost;
  hipDeviceptr_t dstDevice;
  hipArray_t dstArray;
  size_t dstPitch, dstHeight, WidthInBytes, Height, Depth;
};
#define HIP_MEMCPY3D NewerCopy
struct HIP_MEMSET_NODE_PARAMS {
  hipDeviceptr_t dst;
  size_t pitch;
  unsigned value, elementSize;
  size_t width, height;
};
enum hipGraphInstantiateResult { hipGraphInstantiateSuccess = 0, hipGraphInstantiateError = 1 };
struct hipGraphInstantiateParams {
  hipGraphNode_t errNode_out;
  unsigned long long flags;
  hipGraphInstantiateResult result_out;
  hipStream_t uploadStream;
};
struct hipGraphEdgeData {
  unsigned char from_port, reserved[5], to_port, type;
};

using hipUserObject_t = struct hipUserObject*;
enum { hipUserObjectNoDestructorSync = 1, hipGraphUserObjectMove = 1 };
enum hipStreamBatchMemOpType {
  hipStreamMemOpWaitValue32 = 1,
  hipStreamMemOpWriteValue32 = 2,
  hipStreamMemOpWaitValue64 = 4,
  hipStreamMemOpWriteValue64 = 5,
  hipStreamMemOpBarrier = 6,
  hipStreamMemOpFlushRemoteWrites = 3
};
union hipStreamBatchMemOpParams {
  hipStreamBatchMemOpType operation;
  struct {
    hipStreamBatchMemOpType operation;
    hipDeviceptr_t address;
    union {
      uint32_t value;
      uint64_t value64;
    };
    unsigned flags;
    hipDeviceptr_t alias;
  } waitValue, writeValue;
  struct {
    hipStreamBatchMemOpType operation;
    unsigned flags;
  } memoryBarrier;
  uint64_t pad[6];
};
struct hipBatchMemOpNodeParams {
  hipCtx_t ctx;
  unsigned count;
  hipStreamBatchMemOpParams* paramArray;
  unsigned flags;
};

// Weak, since a library of such a release lacks them when the program is linked.
#pragma clang attribute push(__attribute__((weak)), apply_to = function)
extern "C" {
hipError_t hipGraphAddNode(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, size_t, hipGraphNodeParams*);
hipError_t hipGraphNodeSetParams(hipGraphNode_t, hipGraphNodeParams*);
hipError_t hipGraphExecNodeSetParams(hipGraphExec_t, hipGraphNode_t, hipGraphNodeParams*);
hipError_t hipGraphInstantiateWithParams(hipGraphExec_t*, hipGraph_t, hipGraphInstantiateParams*);
hipError_t hipGraphExecGetFlags(hipGraphExec_t, unsigned long long*);
hipError_t hipGraphDebugDotPrint(hipGraph_t, const char*, unsigned);
hipError_t hipGraphKernelNodeSetAttribute(hipGraphNode_t, hipKernelNodeAttrID, const hipKernelNodeAttrValue*);
hipError_t hipGraphKernelNodeGetAttribute(hipGraphNode_t, hipKernelNodeAttrID, hipKernelNodeAttrValue*);
hipError_t hipGraphKernelNodeCopyAttributes(hipGraphNode_t, hipGraphNode_t);
hipError_t hipDrvGraphAddMemsetNode(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, size_t,
                                    const HIP_MEMSET_NODE_PARAMS*, hipCtx_t);
hipError_t hipDrvGraphExecMemsetNodeSetParams(hipGraphExec_t, hipGraphNode_t, const HIP_MEMSET_NODE_PARAMS*, hipCtx_t);
hipError_t hipDrvGraphAddMemcpyNode(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, size_t, const HIP_MEMCPY3D*,
                                    hipCtx_t);
hipError_t hipDrvGraphMemcpyNodeGetParams(hipGraphNode_t, HIP_MEMCPY3D*);
hipError_t hipDrvGraphMemcpyNodeSetParams(hipGraphNode_t, const HIP_MEMCPY3D*);
hipError_t hipDrvGraphExecMemcpyNodeSetParams(hipGraphExec_t, hipGraphNode_t, const HIP_MEMCPY3D*, hipCtx_t);
hipError_t hipStreamBeginCaptureToGraph(hipStream_t, hipGraph_t, const hipGraphNode_t*, const hipGraphEdgeData*, size_t,
                                        hipStreamCaptureMode);
hipError_t hipMemGetAccess(unsigned long long*, const hipMemLocation*, void*);

hipError_t hipUserObjectCreate(hipUserObject_t*, void*, hipHostFn_t, unsigned, unsigned);
hipError_t hipUserObjectRelease(hipUserObject_t, unsigned count = 1);
hipError_t hipUserObjectRetain(hipUserObject_t, unsigned count = 1);
hipError_t hipGraphRetainUserObject(hipGraph_t, hipUserObject_t, unsigned count = 1, unsigned flags = 0);
hipError_t hipGraphReleaseUserObject(hipGraph_t, hipUserObject_t, unsigned count = 1);
hipError_t hipStreamBatchMemOp(hipStream_t, unsigned, hipStreamBatchMemOpParams*, unsigned);
hipError_t hipGraphAddBatchMemOpNode(hipGraphNode_t*, hipGraph_t, const hipGraphNode_t*, size_t,
                                     const hipBatchMemOpNodeParams*);
hipError_t hipGraphBatchMemOpNodeGetParams(hipGraphNode_t, hipBatchMemOpNodeParams*);
hipError_t hipGraphBatchMemOpNodeSetParams(hipGraphNode_t, hipBatchMemOpNodeParams*);
hipError_t hipGraphExecBatchMemOpNodeSetParams(hipGraphExec_t, hipGraphNode_t, const hipBatchMemOpNodeParams*);
}
#pragma clang attribute pop
#endif

#if defined(__HIP_PLATFORM_AMD__) && !defined(HIPPORT_WAVE_SIZE) && HIP_VERSION < 70100000
enum { hipMemcpySrcAccessOrderStream = 1, hipMemcpyOperandTypePointer = 1, hipMemcpyOperandTypeArray = 2 };
struct hipMemcpyAttributes {
  int srcAccessOrder;
  hipMemLocation srcLocHint, dstLocHint;
  unsigned flags;
};
struct hipOffset3D {
  size_t x, y, z;
};
struct hipMemcpy3DOperand {
  int type;
  union {
    struct {
      void* ptr;
      size_t rowLength, layerHeight;
      hipMemLocation locHint;
    } ptr;
    struct {
      hipArray_t array;
      hipOffset3D offset;
    } array;
  } op;
};
struct hipMemcpy3DBatchOp {
  hipMemcpy3DOperand src, dst;
  hipExtent extent;
  int srcAccessOrder;
  unsigned flags;
};
#pragma clang attribute push(__attribute__((weak)), apply_to = function)
extern "C" {
hipError_t hipMemcpyBatchAsync(void**, void**, size_t*, size_t, hipMemcpyAttributes*, size_t*, size_t, size_t*,
                               hipStream_t);
hipError_t hipMemcpy3DBatchAsync(size_t, hipMemcpy3DBatchOp*, size_t*, unsigned long long, hipStream_t);
}
#pragma clang attribute pop
#endif

#if defined(__HIP_PLATFORM_AMD__) && !defined(HIPPORT_WAVE_SIZE) && HIP_VERSION < 70000000
#pragma clang attribute push(__attribute__((weak)), apply_to = function)
extern "C" {
hipError_t hipArrayGetDescriptor(HIP_ARRAY_DESCRIPTOR*, hipArray_t);
hipError_t hipArray3DGetDescriptor(HIP_ARRAY3D_DESCRIPTOR*, hipArray_t);
hipError_t hipArrayGetInfo(hipChannelFormatDesc*, hipExtent*, unsigned*, hipArray_t);
hipError_t hipMemcpy2DArrayToArray(hipArray_t, size_t, size_t, hipArray_const_t, size_t, size_t, size_t, size_t,
                                   hipMemcpyKind);
hipError_t hipMemcpyAtoA(hipArray_t, size_t, hipArray_t, size_t, size_t);
hipError_t hipMemcpyAtoHAsync(void*, hipArray_t, size_t, size_t, hipStream_t);
hipError_t hipMemcpyHtoAAsync(hipArray_t, size_t, const void*, size_t, hipStream_t);
hipError_t hipMemsetD2D8(hipDeviceptr_t, size_t, unsigned char, size_t, size_t);
hipError_t hipMemsetD2D16Async(hipDeviceptr_t, size_t, unsigned short, size_t, size_t, hipStream_t);
hipError_t hipMemsetD2D32(hipDeviceptr_t, size_t, unsigned, size_t, size_t);
hipError_t hipStreamGetId(hipStream_t, unsigned long long*);
}
#pragma clang attribute pop
#endif
