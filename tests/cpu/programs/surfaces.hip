// SPDX-License-Identifier: MIT
// Layered and cube map textures, gathering, textures of half, surfaces of all shapes.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <vector>

constexpr int kSide = 4;

int wrong = 0;
float* out = nullptr;

void expect(float got, double expected, const char* what) {
  if (std::fabs(got - expected) <= 1e-6) return;
  ++wrong;
  std::printf("%s: got %g, expected %g\n", what, got, expected);
}

hipResourceDesc resource_of(hipArray_t array) {
  hipResourceDesc resource = {};
  resource.resType = hipResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

hipTextureObject_t texture_of(hipArray_t array, hipTextureFilterMode filter, bool normalized = false) {
  hipTextureDesc desc = {};
  for (auto& one : desc.addressMode) one = hipAddressModeClamp;
  desc.filterMode = filter;
  desc.normalizedCoords = normalized;
  const hipResourceDesc resource = resource_of(array);
  hipTextureObject_t texture = nullptr;
  if (hipCreateTextureObject(&texture, &resource, &desc, nullptr)) ++wrong;
  return texture;
}

// An array whose elements count up.
hipArray_t counting(hipExtent extent, unsigned flags) {
  const size_t rows = extent.height ? extent.height : 1, count = extent.width * rows * extent.depth;
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i);
  const hipChannelFormatDesc channel = hipCreateChannelDesc<float>();
  hipArray_t array = nullptr;
  if (hipMalloc3DArray(&array, &channel, extent, flags)) ++wrong;
  hipMemcpy3DParms copy = {};
  copy.srcPtr = make_hipPitchedPtr(values.data(), extent.width * sizeof(float), extent.width, rows);
  copy.dstArray = array;
  copy.extent = make_hipExtent(extent.width, rows, extent.depth);
  copy.kind = hipMemcpyHostToDevice;
  if (hipMemcpy3D(&copy)) ++wrong;
  return array;
}

__global__ void read_layers(hipTextureObject_t lines, hipTextureObject_t planes, float* out) {
  out[0] = tex1DLayered<float>(lines, 1.5f, 2);
  out[1] = tex2DLayered<float>(planes, 1.5f, 2.5f, 1);
  out[2] = tex2DLayered<float>(planes, 2.0f, 1.0f, 2);
  out[3] = tex2DLayered<float>(planes, 0.5f, 0.5f, 9);
  tex2DLayeredLod(&out[4], planes, 1.5f, 2.5f, 1, 3.0f);
}

void layers() {
  const auto lines = texture_of(counting({kSide, 0, 3}, hipArrayLayered), hipFilterModePoint);
  const auto planes = texture_of(counting({kSide, kSide, 3}, hipArrayLayered), hipFilterModeLinear);
  read_layers<<<1, 1>>>(lines, planes, out);
  expect(out[0], 1 + 2 * kSide, "1D layer");
  expect(out[1], 1 + 2 * kSide + kSide * kSide, "2D layer, at a texel");
  expect(out[2], 1.5 + 0.5 * kSide + 2 * kSide * kSide, "2D layer, between four: no mixing of layers");
  expect(out[3], 2 * kSide * kSide, "a layer beyond the last");
  expect(out[4], out[1], "with a level");
}

