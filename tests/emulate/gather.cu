// tex2Dgather of each component: the four texels around a place, counterclockwise from the lower left.
#include <cuda_runtime.h>

#include "cuda/checks.h"

constexpr int kSide = 4;

__global__ void gather(cudaTextureObject_t texture, float4* out) {
  tex2Dgather(&out[0], texture, 1.0f, 1.0f);
  for (int component = 0; component < 4; ++component)
    out[1 + component] = tex2Dgather<float4>(texture, 2.0f, 2.0f, component);
}

// The same places between texels by both filters and kinds of coordinates.
__global__ void gather_between(cudaTextureObject_t texture, float4* out, float size) {
  const float x = 0.25f + 0.5f * (threadIdx.x % 6), y = 0.75f + 0.5f * (threadIdx.x / 6);
  out[threadIdx.x] = tex2Dgather<float4>(texture, x / size, y / size);
}

static void expect_between(const cudaResourceDesc& resource, cudaTextureFilterMode filter, bool normalized) {
  constexpr int kPlaces = 36;
  cudaTextureDesc description = {};
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
  description.filterMode = filter;
  description.normalizedCoords = normalized;
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  float4 got[kPlaces], *out;
  cudaMalloc(&out, sizeof got);
  gather_between<<<1, kPlaces>>>(texture, out, normalized ? kSide : 1);
  cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  const auto inside = [](int at) { return at < 0 ? 0 : at >= kSide ? kSide - 1 : at; };
  for (int i = 0; i < kPlaces; ++i) {
    // The least texel of the four: half a texel before the place.
    const int x = (1 + 2 * (i % 6) + 2) / 4 - 1, y = (3 + 2 * (i / 6) + 2) / 4 - 1;
    const int left = inside(x), right = inside(x + 1), low = inside(y) * kSide, high = inside(y + 1) * kSide;
    const int four[] = {high + left, high + right, low + right, low + left};
    for (int k = 0; k < 4; ++k) expect(normalized ? "normalized" : "between", 4 * i + k, (&got[i].x)[k], four[k]);
  }
}

int main() {
  float4 texels[kSide * kSide], got[5], *out;
  for (int i = 0; i < kSide * kSide; ++i) texels[i] = make_float4(i, 100 + i, 200 + i, 300 + i);
  cudaArray_t array;
  const cudaChannelFormatDesc channel = cudaCreateChannelDesc<float4>();
  cudaMallocArray(&array, &channel, kSide, kSide, cudaArrayTextureGather);
  cudaMemcpy2DToArray(array, 0, 0, texels, kSide * sizeof(float4), kSide * sizeof(float4), kSide,
                      cudaMemcpyHostToDevice);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  cudaMalloc(&out, sizeof got);
  gather<<<1, 1>>>(texture, out);
  cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  const int around[] = {4, 5, 1, 0}, further[] = {9, 10, 6, 5};
  for (int i = 0; i < 4; ++i) {
    expect("without a component", i, (&got[0].x)[i], around[i]);
    for (int component = 0; component < 4; ++component)
      expect("component", 10 * component + i, (&got[1 + component].x)[i], 100 * component + further[i]);
  }
  for (const bool normalized : {false, true}) {
    expect_between(resource, cudaFilterModePoint, normalized);
    expect_between(resource, cudaFilterModeLinear, normalized);
  }
  return finished("gather");
}
