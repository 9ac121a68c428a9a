// SPDX-License-Identifier: MIT
// Textures: by elements and by coordinates, with filters and borders.
#include "show.h"

__global__ void sample(hipTextureObject_t points, hipTextureObject_t smooth, float* out) {
  const int i = int(thread_number());
  const float u = float(i % 16) * 0.75f - 2, v = float(i / 16) * 1.25f - 3;
  out[i * 2] = tex2D<float>(points, u, v);
  out[i * 2 + 1] = rintf(tex2D<float>(smooth, u / 8, v / 8) * 16);
}

hipTextureObject_t object(hipArray_t array, hipTextureFilterMode filter, hipTextureAddressMode border, int normalized) {
  hipResourceDesc resource{};
  resource.resType = hipResourceTypeArray;
  resource.res.array.array = array;
  hipTextureDesc how{};
  how.filterMode = filter;
  how.addressMode[0] = how.addressMode[1] = border;
  how.normalizedCoords = normalized;
  hipTextureObject_t made{};
  if (hipCreateTextureObject(&made, &resource, &how, nullptr) != hipSuccess) std::puts("no texture");
  return made;
}

int main() {
  float pixels[8][8];
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 8; ++x) pixels[y][x] = float(x * 3 + y * y);
  const hipChannelFormatDesc format = hipCreateChannelDesc<float>();
  hipArray_t array{};
  if (hipMallocArray(&array, &format, 8, 8, 0) != hipSuccess) return 1;
  if (hipMemcpy2DToArray(array, 0, 0, pixels, 32, 32, 8, hipMemcpyHostToDevice) != hipSuccess) return 1;
  auto* const out = zeros<float>(512);
  for (const auto border : {hipAddressModeClamp, hipAddressModeWrap, hipAddressModeMirror}) {
    const auto points = object(array, hipFilterModePoint, hipAddressModeClamp, 0);
    const auto smooth = object(array, hipFilterModeLinear, border, 1);
    sample<<<1, 256>>>(points, smooth, out);
    show("texture", out, 512);
  }
}
