// SPDX-License-Identifier: MIT
// `cudaCreateChannelDesc`: HIP 5.2's takes `uchar1` to `uchar4` for signed and `signed char` for unsigned numbers, so that
// textures that read normalized numbers give others.
#ifndef HIPPORT_COMPAT_CHANNEL_DESCRIPTORS_H
#define HIPPORT_COMPAT_CHANNEL_DESCRIPTORS_H

#include <hip/hip_runtime_api.h>

#if defined(__cplusplus)

#include <hip/channel_descriptor.h>

namespace hipport {
namespace compat {

namespace channels {

template <typename T>
struct IsByte {
  static constexpr bool value = false;
};
template <>
struct IsByte<signed char> {
  static constexpr bool value = true;
  static constexpr hipChannelFormatKind kind = hipChannelFormatKindSigned;
};
template <>
struct IsByte<uchar1> {
  static constexpr bool value = true;
  static constexpr hipChannelFormatKind kind = hipChannelFormatKindUnsigned;
};
template <>
struct IsByte<uchar2> : IsByte<uchar1> {};
template <>
struct IsByte<uchar3> : IsByte<uchar1> {};
template <>
struct IsByte<uchar4> : IsByte<uchar1> {};

template <typename T, bool is_byte = IsByte<T>::value>
struct Descriptor {
  static hipChannelFormatDesc made() { return ::hipCreateChannelDesc<T>(); }
};
template <typename T>
struct Descriptor<T, true> {
  static hipChannelFormatDesc made() {
    hipChannelFormatDesc descriptor = ::hipCreateChannelDesc<T>();
    descriptor.f = IsByte<T>::kind;
    return descriptor;
  }
};

}  // namespace channels

}  // namespace compat
}  // namespace hipport

template <typename T>
inline hipChannelFormatDesc hipport_create_channel_desc() {
  return hipport::compat::channels::Descriptor<T>::made();
}

#endif

static inline hipChannelFormatDesc hipport_create_channel_desc(int x, int y, int z, int w,
                                                               enum hipChannelFormatKind kind) {
  return hipCreateChannelDesc(x, y, z, w, kind);
}

#endif  // HIPPORT_COMPAT_CHANNEL_DESCRIPTORS_H
