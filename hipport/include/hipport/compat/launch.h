// SPDX-License-Identifier: MIT
// `cudaLaunchKernelEx`, `cudaLaunchKernelExC` and `cuLaunchKernelEx`, with their configurations and attributes.
//
// HIP has them from ROCm 7.0 on, without most attributes. Here a launch is cooperative if it is asked for, and its
// events are recorded behind the kernel. A cluster of more than one block, or a kernel node that device code updates,
// is hipErrorNotSupported. The other attributes are hints, or permit the GPU to start a kernel early, and are ignored.
#ifndef HIPPORT_COMPAT_LAUNCH_H
#define HIPPORT_COMPAT_LAUNCH_H

#include "core.h"

#include <type_traits>
#include <utility>

#if defined(HIPPORT_COMPAT_HIP)

enum cudaLaunchAttributeID {
  cudaLaunchAttributeIgnore = 0,
  cudaLaunchAttributeAccessPolicyWindow = 1,
  cudaLaunchAttributeCooperative = 2,
  cudaLaunchAttributeSynchronizationPolicy = 3,
  cudaLaunchAttributeClusterDimension = 4,
  cudaLaunchAttributeClusterSchedulingPolicyPreference = 5,
  cudaLaunchAttributeProgrammaticStreamSerialization = 6,
  cudaLaunchAttributeProgrammaticEvent = 7,
  cudaLaunchAttributePriority = 8,
  cudaLaunchAttributeMemSyncDomainMap = 9,
  cudaLaunchAttributeMemSyncDomain = 10,
  cudaLaunchAttributePreferredClusterDimension = 11,
  cudaLaunchAttributeLaunchCompletionEvent = 12,
  cudaLaunchAttributeDeviceUpdatableKernelNode = 13,
  cudaLaunchAttributePreferredSharedMemoryCarveout = 14,
  cudaLaunchAttributeNvlinkUtilCentricScheduling = 16
};
typedef enum cudaLaunchAttributeID CUlaunchAttributeID;
typedef enum cudaLaunchAttributeID CUlaunchAttributeID_enum;

#define CU_LAUNCH_ATTRIBUTE_IGNORE cudaLaunchAttributeIgnore
#define CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW cudaLaunchAttributeAccessPolicyWindow
#define CU_LAUNCH_ATTRIBUTE_COOPERATIVE cudaLaunchAttributeCooperative
#define CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY cudaLaunchAttributeSynchronizationPolicy
#define CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION cudaLaunchAttributeClusterDimension
#define CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE cudaLaunchAttributeClusterSchedulingPolicyPreference
#define CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION cudaLaunchAttributeProgrammaticStreamSerialization
#define CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT cudaLaunchAttributeProgrammaticEvent
#define CU_LAUNCH_ATTRIBUTE_PRIORITY cudaLaunchAttributePriority
#define CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP cudaLaunchAttributeMemSyncDomainMap
#define CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN cudaLaunchAttributeMemSyncDomain
#define CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION cudaLaunchAttributePreferredClusterDimension
#define CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT cudaLaunchAttributeLaunchCompletionEvent
#define CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE cudaLaunchAttributeDeviceUpdatableKernelNode
#define CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT cudaLaunchAttributePreferredSharedMemoryCarveout
#define CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING cudaLaunchAttributeNvlinkUtilCentricScheduling

enum cudaClusterSchedulingPolicy {
  cudaClusterSchedulingPolicyDefault = 0,
  cudaClusterSchedulingPolicySpread = 1,
  cudaClusterSchedulingPolicyLoadBalancing = 2
};
typedef enum cudaClusterSchedulingPolicy CUclusterSchedulingPolicy;
typedef enum cudaClusterSchedulingPolicy CUclusterSchedulingPolicy_enum;

#define CU_CLUSTER_SCHEDULING_POLICY_DEFAULT cudaClusterSchedulingPolicyDefault
#define CU_CLUSTER_SCHEDULING_POLICY_SPREAD cudaClusterSchedulingPolicySpread
#define CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING cudaClusterSchedulingPolicyLoadBalancing

