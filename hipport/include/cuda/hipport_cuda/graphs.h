// SPDX-License-Identifier: MIT
// Graphs as in HIP: instantiated and updated as in CUDA 11, with edges that carry no data.
#pragma once

namespace hipport {
namespace nvidia {

inline cudaError_t graph_instantiate(cudaGraphExec_t* made, cudaGraph_t graph, cudaGraphNode_t* wrong, char* log,
                                     size_t size) {
#if CUDART_VERSION >= 12000
  if (wrong != nullptr) *wrong = nullptr;
  if (log != nullptr && size > 0) *log = '\0';
  return cudaGraphInstantiate(made, graph, 0);
#else
  return cudaGraphInstantiate(made, graph, wrong, log, size);
#endif
}

inline cudaError_t graph_exec_update(cudaGraphExec_t made, cudaGraph_t graph, cudaGraphNode_t* wrong,
                                     cudaGraphExecUpdateResult* outcome) {
#if CUDART_VERSION >= 12000
  cudaGraphExecUpdateResultInfo info = {};
  const cudaError_t result = cudaGraphExecUpdate(made, graph, &info);
  if (wrong != nullptr) *wrong = info.errorNode;
  if (outcome != nullptr) *outcome = info.result;
  return result;
#else
  return cudaGraphExecUpdate(made, graph, wrong, outcome);
#endif
}

// CUDA 13 added a parameter for edge data.
#if CUDART_VERSION >= 13000
inline cudaError_t graph_edges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, size_t* count) {
  return cudaGraphGetEdges(graph, from, to, nullptr, count);
}
inline cudaError_t graph_add_dependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                          size_t count) {
  return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}
inline cudaError_t graph_remove_dependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                             size_t count) {
  return cudaGraphRemoveDependencies(graph, from, to, nullptr, count);
}
inline cudaError_t node_dependencies(cudaGraphNode_t node, cudaGraphNode_t* found, size_t* count) {
  return cudaGraphNodeGetDependencies(node, found, nullptr, count);
}
inline cudaError_t node_dependents(cudaGraphNode_t node, cudaGraphNode_t* found, size_t* count) {
  return cudaGraphNodeGetDependentNodes(node, found, nullptr, count);
}
inline cudaError_t add_node(cudaGraphNode_t* made, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                            cudaGraphNodeParams* parameters) {
  return cudaGraphAddNode(made, graph, after, nullptr, count, parameters);
}
inline cudaError_t capture_info(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id) {
  return cudaStreamGetCaptureInfo(stream, status, id);
}
inline cudaError_t capture_info_v2(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                   unsigned long long* id = nullptr, cudaGraph_t* graph = nullptr,
                                   const cudaGraphNode_t** nodes = nullptr, size_t* count = nullptr) {
  return cudaStreamGetCaptureInfo(stream, status, id, graph, nodes, nullptr, count);
}
inline cudaError_t update_capture(cudaStream_t stream, cudaGraphNode_t* nodes, size_t count, unsigned flags = 0) {
  return cudaStreamUpdateCaptureDependencies(stream, nodes, nullptr, count, flags);
}
#endif

}  // namespace nvidia
}  // namespace hipport

#undef hipGraphInstantiate
#define hipGraphInstantiate ::hipport::nvidia::graph_instantiate
#undef hipGraphExecUpdate
#define hipGraphExecUpdate ::hipport::nvidia::graph_exec_update
#if CUDART_VERSION >= 13000
#undef hipGraphGetEdges
#define hipGraphGetEdges ::hipport::nvidia::graph_edges
#undef hipGraphAddDependencies
#define hipGraphAddDependencies ::hipport::nvidia::graph_add_dependencies
#undef hipGraphRemoveDependencies
#define hipGraphRemoveDependencies ::hipport::nvidia::graph_remove_dependencies
#undef hipGraphNodeGetDependencies
#define hipGraphNodeGetDependencies ::hipport::nvidia::node_dependencies
#undef hipGraphNodeGetDependentNodes
#define hipGraphNodeGetDependentNodes ::hipport::nvidia::node_dependents
#undef hipGraphAddNode
#define hipGraphAddNode ::hipport::nvidia::add_node
#undef hipStreamGetCaptureInfo
#define hipStreamGetCaptureInfo ::hipport::nvidia::capture_info
#undef hipStreamGetCaptureInfo_v2
#define hipStreamGetCaptureInfo_v2 ::hipport::nvidia::capture_info_v2
#undef hipStreamUpdateCaptureDependencies
#define hipStreamUpdateCaptureDependencies ::hipport::nvidia::update_capture
#endif
