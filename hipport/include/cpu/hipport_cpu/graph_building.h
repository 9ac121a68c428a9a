// SPDX-License-Identifier: MIT
// Building graphs: adding nodes, changing them in the graph and in the executable graph, dependencies.
#pragma once

#include "arrays.h"
#include "graph.h"
#include "kernel_handle.h"
#include "pools.h"

#include <memory>

struct hipMemsetParams {
  void* dst;
  unsigned elementSize;
  size_t height, pitch;
  unsigned value;
  size_t width;  // in elements
};
struct hipHostNodeParams {
  hipHostFn_t fn;
  void* userData;
};

// Markers in the `extra` array of a launch whose arguments are in one buffer.
#define HIP_LAUNCH_PARAM_BUFFER_POINTER (reinterpret_cast<void*>(1))
#define HIP_LAUNCH_PARAM_BUFFER_SIZE (reinterpret_cast<void*>(2))
#define HIP_LAUNCH_PARAM_END (reinterpret_cast<void*>(3))

namespace hipport::cpu {

// Return the argument buffer that `extra` names, or null.
inline char* argument_buffer(void** extra) {
  for (; extra != nullptr && *extra != HIP_LAUNCH_PARAM_END; extra += 2)
    if (*extra == HIP_LAUNCH_PARAM_BUFFER_POINTER) return static_cast<char*>(extra[1]);
  return nullptr;
}

// Bind a launch whose arguments are in an array of pointers or in one buffer.
HIPPORT_RUNTIME hipError_t bind_with_extra(const char* caller, KernelHandle kernel, const Launch& launch,
                                           void** arguments, void** extra, bool cooperative,
                                           std::shared_ptr<BoundKernel>* bound) {
  std::vector<void*> unpacked;
  if (char* buffer = arguments == nullptr && kernel.type != nullptr ? argument_buffer(extra) : nullptr) {
    unpacked.resize(kernel.type->parameters + 1);
    kernel.type->unpack(buffer, unpacked.data());
    arguments = unpacked.data();
  }
  return bind_launch(caller, kernel, launch, arguments, cooperative, bound);
}

inline NodeContent content(const hipKernelNodeParams& params) {
  const Launch launch{{params.gridDim, params.blockDim, params.sharedMemBytes}, nullptr, "launched by a graph", false};
  std::shared_ptr<BoundKernel> bound;
  const hipError_t status = bind_with_extra("a graph node of an untyped kernel pointer", kernel(params.func), launch,
                                            params.kernelParams, params.extra, false, &bound);
  if (status != hipSuccess) return {hipGraphNodeTypeKernel, {}, {}, {}, status};
  hipKernelNodeParams kept = params;
  kept.kernelParams = bound->arguments();
  kept.extra = nullptr;
  return {hipGraphNodeTypeKernel, [bound] { bound->run(); }, kept, {}, hipSuccess};
}
inline NodeContent content(const hipMemcpy3DParms& params) {
  return {hipGraphNodeTypeMemcpy, [params] { hipMemcpy3D(&params); }, params, {}, problem_of_copy(params)};
}
inline NodeContent content(void* to, const void* from, size_t size) {
  if (to == nullptr || from == nullptr || size == 0 || to == from || overruns(to, size) || overruns(from, size))
    return {hipGraphNodeTypeMemcpy, {}, {}, {}, hipErrorInvalidValue};
  hipMemcpy3DParms params{};
  params.srcPtr = {const_cast<void*>(from), size, size, 1};
  params.dstPtr = {to, size, size, 1};
  params.extent = {size, 1, 1};
  params.kind = hipMemcpyDefault;
  return content(params);
}
inline NodeContent content(const hipMemsetParams& params) {
  const unsigned bytes = params.elementSize;
  const bool fits = params.height <= 1 || params.pitch >= params.width * bytes;
  const bool valid = params.dst != nullptr && (bytes == 1 || bytes == 2 || bytes == 4) && params.width != 0 &&
                     params.height != 0 && fits &&
                     !overruns(params.dst, (params.height - 1) * params.pitch + params.width * bytes);
  const auto work = [params] {
    for (size_t row = 0; row < params.height; ++row)
      for (size_t i = 0; i < params.width; ++i)
        std::memcpy(static_cast<char*>(params.dst) + row * params.pitch + i * params.elementSize, &params.value,
                    params.elementSize);
  };
  return {hipGraphNodeTypeMemset, work, params, {}, valid ? hipSuccess : hipErrorInvalidValue};
}
inline NodeContent content(const hipHostNodeParams& params) {
  return {hipGraphNodeTypeHost,
          [params] { params.fn(params.userData); },
          params,
          {},
          params.fn != nullptr ? hipSuccess : hipErrorInvalidValue};
}
inline NodeContent content(const ihipGraph& child) {
  return {hipGraphNodeTypeGraph, {}, {}, copy_in_order(child), hipSuccess};
}
inline NodeContent event_content(hipGraphNodeType type, hipEvent_t event) {
  std::function<void()> work;
  if (type == hipGraphNodeTypeEventRecord) work = [event] { mark(*event); };
  return {type, work, event, {}, exists(event) ? hipSuccess : hipErrorInvalidValue};
}

// The content of a node with new parameters. A captured kernel's types are known to its node alone.
template <typename Params>
NodeContent content_for(const hipGraphNode*, const Params& params) {
  return content(params);
}
inline NodeContent content_for(const hipGraphNode* node, const hipKernelNodeParams& params) {
  const auto* old = node != nullptr ? std::any_cast<hipKernelNodeParams>(&node->parameters) : nullptr;
  const bool is_same = old != nullptr && old->func == params.func && params.kernelParams != nullptr;
  return is_same && node->with_parameters ? node->with_parameters(params) : content(params);
}

HIPPORT_RUNTIME hipError_t set(hipGraphNode* node, NodeContent content) {
  HIPPORT_NEEDS(node);
  if (content.status != hipSuccess) return status(content.status);
  if (node->type != content.type) return status(hipErrorInvalidValue);
  fill(*node, std::move(content));
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t set_in(hipGraphExec_t executable, const hipGraphNode* node, NodeContent content) {
  HIPPORT_NEEDS(executable, node);
  return set(copy_of(*executable->graph, node), std::move(content));
}
// Return whether these are different nodes of the graph.
inline bool are_nodes_of(const ihipGraph* graph, const hipGraphNode_t* nodes, size_t count) {
  if (nodes == nullptr) return count == 0;
  for (size_t i = 0; i < count; ++i)
    if (!exists(nodes[i]) || nodes[i]->graph != graph || std::find(nodes, nodes + i, nodes[i]) != nodes + i)
      return false;
  return true;
}
HIPPORT_RUNTIME hipError_t add(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* dependencies, size_t count,
                               NodeContent content) {
  HIPPORT_NEEDS(node, graph);
  if (!are_nodes_of(graph, dependencies, count)) return status(hipErrorInvalidValue);
  if (content.status != hipSuccess) return status(content.status);
  *node = add_node(*graph, content.type, {}, {dependencies, dependencies + count});
  return set(*node, std::move(content));
}

// Return the parameters with which a node was created or last changed.
template <typename T>
hipError_t parameters(hipGraphNode_t node, T* result) {
  HIPPORT_NEEDS(node, result);
  const T* found = std::any_cast<T>(&node->parameters);
  if (found == nullptr) return status(hipErrorInvalidValue);
  *result = *found;
  return hipSuccess;
}

}  // namespace hipport::cpu

// Define hipGraphAdd<Name>Node, hipGraph<Name>NodeGetParams, -SetParams and hipGraphExec<Name>NodeSetParams.
#define HIPPORT_GRAPH_NODE(Name, Params)                                                                              \
  inline hipError_t hipGraphAdd##Name##Node(hipGraphNode_t* node, hipGraph_t graph,                                   \
                                            const hipGraphNode_t* dependencies, size_t count, const Params* params) { \
    HIPPORT_NEEDS(node, graph, params);                                                                               \
    return hipport::cpu::add(node, graph, dependencies, count, hipport::cpu::content(*params));                       \
  }                                                                                                                   \
  inline hipError_t hipGraph##Name##NodeGetParams(hipGraphNode_t node, Params* params) {                              \
    return hipport::cpu::parameters(node, params);                                                                    \
  }                                                                                                                   \
  inline hipError_t hipGraph##Name##NodeSetParams(hipGraphNode_t node, const Params* params) {                        \
    HIPPORT_NEEDS(node, params);                                                                                      \
    return hipport::cpu::set(node, hipport::cpu::content_for(node, *params));                                         \
  }                                                                                                                   \
  inline hipError_t hipGraphExec##Name##NodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,                 \
                                                      const Params* params) {                                         \
    HIPPORT_NEEDS(executable, node, params);                                                                          \
    return hipport::cpu::set_in(executable, node, hipport::cpu::content_for(node, *params));                          \
  }