union cudaLaunchAttributeValue {
  char pad[64];
#if !defined(__HIPPORT_CPU__)
  hipAccessPolicyWindow accessPolicyWindow;
#endif
  int cooperative;
  int syncPolicy;
  struct {
    unsigned int x, y, z;
  } clusterDim;
  enum cudaClusterSchedulingPolicy clusterSchedulingPolicyPreference;
  int programmaticStreamSerializationAllowed;
  struct {
    hipEvent_t event;
    int flags;
    int triggerAtBlockStart;
  } programmaticEvent;
  int priority;
  struct {
    unsigned char default_, remote;
  } memSyncDomainMap;
  int memSyncDomain;
  struct {
    unsigned int x, y, z;
  } preferredClusterDim;
  struct {
    hipEvent_t event;
    int flags;
  } launchCompletionEvent;
  struct {
    int deviceUpdatable;
    void* devNode;
  } deviceUpdatableKernelNode;
  unsigned int sharedMemCarveout;
  unsigned int nvlinkUtilCentricScheduling;
};
typedef union cudaLaunchAttributeValue CUlaunchAttributeValue;
typedef union cudaLaunchAttributeValue CUlaunchAttributeValue_union;

typedef struct cudaLaunchAttribute_st {
  enum cudaLaunchAttributeID id;
  char pad[4];
  union cudaLaunchAttributeValue val;
} cudaLaunchAttribute;

typedef struct CUlaunchAttribute_st {
  enum cudaLaunchAttributeID id;
  char pad[4];
  union cudaLaunchAttributeValue value;
} CUlaunchAttribute;

typedef struct cudaLaunchConfig_st {
  dim3 gridDim;
  dim3 blockDim;
  size_t dynamicSmemBytes;
  hipStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned int numAttrs;
} cudaLaunchConfig_t;

typedef struct CUlaunchConfig_st {
  unsigned int gridDimX, gridDimY, gridDimZ;
  unsigned int blockDimX, blockDimY, blockDimZ;
  unsigned int sharedMemBytes;
  hipStream_t hStream;
  CUlaunchAttribute* attrs;
  unsigned int numAttrs;
} CUlaunchConfig;

// A kernel starts after the one before it in the stream has finished: there is nothing to wait for, nor to announce.
__device__ inline void cudaGridDependencySynchronize() {}
__device__ inline void cudaTriggerProgrammaticLaunchCompletion() {}

namespace hipport {
namespace compat {

// Attributes are ordered in time: what an event waits for is behind the launch.
struct LaunchAttributes {
  static const unsigned most_events = 8;
  bool cooperative = false;
  hipError_t error = hipSuccess;
  hipEvent_t events[most_events];
  unsigned event_count = 0;