__global__ void read_cube(hipTextureObject_t cube, hipTextureObject_t cubes, float* out) {
  const float directions[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  for (int face = 0; face < 6; ++face) {
    const float* d = directions[face];
    out[face] = texCubemap<float>(cube, 3 * d[0], 3 * d[1], 3 * d[2]);
  }
  out[6] = texCubemapLayered<float>(cubes, 1.0f, 0.9f, 0.9f, 1);
}

void cubes() {
  const float face = kSide * kSide, middle = 2 + 2 * kSide;
  const auto one = texture_of(counting({kSide, kSide, 6}, hipArrayCubemap), hipFilterModePoint);
  const auto two = texture_of(counting({kSide, kSide, 12}, hipArrayCubemap | hipArrayLayered), hipFilterModePoint);
  read_cube<<<1, 1>>>(one, two, out);
  for (int i = 0; i < 6; ++i) expect(out[i], i * face + middle, "the middle of a face");
  expect(out[6], 6 * face, "the corner of the first face of the second cube");
  hipArray_t refused = nullptr;
  const hipChannelFormatDesc channel = hipCreateChannelDesc<float>();
  if (hipMalloc3DArray(&refused, &channel, {kSide, kSide, 5}, hipArrayCubemap) != hipErrorInvalidValue) ++wrong;
}

__global__ void gather(hipTextureObject_t texture, hipTextureObject_t halves, float* out) {
  const float4 four = tex2Dgather<float4>(texture, 2.0f, 3.0f);
  out[0] = four.x, out[1] = four.y, out[2] = four.z, out[3] = four.w;
  out[4] = tex1D<float>(halves, 1.5f);
}

void gathered() {
  const __half values[2] = {__float2half(0.5f), __float2half(-3.0f)};
  const hipChannelFormatDesc channel = hipCreateChannelDesc(16, 0, 0, 0, hipChannelFormatKindFloat);
  hipArray_t halves = nullptr;
  if (hipMallocArray(&halves, &channel, 2)) ++wrong;
  if (hipMemcpyToArray(halves, 0, 0, values, sizeof(values), hipMemcpyHostToDevice)) ++wrong;
  gather<<<1, 1>>>(texture_of(counting({kSide, kSide, 1}, 0), hipFilterModePoint),
                   texture_of(halves, hipFilterModePoint), out);
  const double expected[4] = {1 + 3 * kSide, 2 + 3 * kSide, 2 + 2 * kSide, 1 + 2 * kSide};
  for (int i = 0; i < 4; ++i) expect(out[i], expected[i], "gathered");
  expect(out[4], -3, "half");
}

// AMD's headers from 6.0 on have no boundary modes.
#if defined(__AMDGCN_WAVEFRONT_SIZE) || defined(__AMDGCN__) || defined(__clang__) && defined(__HIP__)
#define HAS_BOUNDARY_MODES (HIP_VERSION_MAJOR < 6)
#else
#define HAS_BOUNDARY_MODES 1
#endif

__global__ void through_surfaces(hipSurfaceObject_t plane, hipSurfaceObject_t box, hipSurfaceObject_t layers,
                                 float* out) {
  const int x = threadIdx.x * sizeof(float), y = threadIdx.y;
  float value;
  surf2Dread(&value, plane, x, y);
  surf2Dwrite(value + 100.0f, plane, x, y);
  surf3Dwrite(value, box, x, y, 1);
  surf1DLayeredwrite(value, layers, x, y);
  __syncthreads();
  if (threadIdx.x + threadIdx.y != 0) return;
  surf2Dread(&out[0], plane, 2 * sizeof(float), 1);
  surf3Dread(&out[1], box, 2 * sizeof(float), 1, 1);
  surf3Dread(&out[2], box, 2 * sizeof(float), 1, 0);
  surf1DLayeredread(&out[3], layers, 2 * sizeof(float), 1);
  surf2Dread(&out[4], plane, -4, 0);
#if HAS_BOUNDARY_MODES
  surf2Dread(&out[5], plane, 1000, 1, hipBoundaryModeClamp);
#endif
  surf2Dwrite(7.0f, plane, 0, kSide);
}

void surfaces() {
  hipSurfaceObject_t of[3] = {};
  const hipArray_t arrays[3] = {counting({kSide, kSide, 1}, hipArraySurfaceLoadStore),
                                counting({kSide, kSide, 2}, hipArraySurfaceLoadStore),
                                counting({kSide, 0, kSide}, hipArrayLayered | hipArraySurfaceLoadStore)};
  for (int i = 0; i < 3; ++i) {
    const hipResourceDesc resource = resource_of(arrays[i]);
    if (hipCreateSurfaceObject(&of[i], &resource)) ++wrong;
  }
  through_surfaces<<<1, dim3(kSide, kSide)>>>(of[0], of[1], of[2], out);
  const double element = 2 + kSide;
  expect(out[0], element + 100, "2D, written");
  expect(out[1], element, "3D, written");
  expect(out[2], element, "3D, the other slice");
  expect(out[3], element, "a layer, written");
  expect(out[4], 0, "outside");
#if HAS_BOUNDARY_MODES
  expect(out[5], 2 * kSide - 1 + 100, "clamped");
#endif
  if (hipDestroySurfaceObject(of[0]) || hipCreateSurfaceObject(&of[0], nullptr) != hipErrorInvalidValue) ++wrong;
}

int main() {
  if (hipMalloc(&out, 64 * sizeof(float))) return 2;
  layers();
  cubes();
  gathered();
  surfaces();
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
