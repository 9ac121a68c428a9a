// SPDX-License-Identifier: MIT
// Streams and events.
//
// Work on a stream runs at once, before the call returns. HIP allows this order, as long as the work does not wait for
// something that the host does later.
#pragma once

#include "checks/hooks.h"
#include "devices.h"
#include "graph_nodes.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>

using hipStream_t = struct ihipStream_t*;
using hipEvent_t = struct ihipEvent_t*;

enum hipStreamCaptureMode { hipStreamCaptureModeGlobal, hipStreamCaptureModeThreadLocal, hipStreamCaptureModeRelaxed };

namespace hipport::cpu {

// A graph that is being captured, and the streams involved: the one that began the capture and those that joined it.
struct Capture {
  std::unique_ptr<ihipGraph> graph = std::make_unique<ihipGraph>();
  hipStream_t origin = nullptr;
  std::vector<hipStream_t> streams;
  unsigned long long id = 0;
  bool is_given = false;                // the graph is the program's
  std::atomic<bool> is_invalid{false};  // an operation was called that is not permitted during a capture
  hipStreamCaptureMode mode = hipStreamCaptureModeGlobal;
  std::thread::id thread = std::this_thread::get_id();
  Capture() = default;
  ~Capture();
  size_t first = 0;  // nodes before this one were in the graph when the capture began
};

// Captures that go on, of all threads.
class Captures {
 public:
  static Captures& instance() {
    static Captures& all = *new Captures;  // never destroyed: static objects may hold streams
    return all;
  }
  void add(Capture& one) {
    const std::lock_guard<std::mutex> lock(mutex_);
    all_.push_back(&one);
    count_ = all_.size();
  }
  void remove(Capture& one) {
    const std::lock_guard<std::mutex> lock(mutex_);
    all_.erase(std::remove(all_.begin(), all_.end(), &one), all_.end());
    count_ = all_.size();
  }
  // Make the chosen captures invalid, and return whether there are any.
  template <typename F>
  bool invalidate(F chosen) {
    if (count_ == 0) return false;  // without the lock: every launch asks
    const std::lock_guard<std::mutex> lock(mutex_);
    bool found = false;
    for (auto* one : all_)
      if (chosen(*one)) found = one->is_invalid = true;
    return found;
  }

 private:
  std::mutex mutex_;
  std::vector<Capture*> all_;
  std::atomic<size_t> count_{0};
};

inline Capture::~Capture() {
  Captures::instance().remove(*this);
  if (is_given) graph.release();
}

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
                          hipEventInterprocess = 4, hipEventDisableSystemFence = 0x20000000,
                          hipEventReleaseToDevice = 0x40000000, hipEventReleaseToSystem = 0x80000000;
inline constexpr unsigned hipEventRecordDefault = 0, hipEventRecordExternal = 1;
inline constexpr unsigned hipEventWaitDefault = 0, hipEventWaitExternal = 1;
#define hipStreamLegacy (reinterpret_cast<hipStream_t>(1))
#define hipStreamPerThread (reinterpret_cast<hipStream_t>(2))

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

inline bool is_stream(const ihipStream_t* stream) {
  return PointerArgument<ihipStream_t>::problem(stream) == hipSuccess;
}

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

// Return the capture mode of the calling thread.
HIPPORT_RUNTIME hipStreamCaptureMode& capture_mode() {
  static thread_local hipStreamCaptureMode current = hipStreamCaptureModeGlobal;
  return current;
}

// Refuse a call that is not permitted while captures go on that are not relaxed, such as an allocation.
HIPPORT_RUNTIME hipError_t refuse_unsafe_call() {
  const hipStreamCaptureMode mode = capture_mode();
  if (mode == hipStreamCaptureModeRelaxed) return hipSuccess;
  const bool found = Captures::instance().invalidate([&](const auto& one) {
    const bool is_own = one.thread == std::this_thread::get_id() && one.mode != hipStreamCaptureModeRelaxed;
    return is_own || (mode == hipStreamCaptureModeGlobal && one.mode == hipStreamCaptureModeGlobal);
  });
  return found ? hipErrorStreamCaptureUnsupported : hipSuccess;
}

// Refuse work on the legacy stream, which streams that are captured would have to wait for.
HIPPORT_RUNTIME hipError_t refuse_implicit(hipStream_t stream) {
  if (is_handle(stream) || stream == hipStreamPerThread || capture_of(stream) != nullptr) return hipSuccess;
  const auto waits = [](hipStream_t one) { return is_handle(one) && (one->flags & hipStreamNonBlocking) == 0; };
  const bool found = Captures::instance().invalidate(
      [&](const auto& one) { return std::any_of(one.streams.begin(), one.streams.end(), waits); });
  return found ? hipErrorStreamCaptureImplicit : hipSuccess;
}

// Run the work now, or record it if the stream is being captured.
template <typename Work>
hipError_t enqueue(hipStream_t stream, Work work, hipGraphNodeType type) {
  if (const hipError_t refused = refuse_implicit(stream); refused != hipSuccess) return status(refused);
  if (capture_of(stream) != nullptr)
    record(stream, type, std::move(work));
  else
    work();
  return hipSuccess;
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

// Events of other processes are not timed, and at most one flag says how far an event releases memory.
inline bool are_event_flags(unsigned flags) {
  constexpr unsigned release = hipEventReleaseToDevice | hipEventReleaseToSystem | hipEventDisableSystemFence;
  constexpr unsigned known = hipEventBlockingSync | hipEventDisableTiming | hipEventInterprocess | release;
  const unsigned released = flags & release;
  const bool is_timed = (flags & hipEventDisableTiming) == 0;
  return (flags & ~known) == 0 && (released & (released - 1)) == 0 && !((flags & hipEventInterprocess) && is_timed);
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
  if (stream == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
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
  if (event == nullptr || !hipport::cpu::are_event_flags(flags)) return hipport::cpu::status(hipErrorInvalidValue);
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
HIPPORT_RUNTIME hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags = 0) {
  constexpr unsigned external = 1;
  if (event == nullptr || !hipport::cpu::is_stream(stream)) return hipport::cpu::status(hipErrorInvalidHandle);
  HIPPORT_NEEDS(event);
  if (flags > external) return hipport::cpu::status(hipErrorInvalidValue);
  hipport::cpu::checks::stream_waits(stream, event);
  if (event->place.capture == nullptr) return hipSuccess;
  return hipport::cpu::status(hipport::cpu::join_capture(stream, event->place));
}
