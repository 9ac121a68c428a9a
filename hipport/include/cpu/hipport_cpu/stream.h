// SPDX-License-Identifier: MIT
// Streams and events.
//
// Work on a stream runs at once, before the call returns. HIP allows this order, as long as the work does not wait for
// something that the host does later.
#pragma once

#include "checks/hooks.h"
#include "devices.h"
#include "graph_nodes.h"

#include <chrono>
#include <memory>

using hipStream_t = struct ihipStream_t*;
using hipEvent_t = struct ihipEvent_t*;

namespace hipport::cpu {

// A graph that is being captured, and the streams involved: the one that began the capture and those that joined it.
struct Capture {
  std::unique_ptr<ihipGraph> graph = std::make_unique<ihipGraph>();
  hipStream_t origin = nullptr;
  std::vector<hipStream_t> streams;
  unsigned long long id = 0;
  bool is_given = false;    // the graph is the program's
  bool is_invalid = false;  // an operation was called that is not permitted during a capture
  Capture() = default;
  ~Capture() {
    if (is_given) graph.release();
  }
  size_t first = 0;  // nodes before this one were in the graph when the capture began
};

// The position of a stream or an event in a capture: the next node depends on the nodes in `last`.
struct CapturePlace {
  std::shared_ptr<Capture> capture;
  std::vector<hipGraphNode*> last;
};

}  // namespace hipport::cpu

struct ihipStream_t : hipport::cpu::Handled<ihipStream_t> {
  unsigned flags = 0;
  int priority = 0;
  hipport::cpu::CapturePlace place;
  int device = hipport::cpu::current_device();
  std::map<hipLaunchAttributeID, hipLaunchAttributeValue> attributes;
  std::vector<uint32_t> compute_units;  // a mask; empty if the stream has all
};
struct ihipEvent_t : hipport::cpu::Handled<ihipEvent_t> {
  unsigned flags = 0;
  bool recorded = false;
  std::chrono::steady_clock::time_point time;
  hipport::cpu::CapturePlace place;
};

#define hipStreamDefault 0  // a macro, as in HIP: Thrust passes it as the default stream
inline constexpr unsigned hipStreamNonBlocking = 1;
inline constexpr unsigned hipEventDefault = 0, hipEventBlockingSync = 1, hipEventDisableTiming = 2,
                          hipEventInterprocess = 4, hipEventReleaseToDevice = 0x40000000,
                          hipEventReleaseToSystem = 0x80000000;
inline constexpr unsigned hipEventRecordDefault = 0, hipEventRecordExternal = 1;
inline constexpr unsigned hipEventWaitDefault = 0, hipEventWaitExternal = 1;
#define hipStreamLegacy (reinterpret_cast<hipStream_t>(1))
#define hipStreamPerThread (reinterpret_cast<hipStream_t>(2))

enum hipStreamCaptureMode { hipStreamCaptureModeGlobal, hipStreamCaptureModeThreadLocal, hipStreamCaptureModeRelaxed };
enum hipStreamCaptureStatus {
  hipStreamCaptureStatusNone,
  hipStreamCaptureStatusActive,
  hipStreamCaptureStatusInvalidated
};
using hipStreamCallback_t = void (*)(hipStream_t stream, hipError_t status, void* data);
using hipHostFn_t = void (*)(void* data);

