// SPDX-License-Identifier: MIT
// Copies and fills.
#pragma once

#include "memory.h"

enum hipMemcpyKind {
  hipMemcpyHostToHost,
  hipMemcpyHostToDevice,
  hipMemcpyDeviceToHost,
  hipMemcpyDeviceToDevice,
  hipMemcpyDefault,
  hipMemcpyDeviceToDeviceNoCU = 1024
};

namespace hipport::cpu {

inline bool is_direction(hipMemcpyKind kind) {
  const auto number = static_cast<unsigned>(kind);
  return number <= hipMemcpyDefault || number == hipMemcpyDeviceToDeviceNoCU;
}

HIPPORT_RUNTIME hipError_t copy(hipStream_t stream, void* to, const void* from, size_t size) {
  HIPPORT_NEEDS(stream);
  if (size == 0) return hipSuccess;
  HIPPORT_NEEDS(to, from);
  if (overruns(to, size) || overruns(from, size)) return status(hipErrorInvalidValue);
  return enqueue(
      stream,
      [=] {
        checks::copying(to, from, size, stream);
        std::memmove(to, from, size);
      },
      hipGraphNodeTypeMemcpy);
}

// Copy rows of `width` bytes; `to_pitch` and `from_pitch` are the distances between rows in bytes.
HIPPORT_RUNTIME hipError_t copy_rows(hipStream_t stream, void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                     size_t width, size_t rows) {
  HIPPORT_NEEDS(stream);
  if (width == 0 || rows == 0) return hipSuccess;
  HIPPORT_NEEDS(to, from);
  if (width > to_pitch || width > from_pitch) return status(hipErrorInvalidPitchValue);
  if (rows_overrun(to, to_pitch, width, rows) || rows_overrun(from, from_pitch, width, rows))
    return status(hipErrorInvalidValue);
  return enqueue(
      stream,
      [=] {
        for (size_t row = 0; row < rows; ++row) {
          char* const target = static_cast<char*>(to) + row * to_pitch;
          const char* const source = static_cast<const char*>(from) + row * from_pitch;
          checks::copying(target, source, width, stream);
          std::memmove(target, source, width);
        }
      },
      hipGraphNodeTypeMemcpy);
}

HIPPORT_RUNTIME hipError_t fill_rows(hipStream_t stream, void* to, size_t pitch, int value, size_t width, size_t rows) {
  HIPPORT_NEEDS(stream);
  if (width == 0 || rows == 0) return hipSuccess;
  HIPPORT_NEEDS(to);
  if (width > pitch || rows_overrun(to, pitch, width, rows)) return status(hipErrorInvalidValue);
  return enqueue(
      stream,
      [=] {
        for (size_t row = 0; row < rows; ++row) {
          char* const target = static_cast<char*>(to) + row * pitch;
          checks::filling(target, width, stream);
          std::memset(target, value, width);
        }
      },
      hipGraphNodeTypeMemset);
}

template <typename T>
hipError_t fill(hipStream_t stream, void* to, T value, size_t count) {
  HIPPORT_NEEDS(stream);
  if (count == 0) return hipSuccess;
  if (to == nullptr || rows_overrun(to, sizeof(T), sizeof(T), count)) return status(hipErrorInvalidValue);
  return enqueue(
      stream,
      [=] {
        checks::filling(to, count * sizeof(T), stream);
        for (size_t i = 0; i < count; ++i) std::memcpy(static_cast<char*>(to) + i * sizeof(T), &value, sizeof(T));
      },
      hipGraphNodeTypeMemset);
}

// A copy that the host waits for.
HIPPORT_RUNTIME hipError_t finished(hipError_t result, hipStream_t stream = nullptr) {
  checks::stream_done(stream);
  return result;
}

// A device variable.
struct Symbol {
  void* address;
  size_t size;
};
template <typename T>
Symbol symbol(T& variable) {
  return {const_cast<void*>(static_cast<const volatile void*>(&variable)), sizeof(T)};
}
// `HIP_SYMBOL((const void*)&variable)`: the address itself, of an unknown size.
template <typename T>
Symbol symbol(T* const&& address) {
  return {const_cast<void*>(static_cast<const volatile void*>(address)), 0};
}

}  // namespace hipport::cpu

