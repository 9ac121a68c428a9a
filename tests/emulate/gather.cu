// tex2Dgather of each component: the four texels around a place, counterclockwise from the lower left.
#include <cuda_runtime.h>

#include "cuda/checks.h"

constexpr int kSide = 4;

__global__ void gather(cudaTextureObject_t texture, float4* out) {
  tex2Dgather(&out[0], texture, 1.0f, 1.0f);
  for (int component = 0; component < 4; ++component)
    out[1 + component] = tex2Dgather<float4>(texture, 2.0f, 2.0f, component);
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
  return finished("gather");
}
