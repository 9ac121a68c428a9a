// SPDX-License-Identifier: MIT
// Functions of graphs as CUDA 13 has them: with data for each edge, and with one struct for the result of an update.
//
// HIP's edges carry no data, like those of CUDA that wait for a whole node. Data that asks for something else is
// hipErrorNotSupported; where a function returns data, it is that of such edges.
#ifndef HIPPORT_COMPAT_GRAPH_EDGES_H
#define HIPPORT_COMPAT_GRAPH_EDGES_H

#include "core.h"

#include <hip/hip_runtime.h>

#if defined(HIPPORT_COMPAT_HIP) && (defined(__HIPPORT_CPU__) || !HIPPORT_COMPAT_HIP_BEFORE(6, 2))
typedef hipGraphEdgeData cudaGraphEdgeData;
#elif defined(HIPPORT_COMPAT_HIP) || CUDART_VERSION < 12030
struct cudaGraphEdgeData {
  unsigned char from_port, to_port, type, reserved[5];
};
#endif

#if defined(HIPPORT_COMPAT_HIP) || CUDART_VERSION < 12000
struct cudaGraphExecUpdateResultInfo {
  hipGraphExecUpdateResult result;
  hipGraphNode_t errorNode, errorFromNode;
};
#endif

namespace hipport {
namespace compat {

inline bool are_plain(const cudaGraphEdgeData* edges, size_t count) {
  for (size_t i = 0; edges && i < count; ++i)
    if (edges[i].from_port || edges[i].to_port || edges[i].type) return false;
  return true;
}

inline void make_plain(cudaGraphEdgeData* edges, const size_t* count) {
  for (size_t i = 0; edges && count && i < *count; ++i) edges[i] = cudaGraphEdgeData();
}

inline hipError_t graph_add_dependencies(hipGraph_t graph, const hipGraphNode_t* from, const hipGraphNode_t* to,
                                         const cudaGraphEdgeData* edges, size_t count) {
  if (!are_plain(edges, count)) return hipErrorNotSupported;
  return hipGraphAddDependencies(graph, from, to, count);
}

inline hipError_t graph_remove_dependencies(hipGraph_t graph, const hipGraphNode_t* from, const hipGraphNode_t* to,
                                            const cudaGraphEdgeData* edges, size_t count) {
  if (!are_plain(edges, count)) return hipErrorNotSupported;
  return hipGraphRemoveDependencies(graph, from, to, count);
}

inline hipError_t graph_get_edges(hipGraph_t graph, hipGraphNode_t* from, hipGraphNode_t* to, cudaGraphEdgeData* edges,
                                  size_t* count) {
  const hipError_t found = hipGraphGetEdges(graph, from, to, count);
  if (found == hipSuccess) make_plain(edges, count);
  return found;
}

inline hipError_t graph_node_get_dependencies(hipGraphNode_t node, hipGraphNode_t* others, cudaGraphEdgeData* edges,
                                              size_t* count) {
  const hipError_t found = hipGraphNodeGetDependencies(node, others, count);
  if (found == hipSuccess) make_plain(edges, count);
  return found;
}

inline hipError_t graph_node_get_dependent_nodes(hipGraphNode_t node, hipGraphNode_t* others, cudaGraphEdgeData* edges,
                                                 size_t* count) {
  const hipError_t found = hipGraphNodeGetDependentNodes(node, others, count);
  if (found == hipSuccess) make_plain(edges, count);
  return found;
}

#if !defined(HIPPORT_COMPAT_HIP) || defined(__HIPPORT_CPU__) || !HIPPORT_COMPAT_HIP_BEFORE(6, 2)
template <typename Parameters>
inline hipError_t graph_add_node(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* after,
                                 const cudaGraphEdgeData* edges, size_t count, Parameters* parameters) {
  if (!are_plain(edges, count)) return hipErrorNotSupported;
  return hipGraphAddNode(node, graph, after, count, parameters);
}
#endif

// Where the number of a capture goes. The driver's functions take a `uint64_t*`, and 0 means none.
struct CaptureId {
  unsigned long long* number;
  CaptureId(unsigned long long* to) : number(to) {}
  CaptureId(unsigned long* to) : number(reinterpret_cast<unsigned long long*>(to)) {}
  CaptureId(decltype(nullptr)) : number(nullptr) {}
  CaptureId(int) : number(nullptr) {}
  CaptureId(long) : number(nullptr) {}
};

// The data stays valid as long as the program runs. More edges than this lead to no node in practice.
inline hipError_t stream_get_capture_info(hipStream_t stream, hipStreamCaptureStatus* status, CaptureId id,
                                          hipGraph_t* graph, const hipGraphNode_t** nodes,
                                          const cudaGraphEdgeData** edges, size_t* count = nullptr) {
  static const size_t most = 1024;
  static const cudaGraphEdgeData plain[most] = {};
  size_t found = 0;
  const hipError_t asked = hipStreamGetCaptureInfo_v2(stream, status, id.number, graph, nodes, &found);
  if (asked != hipSuccess) return asked;
  if (edges && found > most) return hipErrorNotSupported;
  if (edges) *edges = plain;
  if (count) *count = found;
  return hipSuccess;
}

inline hipError_t stream_update_capture_dependencies(hipStream_t stream, hipGraphNode_t* nodes,
                                                     const cudaGraphEdgeData* edges, size_t count,
                                                     unsigned int flags = 0) {
  if (!are_plain(edges, count)) return hipErrorNotSupported;
  return hipStreamUpdateCaptureDependencies(stream, nodes, count, flags);
}

inline hipError_t graph_exec_update(hipGraphExec_t executable, hipGraph_t graph, cudaGraphExecUpdateResultInfo* info) {
  hipGraphNode_t node = nullptr;
  hipGraphExecUpdateResult result = hipGraphExecUpdateError;
  const hipError_t updated = hipGraphExecUpdate(executable, graph, &node, &result);
  if (info) {
    *info = cudaGraphExecUpdateResultInfo();
    info->result = result;
    info->errorNode = node;
  }
  return updated;
}

}  // namespace compat
}  // namespace hipport

#endif
