// SPDX-License-Identifier: MIT
// Surface objects: arrays that kernels read and write. The x coordinate is in bytes.
#pragma once

#include "arrays.h"
#include "sync.h"
#include "textures.h"

enum hipSurfaceBoundaryMode { hipBoundaryModeZero = 0, hipBoundaryModeTrap = 1, hipBoundaryModeClamp = 2 };

struct __hip_surface : hipport::cpu::Handled<__hip_surface> {
  hipArray_t array;
};
template <>
struct hipport::cpu::PointerArgument<__hip_surface>
    : hipport::cpu::HandleArgument<__hip_surface, hipErrorInvalidValue, hipErrorInvalidValue> {};
using hipSurfaceObject_t = __hip_surface*;

HIPPORT_RUNTIME hipError_t hipCreateSurfaceObject(hipSurfaceObject_t* surface, const hipResourceDesc* resource) {
  if (surface == nullptr || resource == nullptr || resource->resType != hipResourceTypeArray ||
      !hipport::cpu::exists(resource->res.array.array))
    return hipport::cpu::status(hipErrorInvalidValue);
  *surface = new __hip_surface{{}, resource->res.array.array};
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipDestroySurfaceObject(hipSurfaceObject_t surface) {
  if (surface == nullptr) return hipSuccess;
  HIPPORT_NEEDS(surface);
  delete surface;
  return hipSuccess;
}

namespace hipport::cpu {

// Return the address of an access; null if it reads 0 and writes nothing.
inline char* surface_address(hipSurfaceObject_t surface, long x, long y, long z, size_t size, int mode) {
  const hipArray& array = *surface->array;
  const long bytes = static_cast<long>(element_bytes(array.desc)), width = static_cast<long>(array.width) * bytes;
  const long height = static_cast<long>(or_one(array.height)), depth = static_cast<long>(or_one(array.depth));
  const auto inside = [](long at, long end) { return at >= 0 && at < end; };
  if (!inside(x, width - static_cast<long>(size) + 1) || !inside(y, height) || !inside(z, depth)) {
    if (mode == hipBoundaryModeZero) return nullptr;
    if (mode == hipBoundaryModeTrap)
      stop("a surface of %ld bytes x %ld x %ld is accessed at (%ld, %ld, %ld)", width, height, depth, x, y, z);
    x = std::clamp<long>(x, 0, width - static_cast<long>(size));
    y = std::clamp<long>(y, 0, height - 1);
    z = std::clamp<long>(z, 0, depth - 1);
  }
  return static_cast<char*>(array.data) + x + width * (y + height * z);
}

template <typename T>
void read_surface(T* value, hipSurfaceObject_t surface, int x, int y, int z, int mode) {
  const char* from = surface_address(surface, x, y, z, sizeof(T), mode);
  if (from == nullptr)
    *value = T{};
  else
    std::memcpy(static_cast<void*>(value), from, sizeof(T));
}
template <typename T>
void write_surface(const T& value, hipSurfaceObject_t surface, int x, int y, int z, int mode) {
  char* to = surface_address(surface, x, y, z, sizeof(T), mode);
  if (to != nullptr) std::memcpy(to, static_cast<const void*>(&value), sizeof(T));
}

}  // namespace hipport::cpu

#define HIPPORT_UNPACK(...) __VA_ARGS__
#define HIPPORT_SURFACE(name, parameters, y, z)                                                                      \
  template <typename T>                                                                                              \
  void name##read(T* value, hipSurfaceObject_t surface, HIPPORT_UNPACK parameters, int mode = hipBoundaryModeZero) { \
    hipport::cpu::read_surface(value, surface, x, y, z, mode);                                                       \
  }                                                                                                                  \
  template <typename T>                                                                                              \
  void name##write(T value, hipSurfaceObject_t surface, HIPPORT_UNPACK parameters, int mode = hipBoundaryModeZero) { \
    hipport::cpu::write_surface(value, surface, x, y, z, mode);                                                      \
  }
HIPPORT_SURFACE(surf1D, (int x), 0, 0)
HIPPORT_SURFACE(surf2D, (int x, int y), y, 0)
HIPPORT_SURFACE(surf3D, (int x, int y, int z), y, z)
HIPPORT_SURFACE(surf1DLayered, (int x, int layer), 0, layer)
HIPPORT_SURFACE(surf2DLayered, (int x, int y, int layer), y, layer)
HIPPORT_SURFACE(surfCubemap, (int x, int y, int face), y, face)
HIPPORT_SURFACE(surfCubemapLayered, (int x, int y, int face, int layer), y, 6 * layer + face)
#undef HIPPORT_SURFACE
#undef HIPPORT_UNPACK