  void add(cudaLaunchAttributeID id, const cudaLaunchAttributeValue& value) {
    if (id == cudaLaunchAttributeCooperative) cooperative = value.cooperative != 0;
    if (id == cudaLaunchAttributeProgrammaticEvent) record(value.programmaticEvent.event);
    if (id == cudaLaunchAttributeLaunchCompletionEvent) record(value.launchCompletionEvent.event);
    const bool cluster = id == cudaLaunchAttributeClusterDimension &&
                         (value.clusterDim.x > 1 || value.clusterDim.y > 1 || value.clusterDim.z > 1);
    const bool updated =
        id == cudaLaunchAttributeDeviceUpdatableKernelNode && value.deviceUpdatableKernelNode.deviceUpdatable != 0;
    if (cluster || updated) error = hipErrorNotSupported;
  }
  void record(hipEvent_t event) {
    if (event_count == most_events)
      error = hipErrorNotSupported;
    else
      events[event_count++] = event;
  }
  hipError_t finish(hipError_t launched, hipStream_t stream) const {
    for (unsigned i = 0; i < event_count && launched == hipSuccess; ++i) launched = hipEventRecord(events[i], stream);
    return launched;
  }
};

template <typename Kernel>
inline hipError_t launch_kernel_ex_c(const cudaLaunchConfig_t* config, Kernel kernel, void** arguments) {
  LaunchAttributes wanted;
  for (unsigned i = 0; i < config->numAttrs; ++i) wanted.add(config->attrs[i].id, config->attrs[i].val);
  if (wanted.error != hipSuccess) return wanted.error;
#if defined(__HIPPORT_CPU__)
  const Kernel address = kernel;
#else
  const void* address = (const void*)kernel;
#endif
  const hipError_t launched = wanted.cooperative
                                  ? hipLaunchCooperativeKernel(address, config->gridDim, config->blockDim, arguments,
                                                               (unsigned int)config->dynamicSmemBytes, config->stream)
                                  : hipLaunchKernel(address, config->gridDim, config->blockDim, arguments,
                                                    config->dynamicSmemBytes, config->stream);
  return wanted.finish(launched, config->stream);
}

// The arguments are converted to the types of the kernel's parameters.
template <typename... Parameters>
inline hipError_t launch_converted(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                                   typename std::remove_const<Parameters>::type... values) {
  void* arguments[sizeof...(Parameters) + 1] = {(void*)&values..., nullptr};
  return launch_kernel_ex_c(config, kernel, arguments);
}
template <typename... Parameters, typename... Arguments>
inline hipError_t launch_kernel_ex(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                                   Arguments&&... arguments) {
  return launch_converted<Parameters...>(config, kernel, std::forward<Arguments>(arguments)...);
}

inline hipError_t module_launch_kernel_ex(const CUlaunchConfig* config, hipFunction_t function, void** parameters,
                                          void** extra) {
  LaunchAttributes wanted;
  for (unsigned i = 0; i < config->numAttrs; ++i) wanted.add(config->attrs[i].id, config->attrs[i].value);
  if (wanted.error != hipSuccess) return wanted.error;
  if (wanted.cooperative) {
#if HIPPORT_COMPAT_HIP_BEFORE(5, 5)
    return hipErrorNotSupported;
#else
    if (extra) return hipErrorNotSupported;
    return wanted.finish(hipModuleLaunchCooperativeKernel(
                             function, config->gridDimX, config->gridDimY, config->gridDimZ, config->blockDimX,
                             config->blockDimY, config->blockDimZ, config->sharedMemBytes, config->hStream, parameters),
                         config->hStream);
#endif
  }
  return wanted.finish(hipModuleLaunchKernel(function, config->gridDimX, config->gridDimY, config->gridDimZ,
                                             config->blockDimX, config->blockDimY, config->blockDimZ,
                                             config->sharedMemBytes, config->hStream, parameters, extra),
                       config->hStream);
}

}  // namespace compat
}  // namespace hipport

#if !defined(__HIPPORT_CPU__)
// The attributes of graph nodes, which HIP's functions take with types of its own, have the same numbers and members.
#if HIPPORT_COMPAT_HIP_BEFORE(6, 2)
typedef hipKernelNodeAttrID hipportNodeAttributeID;
typedef hipKernelNodeAttrValue hipportNodeAttributeValue;
#else
typedef hipLaunchAttributeID hipportNodeAttributeID;
typedef hipLaunchAttributeValue hipportNodeAttributeValue;
#endif

inline hipError_t hipGraphKernelNodeSetAttribute(hipGraphNode_t node, cudaLaunchAttributeID id,
                                                 const cudaLaunchAttributeValue* value) {
  return hipGraphKernelNodeSetAttribute(node, (hipportNodeAttributeID)id, (const hipportNodeAttributeValue*)value);
}
inline hipError_t hipGraphKernelNodeGetAttribute(hipGraphNode_t node, cudaLaunchAttributeID id,
                                                 cudaLaunchAttributeValue* value) {
  return hipGraphKernelNodeGetAttribute(node, (hipportNodeAttributeID)id, (hipportNodeAttributeValue*)value);
}
#endif

#elif defined(HIPPORT_COMPAT_CUDA)

#include <cuda.h>
#include <cuda_runtime.h>

namespace hipport {
namespace compat {

template <typename... Parameters, typename... Arguments>
inline cudaError_t launch_kernel_ex(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                                    Arguments&&... arguments) {
  return cudaLaunchKernelEx(config, kernel, static_cast<Arguments&&>(arguments)...);
}
inline cudaError_t launch_kernel_ex_c(const cudaLaunchConfig_t* config, const void* kernel, void** arguments) {
  return cudaLaunchKernelExC(config, kernel, arguments);
}
inline CUresult module_launch_kernel_ex(const CUlaunchConfig* config, CUfunction function, void** parameters,
                                        void** extra) {
  return cuLaunchKernelEx(config, function, parameters, extra);
}

}  // namespace compat
}  // namespace hipport

#endif

#endif