HIPPORT_RUNTIME hipError_t hipMemcpy(void* to, const void* from, size_t size, hipMemcpyKind kind) {
  if (!hipport::cpu::is_direction(kind)) return hipport::cpu::status(hipErrorInvalidMemcpyDirection);
  return hipport::cpu::finished(hipport::cpu::copy(nullptr, to, from, size));
}
HIPPORT_RUNTIME hipError_t hipMemcpyAsync(void* to, const void* from, size_t size, hipMemcpyKind kind,
                                          hipStream_t stream = nullptr) {
  if (!hipport::cpu::is_direction(kind)) return hipport::cpu::status(hipErrorInvalidMemcpyDirection);
  return hipport::cpu::copy(stream, to, from, size);
}
HIPPORT_RUNTIME hipError_t hipMemcpyWithStream(void* to, const void* from, size_t size, hipMemcpyKind kind,
                                               hipStream_t stream) {
  if (!hipport::cpu::is_direction(kind)) return hipport::cpu::status(hipErrorInvalidMemcpyDirection);
  return hipport::cpu::finished(hipport::cpu::copy(stream, to, from, size), stream);
}
HIPPORT_RUNTIME hipError_t hipMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t size,
                                              hipStream_t stream = nullptr) {
  using hipport::cpu::is_device;
  if (!is_device(to_device) || !is_device(from_device)) return hipport::cpu::status(hipErrorInvalidDevice);
  return hipport::cpu::copy(stream, to, from, size);
}
HIPPORT_RUNTIME hipError_t hipMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t size) {
  return hipport::cpu::finished(hipMemcpyPeerAsync(to, to_device, from, from_device, size));
}
HIPPORT_RUNTIME hipError_t hipMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                       size_t height, hipMemcpyKind kind) {
  if (!hipport::cpu::is_direction(kind)) return hipport::cpu::status(hipErrorInvalidMemcpyDirection);
  return hipport::cpu::finished(hipport::cpu::copy_rows(nullptr, to, to_pitch, from, from_pitch, width, height));
}
HIPPORT_RUNTIME hipError_t hipMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                            size_t width, size_t height, hipMemcpyKind kind,
                                            hipStream_t stream = nullptr) {
  if (!hipport::cpu::is_direction(kind)) return hipport::cpu::status(hipErrorInvalidMemcpyDirection);
  return hipport::cpu::copy_rows(stream, to, to_pitch, from, from_pitch, width, height);
}

// The driver API's names.
#define HIPPORT_DIRECTED_COPY(direction, To, From)                                                   \
  inline hipError_t hipMemcpy##direction(To to, From from, size_t size) {                            \
    return hipport::cpu::finished(hipport::cpu::copy(nullptr, to, from, size));                      \
  }                                                                                                  \
  inline hipError_t hipMemcpy##direction##Async(To to, From from, size_t size, hipStream_t stream) { \
    return hipport::cpu::copy(stream, to, from, size);                                               \
  }
HIPPORT_DIRECTED_COPY(HtoD, hipDeviceptr_t, const void*)
HIPPORT_DIRECTED_COPY(DtoH, void*, hipDeviceptr_t)
HIPPORT_DIRECTED_COPY(DtoD, hipDeviceptr_t, hipDeviceptr_t)
#undef HIPPORT_DIRECTED_COPY

#define HIPPORT_FILL(name, Parameter, T)                                                                          \
  inline hipError_t name(hipDeviceptr_t to, Parameter value, size_t count) {                                      \
    return hipport::cpu::fill(nullptr, to, static_cast<T>(value), count);                                         \
  }                                                                                                               \
  inline hipError_t name##Async(hipDeviceptr_t to, Parameter value, size_t count, hipStream_t stream = nullptr) { \
    return hipport::cpu::fill(stream, to, static_cast<T>(value), count);                                          \
  }
HIPPORT_FILL(hipMemsetD8, unsigned char, unsigned char)
HIPPORT_FILL(hipMemsetD16, unsigned short, unsigned short)
HIPPORT_FILL(hipMemsetD32, int, int)
#undef HIPPORT_FILL