HIPPORT_GRAPH_NODE(Kernel, hipKernelNodeParams)
HIPPORT_GRAPH_NODE(Memcpy, hipMemcpy3DParms)
HIPPORT_GRAPH_NODE(Memset, hipMemsetParams)
HIPPORT_GRAPH_NODE(Host, hipHostNodeParams)
#undef HIPPORT_GRAPH_NODE

// One-row copies, and copies to and from device variables, named by `symbol`.
#define HIPPORT_GRAPH_COPY(Name, Template, To, From, to, from, ...)                                                    \
  Template inline hipError_t hipGraphAddMemcpyNode##Name(hipGraphNode_t* node, hipGraph_t graph,                       \
                                                         const hipGraphNode_t* dependencies, size_t count, To, From,   \
                                                         size_t size __VA_ARGS__, hipMemcpyKind kind) {                \
    if (!hipport::cpu::is_direction(kind)) return hipport::cpu::status(hipErrorInvalidMemcpyDirection);                \
    return hipport::cpu::add(node, graph, dependencies, count, hipport::cpu::content(to, from, size));                 \
  }                                                                                                                    \
  Template inline hipError_t hipGraphMemcpyNodeSetParams##Name(hipGraphNode_t node, To, From, size_t size __VA_ARGS__, \
                                                               hipMemcpyKind kind) {                                   \
    if (!hipport::cpu::is_direction(kind)) return hipport::cpu::status(hipErrorInvalidMemcpyDirection);                \
    return hipport::cpu::set(node, hipport::cpu::content(to, from, size));                                             \
  }                                                                                                                    \
  Template inline hipError_t hipGraphExecMemcpyNodeSetParams##Name(                                                    \
      hipGraphExec_t executable, hipGraphNode_t node, To, From, size_t size __VA_ARGS__, hipMemcpyKind kind) {         \
    if (!hipport::cpu::is_direction(kind)) return hipport::cpu::status(hipErrorInvalidMemcpyDirection);                \
    return hipport::cpu::set_in(executable, node, hipport::cpu::content(to, from, size));                              \
  }
