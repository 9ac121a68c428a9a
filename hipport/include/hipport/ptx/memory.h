// PTX loads, stores and copies: vectors, 32-bit shared addresses, cache operators, memory orders.
#ifndef HIPPORT_PTX_MEMORY_H
#define HIPPORT_PTX_MEMORY_H

#include "vec.h"

namespace hipport {
namespace ptx {

#if defined(__HIPPORT_CPU__) || !(defined(__CUDACC__) || defined(__HIPCC__) || defined(__HIP__))

// On the CPU, shared memory can be anywhere in 64 bits. A 32-bit address is the lower half of a pointer; the upper half
// is taken from the nearest place at which the thread took a shared address before.
struct SharedPlaces {
  static const int count = 16;
  uint64_t at[count];
  int next;
};
inline SharedPlaces& shared_places() {
  static thread_local SharedPlaces places = {};
  return places;
}
inline uint32_t shared_address(const void* pointer) {
  const uint64_t address = uint64_t(pointer);
  SharedPlaces& places = shared_places();
  for (uint64_t place : places.at)
    if (place >> 20 == address >> 20) return uint32_t(address);
  places.at[places.next++ % SharedPlaces::count] = address;
  return uint32_t(address);
}
template <typename T>
T* shared_pointer(uint64_t address) {
  uint64_t best = 0;
  uint32_t nearest = 0xffffffffu;
  for (uint64_t place : shared_places().at) {
    const int32_t distance = int32_t(uint32_t(address) - uint32_t(place));
    const uint32_t size = distance < 0 ? 0u - uint32_t(distance) : uint32_t(distance);
    if (place == 0 || size >= nearest) continue;
    nearest = size;
    best = place + uint64_t(int64_t(distance));
  }
  return reinterpret_cast<T*>(best);
}
inline bool is_shared(const void* pointer) {
#if defined(__HIPPORT_CPU__)
  // The heap holds both shared and global memory, possibly side by side.
  char* base;
  cpu::Allocation global;
  if (cpu::Allocations::instance().find(pointer, &base, &global)) return false;
#endif
  for (uint64_t place : shared_places().at)
    if (place != 0 && place >> 20 == uint64_t(pointer) >> 20) return true;
  return false;
}

#elif defined(__CUDACC__)

__device__ inline uint32_t shared_address(const void* pointer) { return uint32_t(__cvta_generic_to_shared(pointer)); }
template <typename T>
__device__ T* shared_pointer(uint64_t address) {
  return static_cast<T*>(__cvta_shared_to_generic(address));
}
__device__ inline bool is_shared(const void* pointer) { return __isShared(pointer); }

#else

// Shared memory is LDS. Its 32-bit addresses are the lower halves of generic pointers into it.
__device__ inline uint32_t shared_address(const void* pointer) { return uint32_t(uintptr_t(pointer)); }
template <typename T>
__device__ T* shared_pointer(uint64_t address) {
#if defined(__HIP_DEVICE_COMPILE__)
  return (T*)(__attribute__((address_space(3))) T*)uint32_t(address);
#else
  (void)address;
  return nullptr;
#endif
}
__device__ inline bool is_shared(const void* pointer) {
#if defined(__HIP_DEVICE_COMPILE__)
  return __builtin_amdgcn_is_shared((const __attribute__((address_space(0))) void*)pointer);
#else
  return pointer == nullptr;
#endif
}

#endif

// Volatile: every access is performed, in program order.
template <typename T, int Count>
HIPPORT_PTX_DEVICE Vec<T, Count> load_volatile(const Vec<T, Count>* from) {
  Vec<T, Count> value;
  for (int i = 0; i < Count; ++i) value.at[i] = ((const volatile T*)from)[i];
  return value;
}
template <typename T, int Count>
HIPPORT_PTX_DEVICE void store_volatile(Vec<T, Count>* to, Vec<T, Count> value) {
  for (int i = 0; i < Count; ++i) ((volatile T*)to)[i] = value.at[i];
}

// Data that is not needed again soon.
template <typename T>
HIPPORT_PTX_DEVICE T load_streaming(const T* from) {
#if defined(__clang__) && !defined(__CUDACC__)
  return __builtin_nontemporal_load(from);
#else
  return *from;
#endif
}
template <typename T, int Count>
HIPPORT_PTX_DEVICE Vec<T, Count> load_streaming(const Vec<T, Count>* from) {
  Vec<T, Count> value;
  for (int i = 0; i < Count; ++i) value.at[i] = load_streaming((const T*)from + i);
  return value;
}
template <typename T, typename Value>
HIPPORT_PTX_DEVICE void store_streaming(T* to, Value value) {
#if defined(__clang__) && !defined(__CUDACC__)
  __builtin_nontemporal_store(static_cast<T>(value), to);
#else
  *to = static_cast<T>(value);
#endif
}
template <typename T, int Count>
HIPPORT_PTX_DEVICE void store_streaming(Vec<T, Count>* to, Vec<T, Count> value) {
  for (int i = 0; i < Count; ++i) store_streaming((T*)to + i, value.at[i]);
}

// Memory orders, and scopes: block, GPU, system.
enum Order { relaxed, acquire, release };
enum Scope { cta, gpu, sys };

#if defined(__clang__) && defined(__HIP_MEMORY_SCOPE_AGENT)
#define HIPPORT_PTX_SCOPED(function, ...)                                          \
  (S == cta   ? __hip_atomic_##function(__VA_ARGS__, __HIP_MEMORY_SCOPE_WORKGROUP) \
   : S == gpu ? __hip_atomic_##function(__VA_ARGS__, __HIP_MEMORY_SCOPE_AGENT)     \
              : __hip_atomic_##function(__VA_ARGS__, __HIP_MEMORY_SCOPE_SYSTEM))
#endif

#if defined(__CUDACC__) && !defined(HIPPORT_PTX_SCOPED)
template <int S>
HIPPORT_PTX_DEVICE void fence() {
  if (S == cta)
    __threadfence_block();
  else if (S == gpu)
    __threadfence();
  else
    __threadfence_system();
}
#endif

template <int O, int S, typename T>
HIPPORT_PTX_DEVICE T load(const T* from) {
#if defined(HIPPORT_PTX_SCOPED)
  return HIPPORT_PTX_SCOPED(load, (T*)from, O == acquire ? __ATOMIC_ACQUIRE : __ATOMIC_RELAXED);
#elif defined(__CUDACC__)
  const T value = *(const volatile T*)from;
  if (O == acquire) fence<S>();
  return value;
#else
  T value;
  __atomic_load(const_cast<T*>(from), &value, O == acquire ? __ATOMIC_ACQUIRE : __ATOMIC_RELAXED);
  return value;
#endif
}
template <int O, int S, typename T, typename V>
HIPPORT_PTX_DEVICE void store(T* to, V value) {
#if defined(HIPPORT_PTX_SCOPED)
  HIPPORT_PTX_SCOPED(store, to, T(value), O == release ? __ATOMIC_RELEASE : __ATOMIC_RELAXED);
#elif defined(__CUDACC__)
  if (O == release) fence<S>();
  *(volatile T*)to = T(value);
#else
  T stored = T(value);
  __atomic_store(to, &stored, O == release ? __ATOMIC_RELEASE : __ATOMIC_RELAXED);
#endif
}

// A vector is not accessed as a whole: each element is a separate ordered access.
template <int O, int S, typename T, int Count>
HIPPORT_PTX_DEVICE Vec<T, Count> load(const Vec<T, Count>* from) {
  Vec<T, Count> value;
  for (int i = 0; i < Count; ++i) value.at[i] = load<O, S, T>((const T*)from + i);
  return value;
}
template <int O, int S, typename T, int Count>
HIPPORT_PTX_DEVICE void store(Vec<T, Count>* to, Vec<T, Count> value) {
  for (int i = 0; i < Count; ++i) store<O, S, T, T>((T*)to + i, value.at[i]);
}

// cp.async: copy the first `count` of `Size` bytes (4, 8 or 16); the others become zero.
template <int Size>
HIPPORT_PTX_DEVICE void cp_async(void* to, const void* from) {
  *(Vec<uint32_t, Size / 4>*)to = *(const Vec<uint32_t, Size / 4>*)from;
}
template <int Size>
HIPPORT_PTX_DEVICE void cp_async(void* to, const void* from, uint32_t count) {
  if (count >= uint32_t(Size)) return cp_async<Size>(to, from);
  for (uint32_t i = 0; i < uint32_t(Size); ++i) {
    ((unsigned char*)to)[i] = i < count ? ((const unsigned char*)from)[i] : (unsigned char)0;
  }
}

}  // namespace ptx
}  // namespace hipport

#endif