HIPPORT_RUNTIME hipError_t hipMemset(void* to, int value, size_t size) {
  return hipport::cpu::fill_rows(nullptr, to, size, value, size, 1);
}
HIPPORT_RUNTIME hipError_t hipMemsetAsync(void* to, int value, size_t size, hipStream_t stream = nullptr) {
  return hipport::cpu::fill_rows(stream, to, size, value, size, 1);
}
HIPPORT_RUNTIME hipError_t hipMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  return hipport::cpu::fill_rows(nullptr, to, pitch, value, width, height);
}
HIPPORT_RUNTIME hipError_t hipMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                                            hipStream_t stream = nullptr) {
  return hipport::cpu::fill_rows(stream, to, pitch, value, width, height);
}

// A symbol is passed as HIP_SYMBOL(x), as the variable itself, or as its address (`const void*`, of unknown size).
namespace hipport::cpu {
inline Symbol as_symbol(Symbol named) { return named; }
inline Symbol as_symbol(const void* address) { return {const_cast<void*>(address), 0}; }
template <typename T, typename = std::enable_if_t<!std::is_same_v<T, Symbol> && !std::is_same_v<T, const void*> &&
                                                  !std::is_same_v<T, void*>>>
Symbol as_symbol(const T& variable) {
  return symbol(variable);
}
template <typename S>
char* symbol_address(const S& symbol) {
  return static_cast<char*>(as_symbol(symbol).address);
}

// Whether HIP copies to symbols (`hipMemcpyHostToDevice`) or from them (`hipMemcpyDeviceToHost`) with this kind: it
// takes no `hipMemcpyDefault` there.
inline bool is_symbol_direction(hipMemcpyKind kind, hipMemcpyKind host) {
  return kind == host || kind == hipMemcpyDeviceToDevice || static_cast<int>(kind) == 1024;  // ...DeviceToDeviceNoCU
}

// Call `copy` with the address of bytes of a symbol, unless they are beyond its end or `kind` is no direction for them.
template <typename S, typename F>
hipError_t with_symbol(const S& symbol, size_t size, size_t offset, hipMemcpyKind kind, hipMemcpyKind host, F copy) {
  if (!is_symbol_direction(kind, host)) return status(hipErrorInvalidMemcpyDirection);
  const Symbol named = as_symbol(symbol);
  if (named.address == nullptr) return status(hipErrorInvalidSymbol);
  if (named.size != 0 && (offset > named.size || size > named.size - offset)) return status(hipErrorInvalidValue);
  return copy(static_cast<char*>(named.address) + offset);
}
}  // namespace hipport::cpu

template <typename S>
hipError_t hipMemcpyToSymbolAsync(const S& symbol, const void* from, size_t size, size_t offset = 0,
                                  hipMemcpyKind kind = hipMemcpyHostToDevice, hipStream_t stream = nullptr) {
  return hipport::cpu::with_symbol(symbol, size, offset, kind, hipMemcpyHostToDevice,
                                   [=](char* to) { return hipport::cpu::copy(stream, to, from, size); });
}
template <typename S>
hipError_t hipMemcpyToSymbol(const S& symbol, const void* from, size_t size, size_t offset = 0,
                             hipMemcpyKind kind = hipMemcpyHostToDevice) {
  return hipport::cpu::finished(hipMemcpyToSymbolAsync(symbol, from, size, offset, kind));
}
template <typename S>
hipError_t hipMemcpyFromSymbolAsync(void* to, const S& symbol, size_t size, size_t offset = 0,
                                    hipMemcpyKind kind = hipMemcpyDeviceToHost, hipStream_t stream = nullptr) {
  return hipport::cpu::with_symbol(symbol, size, offset, kind, hipMemcpyDeviceToHost,
                                   [=](char* from) { return hipport::cpu::copy(stream, to, from, size); });
}
template <typename S>
hipError_t hipMemcpyFromSymbol(void* to, const S& symbol, size_t size, size_t offset = 0,
                               hipMemcpyKind kind = hipMemcpyDeviceToHost) {
  return hipport::cpu::finished(hipMemcpyFromSymbolAsync(to, symbol, size, offset, kind));
}
template <typename T, typename S>
hipError_t hipGetSymbolAddress(T** address, const S& symbol) {
  const hipport::cpu::Symbol named = hipport::cpu::as_symbol(symbol);
  hipport::cpu::know_variable(named.address, named.size);
  *address = static_cast<T*>(named.address);
  return hipSuccess;
}
