// SPDX-License-Identifier: MIT
// Streams, events and captured graphs.
//
// What is put on a stream is done at once, before the call returns. That is one of the orders that HIP allows, as long
// as what is done does not wait for something that the host does later.
#pragma once

#include "errors.h"

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

// A recorded sequence of work; running it in the order of recording keeps every dependency.
struct ihipGraph {
  std::vector<std::function<void()>> work;
};
struct hipGraphExec {
  ihipGraph graph;
};
struct ihipStream_t {
  unsigned flags = 0;
  int priority = 0;
  std::shared_ptr<ihipGraph> capture;
  bool origin = false;  // the stream on which the capture began
};
struct ihipEvent_t {
  unsigned flags = 0;
  bool recorded = false;
  std::chrono::steady_clock::time_point time;
  std::shared_ptr<ihipGraph> capture;
};

using hipStream_t = ihipStream_t*;
using hipEvent_t = ihipEvent_t*;
using hipGraph_t = ihipGraph*;
using hipGraphExec_t = hipGraphExec*;
using hipGraphNode_t = struct hipGraphNode*;

inline constexpr unsigned hipStreamDefault = 0, hipStreamNonBlocking = 1;
inline constexpr unsigned hipEventDefault = 0, hipEventBlockingSync = 1, hipEventDisableTiming = 2,
                          hipEventInterprocess = 4, hipEventReleaseToDevice = 0x40000000,
                          hipEventReleaseToSystem = 0x80000000;
#define hipStreamLegacy (reinterpret_cast<hipStream_t>(1))
#define hipStreamPerThread (reinterpret_cast<hipStream_t>(2))

enum hipStreamCaptureMode {
  hipStreamCaptureModeGlobal,
  hipStreamCaptureModeThreadLocal,
  hipStreamCaptureModeRelaxed
};
enum hipStreamCaptureStatus {
  hipStreamCaptureStatusNone,
  hipStreamCaptureStatusActive,
  hipStreamCaptureStatusInvalidated
};
using hipStreamCallback_t = void (*)(hipStream_t stream, hipError_t status, void* data);
using hipHostFn_t = void (*)(void* data);

namespace hipport::cpu {

inline bool is_handle(hipStream_t stream) { return reinterpret_cast<uintptr_t>(stream) > 2; }

// The capture that a stream takes part in, or null.
inline ihipGraph* capture_of(hipStream_t stream) { return is_handle(stream) ? stream->capture.get() : nullptr; }

// Does the work now, or records it.
template <typename Work>
void enqueue(hipStream_t stream, Work work) {
  if (ihipGraph* graph = capture_of(stream))
    graph->work.push_back(std::move(work));
  else
    work();
}

}  // namespace hipport::cpu

inline hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags, int priority) {
  if (stream == nullptr || flags > hipStreamNonBlocking) return hipport::cpu::status(hipErrorInvalidValue);
  *stream = new ihipStream_t;
  (*stream)->flags = flags;
  (*stream)->priority = priority;
  return hipSuccess;
}
inline hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
  return hipStreamCreateWithPriority(stream, flags, 0);
}
inline hipError_t hipStreamCreate(hipStream_t* stream) { return hipStreamCreateWithPriority(stream, 0, 0); }
inline hipError_t hipStreamDestroy(hipStream_t stream) {
  if (!hipport::cpu::is_handle(stream)) return hipport::cpu::status(hipErrorInvalidHandle);
  delete stream;
  return hipSuccess;
}
inline hipError_t hipStreamSynchronize(hipStream_t stream) {
  return hipport::cpu::status(hipport::cpu::capture_of(stream) ? hipErrorStreamCaptureUnsupported : hipSuccess);
}
inline hipError_t hipStreamQuery(hipStream_t stream) { return hipStreamSynchronize(stream); }
inline hipError_t hipStreamGetFlags(hipStream_t stream, unsigned* flags) {
  *flags = hipport::cpu::is_handle(stream) ? stream->flags : 0;
  return hipSuccess;
}
inline hipError_t hipStreamGetPriority(hipStream_t stream, int* priority) {
  *priority = hipport::cpu::is_handle(stream) ? stream->priority : 0;
  return hipSuccess;
}
inline hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = 1;
  if (greatest != nullptr) *greatest = -1;
  return hipSuccess;
}
inline hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void* data, unsigned) {
  hipport::cpu::enqueue(stream, [=] { callback(stream, hipSuccess, data); });
  return hipSuccess;
}
inline hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void* data) {
  hipport::cpu::enqueue(stream, [=] { function(data); });
  return hipSuccess;
}

inline hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
  if (event == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  *event = new ihipEvent_t;
  (*event)->flags = flags;
  return hipSuccess;
}
inline hipError_t hipEventCreate(hipEvent_t* event) { return hipEventCreateWithFlags(event, 0); }
inline hipError_t hipEventDestroy(hipEvent_t event) {
  if (event == nullptr) return hipport::cpu::status(hipErrorInvalidHandle);
  delete event;
  return hipSuccess;
}
inline hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream = nullptr) {
  if (event == nullptr) return hipport::cpu::status(hipErrorInvalidHandle);
  event->capture = hipport::cpu::is_handle(stream) ? stream->capture : nullptr;
  if (event->capture != nullptr) return hipSuccess;
  event->time = std::chrono::steady_clock::now();
  event->recorded = true;
  return hipSuccess;
}
inline hipError_t hipEventSynchronize(hipEvent_t event) {
  return hipport::cpu::status(event == nullptr ? hipErrorInvalidHandle : hipSuccess);
}
inline hipError_t hipEventQuery(hipEvent_t event) { return hipEventSynchronize(event); }
// Milliseconds between the two moments.
inline hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t stop) {
  if (milliseconds == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  if (start == nullptr || stop == nullptr || !start->recorded || !stop->recorded ||
      ((start->flags | stop->flags) & hipEventDisableTiming) != 0)
    return hipport::cpu::status(hipErrorInvalidHandle);
  *milliseconds = std::chrono::duration<float, std::milli>(stop->time - start->time).count();
  return hipSuccess;
}
// A stream that waits for an event of a capture takes part in the capture.
inline hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned = 0) {
  if (event == nullptr) return hipport::cpu::status(hipErrorInvalidHandle);
  if (event->capture != nullptr && hipport::cpu::is_handle(stream)) stream->capture = event->capture;
  return hipSuccess;
}
