// SPDX-License-Identifier: MIT
// Objects of the program that graphs keep alive, with a function that destroys them.
#pragma once

#include "graph.h"

#include <atomic>
#include <memory>

enum hipUserObjectFlags { hipUserObjectNoDestructorSync = 1 };
enum hipUserObjectRetainFlags { hipGraphUserObjectMove = 1 };

// Counts references, and destroys the object after the last one.
struct hipUserObject : hipport::cpu::Handled<hipUserObject> {
  void* object;
  hipHostFn_t destroy;
  std::atomic<unsigned> references;

  void release(unsigned count) {
    if (references.fetch_sub(count) != count) return;
    destroy(object);
    delete this;
  }
};
using hipUserObject_t = hipUserObject*;
template <>
struct hipport::cpu::PointerArgument<hipUserObject>
    : hipport::cpu::HandleArgument<hipUserObject, hipErrorInvalidValue, hipErrorInvalidValue> {};

namespace hipport::cpu {

// References that a graph has. Its copies share them, as they share all that it keeps.
struct GraphReferences {
  hipUserObject_t object;
  unsigned count;

  GraphReferences(hipUserObject_t referred, unsigned references) : object(referred), count(references) {}
  ~GraphReferences() {
    if (count != 0) object->release(count);
  }
  GraphReferences(const GraphReferences&) = delete;
  GraphReferences& operator=(const GraphReferences&) = delete;
};

}  // namespace hipport::cpu

HIPPORT_RUNTIME hipError_t hipUserObjectCreate(hipUserObject_t* created, void* object, hipHostFn_t destroy,
                                               unsigned references, unsigned flags) {
  if (created == nullptr || destroy == nullptr || references == 0 || references > 0x7fffffff ||
      flags != hipUserObjectNoDestructorSync)
    return hipport::cpu::status(hipErrorInvalidValue);
  *created = new hipUserObject{{}, object, destroy, {references}};
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipUserObjectRetain(hipUserObject_t object, unsigned count = 1) {
  HIPPORT_NEEDS(object);
  if (count == 0) return hipport::cpu::status(hipErrorInvalidValue);
  object->references += count;
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipUserObjectRelease(hipUserObject_t object, unsigned count = 1) {
  HIPPORT_NEEDS(object);
  if (count == 0 || count > object->references) return hipport::cpu::status(hipErrorInvalidValue);
  object->release(count);
  return hipSuccess;
}
// With hipGraphUserObjectMove, the graph takes references that the caller has.
HIPPORT_RUNTIME hipError_t hipGraphRetainUserObject(hipGraph_t graph, hipUserObject_t object, unsigned count = 1,
                                                    unsigned flags = 0) {
  HIPPORT_NEEDS(graph, object);
  if (count == 0 || flags > hipGraphUserObjectMove) return hipport::cpu::status(hipErrorInvalidValue);
  if (flags != hipGraphUserObjectMove) object->references += count;
  graph->user_objects.push_back(std::make_shared<hipport::cpu::GraphReferences>(object, count));
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipGraphReleaseUserObject(hipGraph_t graph, hipUserObject_t object, unsigned count = 1) {
  HIPPORT_NEEDS(graph, object);
  if (count == 0) return hipport::cpu::status(hipErrorInvalidValue);
  unsigned held = 0;
  for (const auto& one : graph->user_objects) held += one->object == object ? one->count : 0;
  if (held < count) return hipport::cpu::status(hipErrorInvalidValue);
  object->references += held - count;  // those that stay
  auto& all = graph->user_objects;
  all.erase(std::remove_if(all.begin(), all.end(), [&](const auto& one) { return one->object == object; }), all.end());
  if (held > count) all.push_back(std::make_shared<hipport::cpu::GraphReferences>(object, held - count));
  return hipSuccess;
}
