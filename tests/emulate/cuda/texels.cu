// Surfaces of integers, and textures that read bytes as normalized numbers.
#include <cuda_runtime.h>

#include "checks.h"

constexpr int kWidth = 8;

template <typename T>
__global__ void shift(cudaSurfaceObject_t plane, cudaSurfaceObject_t box, T step) {
  const int at = threadIdx.x * sizeof(T);
  T value;
  surf2Dread(&value, plane, at, 0);
  surf2Dwrite(static_cast<T>(value + step), plane, at, 1);
  surf3Dwrite<T>(surf2Dread<T>(plane, at, 0, cudaBoundaryModeZero), box, at, 1, 1, cudaBoundaryModeZero);
}

template <typename T>
cudaArray_t array(const cudaExtent& extent) {
  cudaArray_t made;
  const cudaChannelFormatDesc channel = cudaCreateChannelDesc<T>();
  if (extent.depth == 0) {
    cudaMallocArray(&made, &channel, extent.width, extent.height, cudaArraySurfaceLoadStore);
  } else {
    cudaMalloc3DArray(&made, &channel, extent, cudaArraySurfaceLoadStore);
  }
  return made;
}

cudaSurfaceObject_t surface(cudaArray_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t made;
  cudaCreateSurfaceObject(&made, &resource);
  return made;
}

template <typename T>
void surfaces(const char* name, T step) {
  T values[2 * kWidth] = {}, depth[8 * kWidth] = {};
  for (int i = 0; i < kWidth; ++i) values[i] = static_cast<T>(i * 23 - 40);
  cudaArray_t plane = array<T>(make_cudaExtent(kWidth, 2, 0)), box = array<T>(make_cudaExtent(kWidth, 2, 4));
  const size_t pitch = kWidth * sizeof(T);
  cudaMemcpy2DToArray(plane, 0, 0, values, pitch, pitch, 2, cudaMemcpyHostToDevice);
  shift<T><<<1, kWidth>>>(surface(plane), surface(box), step);
  cudaMemcpy2DFromArray(values, pitch, plane, 0, 0, pitch, 2, cudaMemcpyDeviceToHost);
  cudaMemcpy3DParms copy = {};
  copy.srcArray = box;
  copy.dstPtr = make_cudaPitchedPtr(depth, pitch, kWidth, 2);
  copy.extent = make_cudaExtent(kWidth, 2, 4);
  copy.kind = cudaMemcpyDeviceToHost;
  cudaMemcpy3D(&copy);
  for (int i = 0; i < kWidth; ++i) {
    expect(name, i, values[kWidth + i], static_cast<T>(i * 23 - 40 + step));
    expect(name, kWidth + i, depth[3 * kWidth + i], static_cast<T>(i * 23 - 40));
  }
}

__global__ void pixels(cudaTextureObject_t texture, float4* out) {
  out[threadIdx.x] = tex2D<float4>(texture, threadIdx.x + 0.5f, 0.5f);
}

int main() {
  surfaces<int>("int", 100000);
  surfaces<unsigned>("unsigned", 4000000000u);
  surfaces<short>("short", -300);
  surfaces<unsigned char>("unsigned char", 7);
  surfaces<signed char>("signed char", 5);
  surfaces<float>("float", 0.5f);

  const uchar4 bytes[2] = {{255, 0, 51, 102}, {0, 255, 204, 153}};
  const cudaChannelFormatDesc channel = cudaCreateChannelDesc<uchar4>();
  cudaArray_t image;
  cudaMallocArray(&image, &channel, 2, 1);
  cudaMemcpy2DToArray(image, 0, 0, bytes, sizeof bytes, sizeof bytes, 1, cudaMemcpyHostToDevice);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = image;
  cudaTextureDesc description = {};
  description.readMode = cudaReadModeNormalizedFloat;
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  float4* out;
  float read[8];
  cudaMalloc(&out, sizeof read);
  pixels<<<1, 2>>>(texture, out);
  cudaMemcpy(read, out, sizeof read, cudaMemcpyDeviceToHost);
  const float fifths[8] = {5, 0, 1, 2, 0, 5, 4, 3};
  for (int i = 0; i < 8; ++i) expect("normalized", i, static_cast<int>(read[i] * 5 + 0.001f), fifths[i]);
  return finished("texels");
}
