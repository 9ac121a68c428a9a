// SPDX-License-Identifier: MIT
// Graph nodes.
#pragma once

#include "errors.h"
#include "handles.h"
#include "launch_attributes.h"
#include "vector_types.h"

#include <algorithm>
#include <any>
#include <functional>
#include <map>
#include <memory>
#include <vector>

enum hipGraphNodeType {
  hipGraphNodeTypeKernel = 0,
  hipGraphNodeTypeMemcpy = 1,
  hipGraphNodeTypeMemset = 2,
  hipGraphNodeTypeHost = 3,
  hipGraphNodeTypeGraph = 4,
  hipGraphNodeTypeEmpty = 5,
  hipGraphNodeTypeWaitEvent = 6,
  hipGraphNodeTypeEventRecord = 7,
  hipGraphNodeTypeExtSemaphoreSignal = 8,
  hipGraphNodeTypeExtSemaphoreWait = 9,
  hipGraphNodeTypeMemAlloc = 10,
  hipGraphNodeTypeMemFree = 11,
  hipGraphNodeTypeMemcpyFromSymbol = 12,
  hipGraphNodeTypeMemcpyToSymbol = 13,
  hipGraphNodeTypeBatchMemOp = 14,
  hipGraphNodeTypeCount
};

namespace hipport::cpu {
struct GraphReferences;
}
struct ihipGraph;
struct hipGraphNode;
using hipGraph_t = ihipGraph*;
using hipGraphNode_t = hipGraphNode*;

struct hipKernelNodeParams {
  dim3 blockDim;
  void** extra;
  void* func;
  dim3 gridDim;
  void** kernelParams;
  unsigned sharedMemBytes;
};

namespace hipport::cpu {
// The work and the parameters of a new or changed node.
struct NodeContent {
  hipGraphNodeType type = hipGraphNodeTypeEmpty;
  std::function<void()> work;
  std::any parameters;
  std::shared_ptr<ihipGraph> child;
  hipError_t status = hipSuccess;
  std::function<NodeContent(const hipKernelNodeParams&)> with_parameters = {};  // of captured kernels
};
}  // namespace hipport::cpu

// A piece of work and the nodes that must run before it.
struct hipGraphNode : hipport::cpu::Handled<hipGraphNode> {
  hipGraphNodeType type = hipGraphNodeTypeEmpty;
  std::function<void()> work;
  std::any parameters;  // as passed to the call that created or changed the node
  std::function<hipport::cpu::NodeContent(const hipKernelNodeParams&)> with_parameters;
  std::shared_ptr<ihipGraph> child;  // of nodes that contain a graph
  std::vector<hipGraphNode*> dependencies;
  ihipGraph* graph = nullptr;
  bool enabled = true;
  std::map<hipLaunchAttributeID, hipLaunchAttributeValue> attributes;
  const hipGraphNode* original = nullptr;  // of a copy: the node in the original graph

  bool depends_on(const hipGraphNode* other) const {
    return std::find(dependencies.begin(), dependencies.end(), other) != dependencies.end();
  }
};

struct ihipGraph : hipport::cpu::Handled<ihipGraph> {
  std::vector<std::unique_ptr<hipGraphNode>> nodes;  // in the order in which they were added
  std::vector<std::shared_ptr<void>> kept;           // objects that live as long as the graph and its copies
  std::vector<std::shared_ptr<hipport::cpu::GraphReferences>> user_objects;  // kept, too
};

namespace hipport::cpu {

template <>
struct PointerArgument<hipGraphNode> : HandleArgument<hipGraphNode, hipErrorInvalidValue, hipErrorInvalidValue> {};
template <>
struct PointerArgument<ihipGraph> : HandleArgument<ihipGraph, hipErrorInvalidValue, hipErrorInvalidValue> {};

inline hipGraphNode* add_node(ihipGraph& graph, hipGraphNodeType type, std::function<void()> work,
                              std::vector<hipGraphNode*> dependencies) {
  graph.nodes.push_back(std::make_unique<hipGraphNode>());
  hipGraphNode* node = graph.nodes.back().get();
  node->graph = &graph;
  node->type = type;
  node->work = std::move(work);
  node->dependencies = std::move(dependencies);
  return node;
}

inline void fill(hipGraphNode& node, NodeContent content) {
  node.work = std::move(content.work);
  node.parameters = std::move(content.parameters);
  node.child = std::move(content.child);
  node.with_parameters = std::move(content.with_parameters);
}

// Sort nodes so that every dependency comes first, in the order of adding where possible. With a cycle, nodes are
// missing.
inline std::vector<const hipGraphNode*> ordered(const ihipGraph& graph) {
  std::map<const hipGraphNode*, size_t> waits_for;
  std::map<const hipGraphNode*, std::vector<const hipGraphNode*>> followers;
  std::map<const hipGraphNode*, size_t> place;
  for (const auto& node : graph.nodes) {
    place[node.get()] = place.size();
    waits_for[node.get()] = node->dependencies.size();
    for (const hipGraphNode* before : node->dependencies) followers[before].push_back(node.get());
  }
  std::map<size_t, const hipGraphNode*> ready;
  for (const auto& node : graph.nodes)
    if (node->dependencies.empty()) ready[place[node.get()]] = node.get();
  std::vector<const hipGraphNode*> order;
  while (!ready.empty()) {
    order.push_back(ready.begin()->second);
    ready.erase(ready.begin());
    for (const hipGraphNode* next : followers[order.back()])
      if (--waits_for[next] == 0) ready[place[next]] = next;
  }
  return order;
}

// Copy a graph with its nodes in dependency order; null if there is a cycle.
inline std::unique_ptr<ihipGraph> copy_in_order(const ihipGraph& graph) {
  auto copy = std::make_unique<ihipGraph>();
  std::map<const hipGraphNode*, hipGraphNode*> copies;
  for (const hipGraphNode* node : ordered(graph)) {
    copy->nodes.push_back(std::make_unique<hipGraphNode>(*node));
    hipGraphNode* fresh = copies[node] = copy->nodes.back().get();
    fresh->original = node;
    fresh->graph = copy.get();
    for (hipGraphNode*& before : fresh->dependencies) before = copies.at(before);
    if (node->child != nullptr) fresh->child = copy_in_order(*node->child);
  }
  copy->kept = graph.kept;
  copy->user_objects = graph.user_objects;
  return copies.size() == graph.nodes.size() ? std::move(copy) : nullptr;
}

inline void run_graph(const ihipGraph& graph) {
  for (const hipGraphNode* node : ordered(graph)) {
    if (!node->enabled) continue;
    if (node->child != nullptr)
      run_graph(*node->child);
    else if (node->work)
      node->work();
  }
}

}  // namespace hipport::cpu