HIPPORT_GRAPH_COPY(1D, , void* to, const void* from, to, from)
HIPPORT_GRAPH_COPY(ToSymbol, template <typename S>, const S& symbol, const void* from,
                   hipport::cpu::symbol_address(symbol) + offset, from, , size_t offset)
HIPPORT_GRAPH_COPY(FromSymbol, template <typename S>, void* to, const S& symbol, to,
                   hipport::cpu::symbol_address(symbol) + offset, , size_t offset)
#undef HIPPORT_GRAPH_COPY

// Define hipGraphAddEvent<Name>Node and the functions that get and set its event.
#define HIPPORT_GRAPH_EVENT(Name, type)                                                                                \
  inline hipError_t hipGraphAddEvent##Name##Node(hipGraphNode_t* node, hipGraph_t graph,                               \
                                                 const hipGraphNode_t* dependencies, size_t count, hipEvent_t event) { \
    return hipport::cpu::add(node, graph, dependencies, count, hipport::cpu::event_content(type, event));              \
  }                                                                                                                    \
  inline hipError_t hipGraphEvent##Name##NodeGetEvent(hipGraphNode_t node, hipEvent_t* event) {                        \
    return hipport::cpu::parameters(node, event);                                                                      \
  }                                                                                                                    \
  inline hipError_t hipGraphEvent##Name##NodeSetEvent(hipGraphNode_t node, hipEvent_t event) {                         \
    return hipport::cpu::set(node, hipport::cpu::event_content(type, event));                                          \
  }                                                                                                                    \
  inline hipError_t hipGraphExecEvent##Name##NodeSetEvent(hipGraphExec_t executable, hipGraphNode_t node,              \
                                                          hipEvent_t event) {                                          \
    return hipport::cpu::set_in(executable, node, hipport::cpu::event_content(type, event));                           \
  }
HIPPORT_GRAPH_EVENT(Record, hipGraphNodeTypeEventRecord)
HIPPORT_GRAPH_EVENT(Wait, hipGraphNodeTypeWaitEvent)
#undef HIPPORT_GRAPH_EVENT

