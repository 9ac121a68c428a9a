// SPDX-License-Identifier: MIT
// The sizes of an image in texels, by ROCm's device library, whose functions HIP's headers do not declare.
#ifndef HIPPORT_COMPAT_IMAGE_SIZES_H
#define HIPPORT_COMPAT_IMAGE_SIZES_H

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP) && !defined(__HIPPORT_CPU__)

namespace hipport {
namespace compat {

// What a texture or surface object is for the device library.
using Image = unsigned int __attribute__((address_space(4)))*;

}  // namespace compat
}  // namespace hipport

extern "C" {
__device__ int __ockl_image_width_1D(hipport::compat::Image);
__device__ int __ockl_image_width_1Da(hipport::compat::Image);
__device__ int __ockl_image_width_2D(hipport::compat::Image);
__device__ int __ockl_image_width_2Da(hipport::compat::Image);
__device__ int __ockl_image_width_3D(hipport::compat::Image);
__device__ int __ockl_image_height_2D(hipport::compat::Image);
__device__ int __ockl_image_height_2Da(hipport::compat::Image);
__device__ int __ockl_image_height_3D(hipport::compat::Image);
__device__ int __ockl_image_depth_3D(hipport::compat::Image);
}

#endif

#endif  // HIPPORT_COMPAT_IMAGE_SIZES_H
