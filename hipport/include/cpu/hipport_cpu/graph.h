// SPDX-License-Identifier: MIT
// Graphs by capture.
#pragma once

#include "stream.h"

#include <mutex>

namespace hipport::cpu {

// Streams that joined a capture leave it when it ends: their shared graph is marked by being emptied of its owner.
inline std::shared_ptr<ihipGraph> finish_capture(hipStream_t stream) {
  std::shared_ptr<ihipGraph> graph = std::move(stream->capture);
  stream->capture = nullptr;
  stream->origin = false;
  return graph;
}

}  // namespace hipport::cpu

inline hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode) {
  if (!hipport::cpu::is_handle(stream)) return hipport::cpu::status(hipErrorStreamCaptureUnsupported);
  if (stream->capture != nullptr) return hipport::cpu::status(hipErrorIllegalState);
  stream->capture = std::make_shared<ihipGraph>();
  stream->origin = true;
  return hipSuccess;
}
inline hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph) {
  if (hipport::cpu::capture_of(stream) == nullptr) return hipport::cpu::status(hipErrorIllegalState);
  if (!stream->origin) return hipport::cpu::status(hipErrorStreamCaptureUnmatched);
  *graph = new ihipGraph(std::move(*hipport::cpu::finish_capture(stream)));
  return hipSuccess;
}
inline hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* status) {
  *status = hipport::cpu::capture_of(stream) ? hipStreamCaptureStatusActive : hipStreamCaptureStatusNone;
  return hipSuccess;
}
inline hipError_t hipGraphCreate(hipGraph_t* graph, unsigned = 0) {
  *graph = new ihipGraph;
  return hipSuccess;
}
inline hipError_t hipGraphDestroy(hipGraph_t graph) {
  delete graph;
  return hipSuccess;
}
inline hipError_t hipGraphInstantiate(hipGraphExec_t* executable, hipGraph_t graph, hipGraphNode_t* = nullptr,
                                      char* = nullptr, size_t = 0) {
  *executable = new hipGraphExec{*graph};
  return hipSuccess;
}
inline hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* executable, hipGraph_t graph, unsigned long long) {
  return hipGraphInstantiate(executable, graph);
}
inline hipError_t hipGraphLaunch(hipGraphExec_t executable, hipStream_t stream) {
  for (const auto& work : executable->graph.work) hipport::cpu::enqueue(stream, work);
  return hipSuccess;
}
inline hipError_t hipGraphUpload(hipGraphExec_t, hipStream_t) { return hipSuccess; }
inline hipError_t hipGraphExecDestroy(hipGraphExec_t executable) {
  delete executable;
  return hipSuccess;
}
// Work recorded anew replaces the old.
inline hipError_t hipGraphExecUpdate(hipGraphExec_t executable, hipGraph_t graph, hipGraphNode_t*, unsigned* result) {
  executable->graph = *graph;
  if (result != nullptr) *result = 0;
  return hipSuccess;
}
