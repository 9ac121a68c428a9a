// SPDX-License-Identifier: MIT
// Graphs as a whole: creation, cloning, queries, instantiation, launch.
#pragma once

#include "capture.h"

#include <memory>

// An executable graph: a copy of a graph with its nodes in an order in which they can run.
struct hipGraphExec : hipport::cpu::Handled<hipGraphExec> {
  std::unique_ptr<ihipGraph> graph;
  unsigned long long flags = 0;
};
using hipGraphExec_t = hipGraphExec*;
template <>
struct hipport::cpu::PointerArgument<hipGraphExec>
    : hipport::cpu::HandleArgument<hipGraphExec, hipErrorInvalidValue, hipErrorInvalidValue> {};

// How one node waits for another; all edges are the same here.
struct hipGraphEdgeData {
  unsigned char from_port, reserved[5], to_port, type;
};

enum hipGraphExecUpdateResult {
  hipGraphExecUpdateSuccess = 0,
  hipGraphExecUpdateError = 1,
  hipGraphExecUpdateErrorTopologyChanged = 2,
  hipGraphExecUpdateErrorNodeTypeChanged = 3,
  hipGraphExecUpdateErrorFunctionChanged = 4,
  hipGraphExecUpdateErrorParametersChanged = 5,
  hipGraphExecUpdateErrorNotSupported = 6,
  hipGraphExecUpdateErrorUnsupportedFunctionChange = 7
};
enum hipGraphInstantiateFlags {
  hipGraphInstantiateFlagAutoFreeOnLaunch = 1,
  hipGraphInstantiateFlagUpload = 2,
  hipGraphInstantiateFlagDeviceLaunch = 4,
  hipGraphInstantiateFlagUseNodePriority = 8
};

namespace hipport::cpu {

// Return the results of a query: only their number if `room` is null, otherwise as many as fit.
template <typename T>
hipError_t give(const std::vector<T>& found, T* room, size_t* count) {
  if (count == nullptr) return status(hipErrorInvalidValue);
  if (room != nullptr) {
    *count = std::min(*count, found.size());
    std::copy_n(found.begin(), *count, room);
  } else {
    *count = found.size();
  }
  return hipSuccess;
}

inline std::vector<hipGraphNode_t> nodes_of(const ihipGraph& graph, bool (*wanted)(const hipGraphNode&)) {
  std::vector<hipGraphNode_t> nodes;
  for (const auto& node : graph.nodes)
    if (wanted(*node)) nodes.push_back(node.get());
  return nodes;
}

// Return the copy of a node in a copied graph, or null.
inline hipGraphNode* copy_of(const ihipGraph& graph, const hipGraphNode* original) {
  for (const auto& node : graph.nodes)
    if (node->original == original) return node.get();
  return nullptr;
}

// Return the index of a node in its graph's order.
inline size_t place_of(const ihipGraph& graph, const hipGraphNode* wanted) {
  size_t place = 0;
  while (graph.nodes[place].get() != wanted) ++place;
  return place;
}

// Compare a graph with one whose nodes may get new parameters; return the kind of difference.
inline hipGraphExecUpdateResult difference(const ihipGraph& old, const ihipGraph& fresh, size_t* where) {
  if (old.nodes.size() != fresh.nodes.size()) return hipGraphExecUpdateErrorTopologyChanged;
  for (*where = 0; *where < old.nodes.size(); ++*where) {
    const hipGraphNode &a = *old.nodes[*where], &b = *fresh.nodes[*where];
    if (a.type != b.type) return hipGraphExecUpdateErrorNodeTypeChanged;
    if (a.dependencies.size() != b.dependencies.size()) return hipGraphExecUpdateErrorTopologyChanged;
    for (size_t i = 0; i < a.dependencies.size(); ++i)
      if (place_of(old, a.dependencies[i]) != place_of(fresh, b.dependencies[i]))
        return hipGraphExecUpdateErrorTopologyChanged;
  }
  return hipGraphExecUpdateSuccess;
}

}  // namespace hipport::cpu

namespace hipport::cpu {
inline void run_graph_on(hipStream_t stream, ihipGraph& graph) {
  checks::launching_graph(stream, true);
  run_graph(graph);
  checks::launching_graph(stream, false);
}
}  // namespace hipport::cpu

