// SPDX-License-Identifier: MIT
// Stream capture into graphs.
#pragma once

#include "stream.h"

#include <atomic>
#include <memory>
#include <set>

namespace hipport::cpu {

// Return whether some recorded work does not precede the end of the stream on which the capture began.
inline bool has_unjoined_work(const Capture& capture) {
  const auto& last = place_of(capture.origin).last;
  // A set, not a sorted vector: the program may define a template `swap` that sorting nodes would pick up.
  std::set<const void*> followed(last.begin(), last.end());
  for (const auto& node : capture.graph->nodes) followed.insert(node->dependencies.begin(), node->dependencies.end());
  return std::any_of(capture.graph->nodes.begin() + static_cast<std::ptrdiff_t>(capture.first),
                     capture.graph->nodes.end(), [&](const auto& node) { return followed.count(node.get()) == 0; });
}

// End a capture: all streams that took part return to normal.
inline std::unique_ptr<ihipGraph> end_capture(std::shared_ptr<Capture> capture) {
  Captures::instance().remove(*capture);
  for (hipStream_t stream : capture->streams) place_of(stream) = {};
  return std::move(capture->graph);
}

}  // namespace hipport::cpu

HIPPORT_RUNTIME hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
  HIPPORT_NEEDS(stream);
  if (!hipport::cpu::can_be_captured(stream)) return hipport::cpu::status(hipErrorStreamCaptureUnsupported);
  if (mode < hipStreamCaptureModeGlobal || mode > hipStreamCaptureModeRelaxed)
    return hipport::cpu::status(hipErrorInvalidValue);
  hipport::cpu::CapturePlace& place = hipport::cpu::place_of(stream);
  if (place.capture != nullptr) return hipport::cpu::status(hipErrorIllegalState);
  static std::atomic<unsigned long long> captures{0};
  const auto capture = std::make_shared<hipport::cpu::Capture>();
  capture->origin = stream;
  capture->streams = {stream};
  capture->id = ++captures;
  capture->mode = mode;
  place.capture = capture;
  hipport::cpu::Captures::instance().add(*capture);
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph) {
  HIPPORT_NEEDS(graph, stream);
  const hipport::cpu::Capture* capture = hipport::cpu::capture_of(stream);
  if (capture == nullptr) return hipport::cpu::status(hipErrorIllegalState);
  if (capture->origin != stream) return hipport::cpu::status(hipErrorStreamCaptureUnmatched);
  const bool is_invalid = capture->is_invalid, unjoined = hipport::cpu::has_unjoined_work(*capture);
  const bool is_given = capture->is_given;  // the program's graph is not destroyed
  auto recorded = hipport::cpu::end_capture(hipport::cpu::place_of(stream).capture);
  const hipError_t error = is_invalid ? hipErrorStreamCaptureInvalidated
                           : unjoined ? hipErrorStreamCaptureUnjoined
                                      : hipSuccess;
  hipGraph_t const whole = is_given || error == hipSuccess ? recorded.release() : nullptr;
  *graph = error == hipSuccess ? whole : nullptr;
  return hipport::cpu::status(error);
}
HIPPORT_RUNTIME hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* status) {
  HIPPORT_NEEDS(stream, status);
  if (const hipError_t refused = hipport::cpu::refuse_implicit(stream); refused != hipSuccess)
    return hipport::cpu::status(refused);
  const hipport::cpu::Capture* capture = hipport::cpu::capture_of(stream);
  *status = capture == nullptr    ? hipStreamCaptureStatusNone
            : capture->is_invalid ? hipStreamCaptureStatusInvalidated
                                  : hipStreamCaptureStatusActive;
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipStreamGetCaptureInfo_v2(hipStream_t stream, hipStreamCaptureStatus* status,
                                                      unsigned long long* id = nullptr, hipGraph_t* graph = nullptr,
                                                      const hipGraphNode_t** last = nullptr, size_t* count = nullptr) {
  HIPPORT_NEEDS(stream);
  const hipport::cpu::Capture* capture = hipport::cpu::capture_of(stream);
  if (status == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  hipStreamIsCapturing(stream, status);
  if (capture == nullptr) return hipSuccess;
  if (id != nullptr) *id = capture->id;
  if (graph != nullptr) *graph = capture->graph.get();
  if (last != nullptr) *last = hipport::cpu::place_of(stream).last.data();
  if (count != nullptr) *count = hipport::cpu::place_of(stream).last.size();
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus* status,
                                                   unsigned long long* id = nullptr) {
  HIPPORT_NEEDS(stream);
  return hipStreamGetCaptureInfo_v2(stream, status, id);
}

enum hipStreamUpdateCaptureDependenciesFlags { hipStreamAddCaptureDependencies, hipStreamSetCaptureDependencies };
HIPPORT_RUNTIME hipError_t hipStreamUpdateCaptureDependencies(hipStream_t stream, hipGraphNode_t* nodes, size_t count,
                                                              unsigned flags = 0) {
  HIPPORT_NEEDS(stream);
  if (hipport::cpu::capture_of(stream) == nullptr) return hipport::cpu::status(hipErrorIllegalState);
  auto& last = hipport::cpu::place_of(stream).last;
  if (flags == hipStreamSetCaptureDependencies) last.clear();
  last.insert(last.end(), nodes, nodes + count);
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode) {
  HIPPORT_NEEDS(mode);
  std::swap(*mode, hipport::cpu::capture_mode());
  return hipSuccess;
}
