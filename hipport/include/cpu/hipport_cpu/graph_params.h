// SPDX-License-Identifier: MIT
// Nodes of graphs by one structure for all types, nodes of the driver API, attributes of kernel nodes, and graphs as text.
#pragma once

#include "driver_copies.h"
#include "external.h"
#include "graph_building.h"

#include <fstream>

struct hipMemcpyNodeParams {
  int flags, reserved[3];
  hipMemcpy3DParms copyParams;
};
struct hipChildGraphNodeParams {
  hipGraph_t graph;
};
struct hipEventWaitNodeParams {
  hipEvent_t event;
};
struct hipEventRecordNodeParams {
  hipEvent_t event;
};
struct hipMemFreeNodeParams {
  void* dptr;
};
struct hipExternalSemaphoreSignalNodeParams {
  hipExternalSemaphore_t* extSemArray;
  const hipExternalSemaphoreSignalParams* paramsArray;
  unsigned numExtSems;
};
struct hipExternalSemaphoreWaitNodeParams {
  hipExternalSemaphore_t* extSemArray;
  const hipExternalSemaphoreWaitParams* paramsArray;
  unsigned numExtSems;
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
    hipEventWaitNodeParams eventWait;
    hipEventRecordNodeParams eventRecord;
    hipExternalSemaphoreSignalNodeParams extSemSignal;
    hipExternalSemaphoreWaitNodeParams extSemWait;
    hipMemAllocNodeParams alloc;
    hipMemFreeNodeParams free;
  };
  long long reserved2;
};
struct HIP_MEMSET_NODE_PARAMS {
  hipDeviceptr_t dst;
  size_t pitch;
  unsigned value, elementSize;
  size_t width, height;
};

enum hipGraphInstantiateResult {
  hipGraphInstantiateSuccess = 0,
  hipGraphInstantiateError = 1,
  hipGraphInstantiateInvalidStructure = 2,
  hipGraphInstantiateNodeOperationNotSupported = 3,
  hipGraphInstantiateMultipleDevicesNotSupported = 4
};
struct hipGraphInstantiateParams {
  hipGraphNode_t errNode_out;
  unsigned long long flags;
  hipGraphInstantiateResult result_out;
  hipStream_t uploadStream;
};
enum hipGraphDebugDotFlags {
  hipGraphDebugDotFlagsVerbose = 1 << 0,
  hipGraphDebugDotFlagsKernelNodeParams = 1 << 2,
  hipGraphDebugDotFlagsMemcpyNodeParams = 1 << 3,
  hipGraphDebugDotFlagsMemsetNodeParams = 1 << 4,
  hipGraphDebugDotFlagsHostNodeParams = 1 << 5,
  hipGraphDebugDotFlagsEventNodeParams = 1 << 6,
  hipGraphDebugDotFlagsExtSemasSignalNodeParams = 1 << 7,
  hipGraphDebugDotFlagsExtSemasWaitNodeParams = 1 << 8,
  hipGraphDebugDotFlagsKernelNodeAttributes = 1 << 9,
  hipGraphDebugDotFlagsHandles = 1 << 10
};

namespace hipport::cpu {

inline NodeContent content(const HIP_MEMCPY3D& params) {
  return {hipGraphNodeTypeMemcpy, [params] { hipDrvMemcpy3D(&params); }, params, {}, problem_of_copy(params)};
}
inline NodeContent content(const HIP_MEMSET_NODE_PARAMS& params) {
  return content(
      hipMemsetParams{params.dst, params.elementSize, params.height, params.pitch, params.value, params.width});
}
inline NodeContent free_content(void* memory) {
  return {hipGraphNodeTypeMemFree, [memory] { release(memory); }, memory, {}, hipSuccess};
}

// The content of a node other than a kernel's. Memory is allocated by `add_by_structure`, which knows the graph.
inline NodeContent content_but_kernels(const hipGraphNodeParams& params) {
  switch (params.type) {
    case hipGraphNodeTypeMemcpy: return content(params.memcpy.copyParams);
    case hipGraphNodeTypeMemset: return content(params.memset);
    case hipGraphNodeTypeHost: return content(params.host);
    case hipGraphNodeTypeGraph:
      if (params.graph.graph == nullptr) return {params.type, {}, {}, {}, hipErrorInvalidValue};
      return content(*params.graph.graph);
    case hipGraphNodeTypeEmpty: return {};
    case hipGraphNodeTypeWaitEvent: return event_content(params.type, params.eventWait.event);
    case hipGraphNodeTypeEventRecord: return event_content(params.type, params.eventRecord.event);
    case hipGraphNodeTypeMemFree: return free_content(params.free.dptr);
    case hipGraphNodeTypeExtSemaphoreSignal:
    case hipGraphNodeTypeExtSemaphoreWait: return {params.type, {}, {}, {}, hipErrorNotSupported};
    default: return {params.type, {}, {}, {}, hipErrorInvalidValue};
  }
}

template <typename Contents>
hipError_t add_by_structure(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies, size_t count,
                            hipGraphNodeParams* params, Contents contents) {
  if (params == nullptr) return status(hipErrorInvalidValue);
  if (params->type == hipGraphNodeTypeMemAlloc)
    return hipGraphAddMemAllocNode(node, graph, dependencies, count, &params->alloc);
  return add(node, graph, dependencies, count, contents(*params));
}

inline NodeContent content(const hipGraphNodeParams& params) {
  return params.type == hipGraphNodeTypeKernel ? content(params.kernel) : content_but_kernels(params);
}

inline const char* name_of(hipGraphNodeType type) {
  static const char* const names[] = {"KERNEL",    "MEMCPY",     "MEMSET",       "HOST",       "GRAPH",
                                      "EMPTY",     "WAIT_EVENT", "EVENT_RECORD", "EXT_SIGNAL", "EXT_WAIT",
                                      "MEM_ALLOC", "MEM_FREE",   "MEMCPY_FROM",  "MEMCPY_TO",  "BATCH_MEM_OP"};
  return type >= 0 && type < hipGraphNodeTypeCount ? names[type] : "UNKNOWN";
}

// Write a graph, and those in it, in the language of Graphviz; `prefix` makes names of nodes unique.
inline void write_dot(std::ostream& to, const ihipGraph& graph, const std::string& prefix) {
  to << "subgraph cluster_" << prefix << " {\n";
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const hipGraphNode& node = *graph.nodes[i];
    to << "  \"" << prefix << "_" << i << "\" [shape=\"box\" label=\"" << i << "\\n" << name_of(node.type) << "\"];\n";
    for (const hipGraphNode* before : node.dependencies)
      to << "  \"" << prefix << "_" << place_of(graph, before) << "\" -> \"" << prefix << "_" << i << "\";\n";
    if (node.child != nullptr) write_dot(to, *node.child, prefix + "_" + std::to_string(i));
  }
  to << "}\n";
}

}  // namespace hipport::cpu