HIPPORT_RUNTIME hipError_t hipGraphCreate(hipGraph_t* graph, unsigned flags = 0) {
  HIPPORT_NEEDS(graph);
  if (flags != 0) return hipport::cpu::status(hipErrorInvalidValue);
  *graph = new ihipGraph;
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipGraphDestroy(hipGraph_t graph) {
  if (graph != nullptr && !hipport::cpu::exists(graph)) return hipport::cpu::status(hipErrorIllegalState);
  HIPPORT_NEEDS(graph);
  delete graph;
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipGraphClone(hipGraph_t* clone, hipGraph_t graph) {
  HIPPORT_NEEDS(graph);
  if (clone == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  *clone = hipport::cpu::copy_in_order(*graph).release();
  return hipport::cpu::status(*clone == nullptr ? hipErrorInvalidValue : hipSuccess);
}
HIPPORT_RUNTIME hipError_t hipGraphNodeFindInClone(hipGraphNode_t* found, hipGraphNode_t original, hipGraph_t clone) {
  HIPPORT_NEEDS(found, original, clone);
  *found = hipport::cpu::copy_of(*clone, original);
  return hipport::cpu::status(*found == nullptr ? hipErrorInvalidValue : hipSuccess);
}

HIPPORT_RUNTIME hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t* nodes, size_t* count) {
  HIPPORT_NEEDS(graph);
  return hipport::cpu::give(hipport::cpu::nodes_of(*graph, [](const hipGraphNode&) { return true; }), nodes, count);
}
HIPPORT_RUNTIME hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t* nodes, size_t* count) {
  HIPPORT_NEEDS(graph);
  const auto is_root = [](const hipGraphNode& node) { return node.dependencies.empty(); };
  return hipport::cpu::give(hipport::cpu::nodes_of(*graph, is_root), nodes, count);
}
HIPPORT_RUNTIME hipError_t hipGraphGetEdges(hipGraph_t graph, hipGraphNode_t* from, hipGraphNode_t* to, size_t* count) {
  HIPPORT_NEEDS(graph, count);
  if ((from == nullptr) != (to == nullptr)) return hipport::cpu::status(hipErrorInvalidValue);
  std::vector<hipGraphNode_t> first, second;
  for (const auto& node : graph->nodes)
    for (hipGraphNode_t before : node->dependencies) {
      first.push_back(before);
      second.push_back(node.get());
    }
  size_t same = *count;
  if (to != nullptr) hipport::cpu::give(second, to, &same);
  return hipport::cpu::give(first, from, count);
}
HIPPORT_RUNTIME hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType* type) {
  HIPPORT_NEEDS(node);
  if (type == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  *type = node->type;
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipGraphNodeGetDependencies(hipGraphNode_t node, hipGraphNode_t* nodes, size_t* count) {
  HIPPORT_NEEDS(node);
  return hipport::cpu::give(node->dependencies, nodes, count);
}
HIPPORT_RUNTIME hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t node, hipGraphNode_t* nodes, size_t* count) {
  HIPPORT_NEEDS(node);
  std::vector<hipGraphNode_t> dependents;
  for (const auto& other : node->graph->nodes)
    if (other->depends_on(node)) dependents.push_back(other.get());
  return hipport::cpu::give(dependents, nodes, count);
}
HIPPORT_RUNTIME hipError_t hipGraphDestroyNode(hipGraphNode_t node) {
  HIPPORT_NEEDS(node);
  auto& nodes = node->graph->nodes;
  for (const auto& other : nodes) {
    auto& before = other->dependencies;
    before.erase(std::remove(before.begin(), before.end(), node), before.end());
  }
  nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(hipport::cpu::place_of(*node->graph, node)));
  return hipSuccess;
}

HIPPORT_RUNTIME hipError_t hipGraphInstantiate(hipGraphExec_t* executable, hipGraph_t graph, hipGraphNode_t* = nullptr,
                                               char* log = nullptr, size_t log_size = 0) {
  HIPPORT_NEEDS(graph);
  if (executable == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  if (log != nullptr && log_size > 0) *log = '\0';
  auto copy = hipport::cpu::copy_in_order(*graph);
  if (copy == nullptr) return hipport::cpu::status(hipErrorInvalidValue);  // the graph has a cycle
  *executable = new hipGraphExec{{}, std::move(copy), 0};
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* executable, hipGraph_t graph,
                                                        unsigned long long flags) {
  HIPPORT_NEEDS(graph);
  const hipError_t error = hipGraphInstantiate(executable, graph);
  if (error == hipSuccess) (*executable)->flags = flags;
  return error;
}
// A launch into a capture adds a node with the present state of the executable graph.
HIPPORT_RUNTIME hipError_t hipGraphLaunch(hipGraphExec_t executable, hipStream_t stream) {
  HIPPORT_NEEDS(executable, stream);
  if (hipport::cpu::capture_of(stream) == nullptr)
    hipport::cpu::run_graph_on(stream, *executable->graph);
  else
    hipport::cpu::record(stream, hipGraphNodeTypeGraph, {})->child = hipport::cpu::copy_in_order(*executable->graph);
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipGraphUpload(hipGraphExec_t executable, hipStream_t stream) {
  HIPPORT_NEEDS(executable, stream);
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipGraphExecDestroy(hipGraphExec_t executable) {
  HIPPORT_NEEDS(executable);
  delete executable;
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipGraphExecUpdate(hipGraphExec_t executable, hipGraph_t graph, hipGraphNode_t* node,
                                              hipGraphExecUpdateResult* result) {
  HIPPORT_NEEDS(executable, graph, node, result);
  auto fresh = hipport::cpu::copy_in_order(*graph);
  size_t where = 0;
  const hipGraphExecUpdateResult found =
      fresh == nullptr ? hipGraphExecUpdateError : hipport::cpu::difference(*executable->graph, *fresh, &where);
  *result = found;
  *node = nullptr;
  if (found == hipGraphExecUpdateSuccess) {
    // The nodes take new parameters but keep their identity in the executable graph.
    for (size_t i = 0; i < fresh->nodes.size(); ++i) fresh->nodes[i]->original = executable->graph->nodes[i]->original;
    executable->graph = std::move(fresh);
    return hipSuccess;
  }
  if (where < graph->nodes.size()) *node = const_cast<hipGraphNode_t>(fresh->nodes[where]->original);
  return hipport::cpu::status(hipErrorGraphExecUpdateFailure);
}