namespace hipport::cpu {

inline bool is_handle(const ihipStream_t* stream) { return reinterpret_cast<uintptr_t>(stream) > 2; }

template <>
struct PointerArgument<ihipStream_t> {
  static hipError_t problem(const ihipStream_t* stream) {
    return !is_handle(stream) || exists(stream) ? hipSuccess : hipErrorContextIsDestroyed;
  }
};
template <>
struct PointerArgument<ihipEvent_t> : HandleArgument<ihipEvent_t, hipErrorInvalidHandle, hipErrorContextIsDestroyed> {};

// Return the device of a stream; that of a default stream is the current one.
inline int device_of(hipStream_t stream) { return is_handle(stream) ? stream->device : current_device(); }

// Return whether a capture can begin on a stream: on the default streams of threads it can, on the legacy one it cannot.
inline bool can_be_captured(hipStream_t stream) { return is_handle(stream) || stream == hipStreamPerThread; }

// Return the position of a stream in a capture. Each thread has a default stream of its own, which a null pointer means,
// too, while it is captured: the legacy stream must not be used then.
HIPPORT_RUNTIME CapturePlace& place_of(hipStream_t stream) {
  static thread_local CapturePlace own;
  return is_handle(stream) ? stream->place : own;
}

// Return the capture that a stream takes part in, or null.
HIPPORT_RUNTIME Capture* capture_of(hipStream_t stream) {
  return stream != hipStreamLegacy ? place_of(stream).capture.get() : nullptr;
}

// Refuse an operation that is not permitted during a capture: it makes the capture invalid.
HIPPORT_RUNTIME hipError_t refuse_in_capture(hipStream_t stream) {
  Capture* capture = capture_of(stream);
  if (capture == nullptr) return hipSuccess;
  capture->is_invalid = true;
  return hipErrorStreamCaptureUnsupported;
}

// Record a node after the nodes that the stream has recorded.
HIPPORT_RUNTIME hipGraphNode* record(hipStream_t stream, hipGraphNodeType type, std::function<void()> work) {
  CapturePlace& place = place_of(stream);
  hipGraphNode* node = add_node(*place.capture->graph, type, std::move(work), std::move(place.last));
  place.last = {node};
  return node;
}

// Run the work now, or record it if the stream is being captured.
template <typename Work>
void enqueue(hipStream_t stream, Work work, hipGraphNodeType type) {
  if (capture_of(stream) != nullptr)
    record(stream, type, std::move(work));
  else
    work();
}

// A stream that waits for an event of a capture joins the capture, after the work that the event stands for.
HIPPORT_RUNTIME hipError_t join_capture(hipStream_t stream, const CapturePlace& event) {
  if (event.capture->graph == nullptr) return hipSuccess;  // the capture is over
  if (!can_be_captured(stream)) return hipErrorStreamCaptureImplicit;
  CapturePlace& place = place_of(stream);
  if (place.capture != nullptr && place.capture != event.capture) return hipErrorStreamCaptureMerge;
  if (place.capture == nullptr) event.capture->streams.push_back(stream);
  place.capture = event.capture;
  for (hipGraphNode* node : event.last)
    if (std::find(place.last.begin(), place.last.end(), node) == place.last.end()) place.last.push_back(node);
  return hipSuccess;
}

HIPPORT_RUNTIME void leave_capture(hipStream_t stream) {
  if (Capture* capture = capture_of(stream)) {
    auto& streams = capture->streams;
    streams.erase(std::remove(streams.begin(), streams.end(), stream), streams.end());
  }
  stream->place = {};
}

}  // namespace hipport::cpu