HIPPORT_RUNTIME hipError_t hipGraphAddEmptyNode(hipGraphNode_t* node, hipGraph_t graph,
                                                const hipGraphNode_t* dependencies, size_t count) {
  HIPPORT_NEEDS(graph);
  return hipport::cpu::add(node, graph, dependencies, count, {});
}
HIPPORT_RUNTIME hipError_t hipGraphAddChildGraphNode(hipGraphNode_t* node, hipGraph_t graph,
                                                     const hipGraphNode_t* dependencies, size_t count,
                                                     hipGraph_t child) {
  HIPPORT_NEEDS(graph, child);
  return hipport::cpu::add(node, graph, dependencies, count, hipport::cpu::content(*child));
}
HIPPORT_RUNTIME hipError_t hipGraphExecChildGraphNodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,
                                                               hipGraph_t child) {
  HIPPORT_NEEDS(executable, node, child);
  return hipport::cpu::set_in(executable, node, hipport::cpu::content(*child));
}
HIPPORT_RUNTIME hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t node, hipGraph_t* graph) {
  HIPPORT_NEEDS(node);
  if (node->child == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  *graph = node->child.get();
  return hipSuccess;
}

namespace hipport::cpu {
// Return whether these are edges between nodes of the graph.
inline bool are_edges_of(const ihipGraph* graph, const hipGraphNode_t* from, const hipGraphNode_t* to, size_t count) {
  if (from == nullptr || to == nullptr) return count == 0;
  for (size_t i = 0; i < count; ++i)
    if (!are_nodes_of(graph, from + i, 1) || !are_nodes_of(graph, to + i, 1) || from[i] == to[i]) return false;
  return true;
}
}  // namespace hipport::cpu

HIPPORT_RUNTIME hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t* from,
                                                   const hipGraphNode_t* to, size_t count) {
  HIPPORT_NEEDS(graph);
  if (!hipport::cpu::are_edges_of(graph, from, to, count)) return hipport::cpu::status(hipErrorInvalidValue);
  for (size_t i = 0; i < count; ++i) {
    if (to[i]->depends_on(from[i])) return hipport::cpu::status(hipErrorInvalidValue);
    to[i]->dependencies.push_back(from[i]);
  }
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipGraphRemoveDependencies(hipGraph_t graph, const hipGraphNode_t* from,
                                                      const hipGraphNode_t* to, size_t count) {
  HIPPORT_NEEDS(graph);
  if (!hipport::cpu::are_edges_of(graph, from, to, count)) return hipport::cpu::status(hipErrorInvalidValue);
  for (size_t i = 0; i < count; ++i) {
    auto& all = to[i]->dependencies;
    const auto found = std::find(all.begin(), all.end(), from[i]);
    if (found == all.end()) return hipport::cpu::status(hipErrorInvalidValue);
    all.erase(found);
  }
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipGraphNodeSetEnabled(hipGraphExec_t executable, hipGraphNode_t node, unsigned enabled) {
  HIPPORT_NEEDS(executable, node);
  hipGraphNode* copy = hipport::cpu::copy_of(*executable->graph, node);
  if (copy == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  copy->enabled = enabled != 0;
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipGraphNodeGetEnabled(hipGraphExec_t executable, hipGraphNode_t node, unsigned* enabled) {
  HIPPORT_NEEDS(executable, node, enabled);
  const hipGraphNode* copy = hipport::cpu::copy_of(*executable->graph, node);
  if (copy == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  *enabled = copy->enabled;
  return hipSuccess;
}

// Memory that graph nodes allocate and free.
struct hipMemAllocNodeParams {
  hipMemPoolProps poolProps;
  const hipMemAccessDesc* accessDescs;
  size_t accessDescCount, bytesize;
  void* dptr;
};
HIPPORT_RUNTIME hipError_t hipGraphAddMemAllocNode(hipGraphNode_t* node, hipGraph_t graph,
                                                   const hipGraphNode_t* dependencies, size_t count,
                                                   hipMemAllocNodeParams* params) {
  HIPPORT_NEEDS(graph);
  if (params == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  const auto memory = hipport::cpu::graph_memory(*graph, params->bytesize);
  if (memory == nullptr) return hipport::cpu::status(hipErrorOutOfMemory);
  params->dptr = memory->data();
  const auto work = [memory = memory.get()] { memory->allocate(); };
  return hipport::cpu::add(node, graph, dependencies, count, {hipGraphNodeTypeMemAlloc, work, *params, {}, hipSuccess});
}
HIPPORT_RUNTIME hipError_t hipGraphMemAllocNodeGetParams(hipGraphNode_t node, hipMemAllocNodeParams* params) {
  HIPPORT_NEEDS(node);
  return hipport::cpu::parameters(node, params);
}
HIPPORT_RUNTIME hipError_t hipGraphAddMemFreeNode(hipGraphNode_t* node, hipGraph_t graph,
                                                  const hipGraphNode_t* dependencies, size_t count, void* memory) {
  HIPPORT_NEEDS(graph);
  const auto work = [memory] { hipport::cpu::release(memory); };
  return hipport::cpu::add(node, graph, dependencies, count, {hipGraphNodeTypeMemFree, work, memory, {}, hipSuccess});
}
HIPPORT_RUNTIME hipError_t hipGraphMemFreeNodeGetParams(hipGraphNode_t node, void** memory) {
  HIPPORT_NEEDS(node);
  return hipport::cpu::parameters(node, memory);
}