HIPPORT_RUNTIME hipError_t hipGraphAddNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                           size_t count, hipGraphNodeParams* params) {
  HIPPORT_NEEDS(graph);
  const auto contents = [](const hipGraphNodeParams& one) { return hipport::cpu::content(one); };
  return hipport::cpu::add_by_structure(node, graph, dependencies, count, params, contents);
}
HIPPORT_RUNTIME hipError_t hipGraphNodeSetParams(hipGraphNode_t node, hipGraphNodeParams* params) {
  HIPPORT_NEEDS(node);
  if (params == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  return hipport::cpu::set(node, hipport::cpu::content(*params));
}
HIPPORT_RUNTIME hipError_t hipGraphExecNodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,
                                                     hipGraphNodeParams* params) {
  HIPPORT_NEEDS(executable, node);
  if (params == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  return hipport::cpu::set_in(executable, node, hipport::cpu::content(*params));
}

// Nodes of the driver API. The context is that of the device.
HIPPORT_RUNTIME hipError_t hipDrvGraphAddMemcpyNode(hipGraphNode_t* node, hipGraph_t graph,
                                                    const hipGraphNode_t* dependencies, size_t count,
                                                    const HIP_MEMCPY3D* params, hipCtx_t) {
  HIPPORT_NEEDS(graph);
  if (params == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  return hipport::cpu::add(node, graph, dependencies, count, hipport::cpu::content(*params));
}
HIPPORT_RUNTIME hipError_t hipDrvGraphMemcpyNodeGetParams(hipGraphNode_t node, HIP_MEMCPY3D* params) {
  HIPPORT_NEEDS(node);
  return hipport::cpu::parameters(node, params);
}
HIPPORT_RUNTIME hipError_t hipDrvGraphMemcpyNodeSetParams(hipGraphNode_t node, const HIP_MEMCPY3D* params) {
  HIPPORT_NEEDS(node);
  if (params == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  return hipport::cpu::set(node, hipport::cpu::content(*params));
}
HIPPORT_RUNTIME hipError_t hipDrvGraphExecMemcpyNodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,
                                                              const HIP_MEMCPY3D* params, hipCtx_t) {
  HIPPORT_NEEDS(executable, node);
  if (params == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  return hipport::cpu::set_in(executable, node, hipport::cpu::content(*params));
}
HIPPORT_RUNTIME hipError_t hipDrvGraphAddMemsetNode(hipGraphNode_t* node, hipGraph_t graph,
                                                    const hipGraphNode_t* dependencies, size_t count,
                                                    const HIP_MEMSET_NODE_PARAMS* params, hipCtx_t) {
  HIPPORT_NEEDS(graph);
  if (params == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  return hipport::cpu::add(node, graph, dependencies, count, hipport::cpu::content(*params));
}
HIPPORT_RUNTIME hipError_t hipDrvGraphExecMemsetNodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,
                                                              const HIP_MEMSET_NODE_PARAMS* params, hipCtx_t) {
  HIPPORT_NEEDS(executable, node);
  if (params == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  return hipport::cpu::set_in(executable, node, hipport::cpu::content(*params));
}
HIPPORT_RUNTIME hipError_t hipDrvGraphAddMemFreeNode(hipGraphNode_t* node, hipGraph_t graph,
                                                     const hipGraphNode_t* dependencies, size_t count,
                                                     hipDeviceptr_t memory) {
  HIPPORT_NEEDS(graph);
  return hipGraphAddMemFreeNode(node, graph, dependencies, count, memory);
}

// Attributes have no effect here; a node keeps them.
HIPPORT_RUNTIME hipError_t hipGraphKernelNodeSetAttribute(hipGraphNode_t node, hipLaunchAttributeID attribute,
                                                          const hipLaunchAttributeValue* value) {
  HIPPORT_NEEDS(node);
  if (value == nullptr || node->type != hipGraphNodeTypeKernel) return hipport::cpu::status(hipErrorInvalidValue);
  if (!hipport::cpu::is_attribute(attribute)) return hipport::cpu::status(hipErrorInvalidValue);
  node->attributes[attribute] = *value;
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipGraphKernelNodeGetAttribute(hipGraphNode_t node, hipLaunchAttributeID attribute,
                                                          hipLaunchAttributeValue* value) {
  HIPPORT_NEEDS(node);
  if (value == nullptr || node->type != hipGraphNodeTypeKernel) return hipport::cpu::status(hipErrorInvalidValue);
  if (!hipport::cpu::is_attribute(attribute)) return hipport::cpu::status(hipErrorInvalidValue);
  const auto found = node->attributes.find(attribute);
  *value = found == node->attributes.end() ? hipLaunchAttributeValue{} : found->second;
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipGraphKernelNodeCopyAttributes(hipGraphNode_t from, hipGraphNode_t to) {
  HIPPORT_NEEDS(from, to);
  if (from == nullptr || to == nullptr || from->type != to->type || to->type != hipGraphNodeTypeKernel)
    return hipport::cpu::status(hipErrorInvalidContext);
  to->attributes = from->attributes;
  return hipSuccess;
}

HIPPORT_RUNTIME hipError_t hipGraphInstantiateWithParams(hipGraphExec_t* executable, hipGraph_t graph,
                                                         hipGraphInstantiateParams* params) {
  HIPPORT_NEEDS(graph);
  if (executable == nullptr || params == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  const hipError_t error = hipGraphInstantiateWithFlags(executable, graph, params->flags);
  params->errNode_out = nullptr;
  params->result_out = error == hipSuccess ? hipGraphInstantiateSuccess : hipGraphInstantiateInvalidStructure;
  return error;
}
HIPPORT_RUNTIME hipError_t hipGraphExecGetFlags(hipGraphExec_t executable, unsigned long long* flags) {
  HIPPORT_NEEDS(executable);
  if (flags == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  *flags = executable->flags;
  return hipSuccess;
}
// The text has types and edges, whatever the flags.
HIPPORT_RUNTIME hipError_t hipGraphDebugDotPrint(hipGraph_t graph, const char* path, unsigned) {
  HIPPORT_NEEDS(graph);
  if (path == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  std::ofstream to(path);
  to << "digraph hipGraph {\n";
  hipport::cpu::write_dot(to, *graph, "graph");
  to << "}\n";
  return hipport::cpu::status(to.flush() ? hipSuccess : hipErrorOperatingSystem);
}

// External semaphores do not exist with ROCm on Linux, so that no node can have one.
#define HIPPORT_SEMAPHORE_NODE(Name)                                                   \
  HIPPORT_RUNTIME hipError_t hipGraphAddExternalSemaphores##Name##Node(                \
      hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t*, size_t,           \
      const hipExternalSemaphore##Name##NodeParams* params) {                          \
    const bool valid = node != nullptr && graph != nullptr && params != nullptr;       \
    return hipport::cpu::status(valid ? hipErrorNotSupported : hipErrorInvalidValue);  \
  }                                                                                    \
  HIPPORT_RUNTIME hipError_t hipGraphExternalSemaphores##Name##NodeGetParams(          \
      hipGraphNode_t, hipExternalSemaphore##Name##NodeParams*) {                       \
    return hipport::cpu::status(hipErrorInvalidValue);                                 \
  }                                                                                    \
  HIPPORT_RUNTIME hipError_t hipGraphExternalSemaphores##Name##NodeSetParams(          \
      hipGraphNode_t, const hipExternalSemaphore##Name##NodeParams*) {                 \
    return hipport::cpu::status(hipErrorInvalidValue);                                 \
  }                                                                                    \
  HIPPORT_RUNTIME hipError_t hipGraphExecExternalSemaphores##Name##NodeSetParams(      \
      hipGraphExec_t, hipGraphNode_t, const hipExternalSemaphore##Name##NodeParams*) { \
    return hipport::cpu::status(hipErrorInvalidValue);                                 \
  }
HIPPORT_SEMAPHORE_NODE(Signal)
HIPPORT_SEMAPHORE_NODE(Wait)
#undef HIPPORT_SEMAPHORE_NODE