HIPPORT_RUNTIME hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags, int priority) {
  if (stream == nullptr || flags > hipStreamNonBlocking) return hipport::cpu::status(hipErrorInvalidValue);
  *stream = new ihipStream_t;
  (*stream)->flags = flags;
  (*stream)->priority = std::clamp(priority, -1, 1);  // as the range of hipDeviceGetStreamPriorityRange
  hipport::cpu::checks::stream_created(*stream, flags == hipStreamDefault);
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
  return hipStreamCreateWithPriority(stream, flags, 0);
}
HIPPORT_RUNTIME hipError_t hipStreamCreate(hipStream_t* stream) { return hipStreamCreateWithPriority(stream, 0, 0); }
HIPPORT_RUNTIME hipError_t hipStreamDestroy(hipStream_t stream) {
  HIPPORT_NEEDS(stream);
  if (!hipport::cpu::is_handle(stream)) return hipport::cpu::status(hipErrorInvalidHandle);
  hipport::cpu::leave_capture(stream);
  delete stream;
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipStreamSynchronize(hipStream_t stream) {
  HIPPORT_NEEDS(stream);
  hipport::cpu::checks::stream_done(stream);
  return hipport::cpu::status(hipport::cpu::refuse_in_capture(stream));
}
HIPPORT_RUNTIME hipError_t hipStreamQuery(hipStream_t stream) { return hipStreamSynchronize(stream); }
HIPPORT_RUNTIME hipError_t hipStreamGetFlags(hipStream_t stream, unsigned* flags) {
  HIPPORT_NEEDS(stream, flags);
  *flags = hipport::cpu::is_handle(stream) ? stream->flags : 0;
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipStreamGetPriority(hipStream_t stream, int* priority) {
  HIPPORT_NEEDS(stream, priority);
  *priority = hipport::cpu::is_handle(stream) ? stream->priority : 0;
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipStreamGetId(hipStream_t stream, unsigned long long* id) {
  HIPPORT_NEEDS(stream, id);
  *id = reinterpret_cast<unsigned long long>(stream);
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = 1;
  if (greatest != nullptr) *greatest = -1;
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void* data,
                                                unsigned flags) {
  HIPPORT_NEEDS(stream, callback);
  if (flags != 0) return hipport::cpu::status(hipErrorInvalidValue);
  hipport::cpu::enqueue(stream, [=] { callback(stream, hipSuccess, data); }, hipGraphNodeTypeHost);
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void* data) {
  HIPPORT_NEEDS(stream, function);
  hipport::cpu::enqueue(stream, [=] { function(data); }, hipGraphNodeTypeHost);
  return hipSuccess;
}

namespace hipport::cpu {
inline void mark(ihipEvent_t& event) {
  event.time = std::chrono::steady_clock::now();
  event.recorded = true;
}
}  // namespace hipport::cpu

HIPPORT_RUNTIME hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
  if (event == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  *event = new ihipEvent_t;
  (*event)->flags = flags;
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipEventCreate(hipEvent_t* event) { return hipEventCreateWithFlags(event, 0); }
HIPPORT_RUNTIME hipError_t hipEventDestroy(hipEvent_t event) {
  HIPPORT_NEEDS(event);
  delete event;
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream = nullptr) {
  HIPPORT_NEEDS(event, stream);
  event->place = stream != hipStreamLegacy ? hipport::cpu::place_of(stream) : hipport::cpu::CapturePlace{};
  hipport::cpu::checks::event_recorded(event, stream);
  if (event->place.capture == nullptr) hipport::cpu::mark(*event);
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream = nullptr, unsigned flags = 0) {
  HIPPORT_NEEDS(event, stream);
  if (flags != hipEventRecordExternal || hipport::cpu::capture_of(stream) == nullptr || event == nullptr)
    return hipEventRecord(event, stream);
  hipport::cpu::record(stream, hipGraphNodeTypeEventRecord, [event] { hipport::cpu::mark(*event); });
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipEventSynchronize(hipEvent_t event) {
  HIPPORT_NEEDS(event);
  hipport::cpu::checks::event_done(event);
  return hipport::cpu::status(event->place.capture != nullptr ? hipErrorCapturedEvent : hipSuccess);
}
HIPPORT_RUNTIME hipError_t hipEventQuery(hipEvent_t event) { return hipEventSynchronize(event); }
// Return the time between two events in milliseconds.
HIPPORT_RUNTIME hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t stop) {
  HIPPORT_NEEDS(start, stop);
  if (milliseconds == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  if (start == nullptr || stop == nullptr || !start->recorded || !stop->recorded ||
      ((start->flags | stop->flags) & hipEventDisableTiming) != 0)
    return hipport::cpu::status(hipErrorInvalidHandle);
  *milliseconds = std::chrono::duration<float, std::milli>(stop->time - start->time).count();
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned = 0) {
  HIPPORT_NEEDS(stream, event);
  hipport::cpu::checks::stream_waits(stream, event);
  if (event->place.capture == nullptr) return hipSuccess;
  return hipport::cpu::status(hipport::cpu::join_capture(stream, event->place));
}
