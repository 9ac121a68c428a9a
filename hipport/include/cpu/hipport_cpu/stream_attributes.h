// SPDX-License-Identifier: MIT
// Attributes of streams, streams for some of a device's compute units, and captures into a graph that exists.
#pragma once

#include "capture.h"
#include "device_queries.h"
#include "graph.h"

namespace hipport::cpu {

// Masks of compute units select none here; a stream keeps the one that it was made with, in words of 32 units.
inline std::vector<uint32_t> whole_mask() {
  const unsigned units = static_cast<unsigned>(describe_device().multiProcessorCount);
  std::vector<uint32_t> mask((units + 31) / 32, 0xffffffffu);
  if (units % 32 != 0) mask.back() = (1u << units % 32) - 1;
  return mask;
}

}  // namespace hipport::cpu

HIPPORT_RUNTIME hipError_t hipExtStreamCreateWithCUMask(hipStream_t* stream, uint32_t size, const uint32_t* mask) {
  if (stream == nullptr) return hipport::cpu::status(hipErrorInvalidHandle);
  if (size == 0 || mask == nullptr) return hipport::cpu::status(hipErrorInvalidValue);
  const hipError_t error = hipStreamCreate(stream);
  if (error == hipSuccess) (*stream)->compute_units.assign(mask, mask + size);
  return error;
}
HIPPORT_RUNTIME hipError_t hipExtStreamGetCUMask(hipStream_t stream, uint32_t size, uint32_t* mask) {
  HIPPORT_NEEDS(stream);
  HIPPORT_NEEDS(mask);
  std::vector<uint32_t> found = hipport::cpu::whole_mask();
  if (hipport::cpu::is_handle(stream) && !stream->compute_units.empty()) found = stream->compute_units;
  if (size < found.size()) return hipport::cpu::status(hipErrorInvalidValue);
  std::fill_n(mask, size, 0u);
  std::copy(found.begin(), found.end(), mask);
  return hipSuccess;
}

HIPPORT_RUNTIME hipError_t hipStreamGetAttribute(hipStream_t stream, hipLaunchAttributeID attribute,
                                                 hipLaunchAttributeValue* value) {
  HIPPORT_NEEDS(stream);
  if (value == nullptr || !hipport::cpu::is_attribute(attribute)) return hipport::cpu::status(hipErrorInvalidValue);
  *value = {};
  if (attribute == hipLaunchAttributePriority) return hipStreamGetPriority(stream, &value->priority);
  if (!hipport::cpu::is_handle(stream)) return hipSuccess;
  const auto found = stream->attributes.find(attribute);
  if (found != stream->attributes.end()) *value = found->second;
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipStreamSetAttribute(hipStream_t stream, hipLaunchAttributeID attribute,
                                                 const hipLaunchAttributeValue* value) {
  HIPPORT_NEEDS(stream);
  if (value == nullptr || !hipport::cpu::is_handle(stream) || !hipport::cpu::is_attribute(attribute))
    return hipport::cpu::status(hipErrorInvalidValue);
  if (attribute == hipLaunchAttributePriority)
    stream->priority = value->priority;
  else
    stream->attributes[attribute] = *value;
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipStreamCopyAttributes(hipStream_t to, hipStream_t from) {
  HIPPORT_NEEDS(to, from);
  if (!hipport::cpu::is_handle(to) || !hipport::cpu::is_handle(from)) return hipport::cpu::status(hipErrorInvalidValue);
  to->attributes = from->attributes;
  to->priority = from->priority;
  return hipSuccess;
}

// Devices are one processor: a step of the kind that HSA calls "xGMI".
HIPPORT_RUNTIME hipError_t hipExtGetLinkTypeAndHopCount(int first, int second, uint32_t* type, uint32_t* hops) {
  if (!hipport::cpu::is_device(first) || !hipport::cpu::is_device(second))
    return hipport::cpu::status(hipErrorInvalidDevice);
  if (type == nullptr || hops == nullptr || first == second) return hipport::cpu::status(hipErrorInvalidValue);
  constexpr uint32_t xgmi = 4;
  *type = xgmi;
  *hops = 1;
  return hipSuccess;
}

// The nodes that are captured are added to the program's graph, after the dependencies.
HIPPORT_RUNTIME hipError_t hipStreamBeginCaptureToGraph(hipStream_t stream, hipGraph_t graph,
                                                        const hipGraphNode_t* dependencies, const hipGraphEdgeData*,
                                                        size_t count, hipStreamCaptureMode mode) {
  HIPPORT_NEEDS(stream, graph);
  if ((dependencies == nullptr && count > 0)) return hipport::cpu::status(hipErrorInvalidValue);
  const hipError_t error = hipStreamBeginCapture(stream, mode);
  if (error != hipSuccess) return error;
  hipport::cpu::CapturePlace& place = hipport::cpu::place_of(stream);
  place.capture->graph.reset(graph);
  place.capture->is_given = true;
  place.capture->first = graph->nodes.size();
  place.last.assign(dependencies, dependencies + count);
  return hipSuccess;
}
