// SPDX-License-Identifier: MIT
// Textures: linear memory, pitched memory, arrays of 1 to 3 dimensions; address modes, filters, normalized reads.
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <vector>

int wrong = 0;

void expect(float got, double expected, const char* what) {
  if (std::fabs(got - expected) <= 1e-6) return;
  ++wrong;
  std::printf("%s: got %g, expected %g\n", what, got, expected);
}

__global__ void fetch(hipTextureObject_t texture, float* out, int count) {
  const int i = threadIdx.x;
  if (i < count) out[i] = tex1Dfetch<float>(texture, count - 1 - i);
}
__global__ void at2(hipTextureObject_t texture, float* out, float x, float y) { *out = tex2D<float>(texture, x, y); }
__global__ void at3(hipTextureObject_t texture, float* out, float x, float y, float z) {
  *out = tex3D<float>(texture, x, y, z);
}
__global__ void bytes_at(hipTextureObject_t texture, float4* out, float x) { *out = tex1D<float4>(texture, x); }

hipTextureDesc how(hipTextureAddressMode mode, hipTextureFilterMode filter, bool normalized) {
  hipTextureDesc desc = {};
  for (auto& one : desc.addressMode) one = mode;
  desc.filterMode = filter;
  desc.normalizedCoords = normalized;
  return desc;
}

hipTextureObject_t of_array(hipArray_t array, const hipTextureDesc& desc) {
  hipResourceDesc resource = {};
  resource.resType = hipResourceTypeArray;
  resource.res.array.array = array;
  hipTextureObject_t texture = nullptr;
  if (hipCreateTextureObject(&texture, &resource, &desc, nullptr)) ++wrong;
  return texture;
}

float* out = nullptr;

float sample(hipTextureObject_t texture, float x, float y) {
  at2<<<1, 1>>>(texture, out, x, y);
  return *out;
}

void linear_memory() {
  float* data = nullptr;
  if (hipMalloc(&data, 8 * sizeof(float))) ++wrong;
  for (int i = 0; i < 8; ++i) data[i] = 1.5f * i;
  hipResourceDesc resource = {};
  resource.resType = hipResourceTypeLinear;
  resource.res.linear.devPtr = data;
  resource.res.linear.desc = hipCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = 8 * sizeof(float);
  const hipTextureDesc desc = {};
  hipTextureObject_t texture = nullptr;
  if (hipCreateTextureObject(&texture, &resource, &desc, nullptr)) ++wrong;
  fetch<<<1, 8>>>(texture, out, 8);
  for (int i = 0; i < 8; ++i) expect(out[i], 1.5 * (7 - i), "tex1Dfetch");
}

void two_dimensions() {
  const int width = 5, height = 3;
  std::vector<float> image(width * height);
  for (int i = 0; i < width * height; ++i) image[i] = i % width + 10.0f * (i / width);
  const hipChannelFormatDesc channel = hipCreateChannelDesc<float>();
  hipArray_t array = nullptr;
  if (hipMallocArray(&array, &channel, width, height)) ++wrong;
  if (hipMemcpy2DToArray(array, 0, 0, image.data(), width * 4, width * 4, height, hipMemcpyHostToDevice)) ++wrong;

  const auto points = of_array(array, how(hipAddressModeClamp, hipFilterModePoint, false));
  expect(sample(points, 2.5f, 1.5f), 12, "point");
  expect(sample(points, -3.0f, 9.0f), 20, "point, clamped");
  const auto lines = of_array(array, how(hipAddressModeClamp, hipFilterModeLinear, false));
  expect(sample(lines, 2.5f, 1.5f), 12, "linear, at a texel");
  expect(sample(lines, 3.0f, 1.0f), 2.5 + 5, "linear, between four");
  expect(sample(lines, 0.0f, 0.5f), 0, "linear, clamped");
  const auto framed = of_array(array, how(hipAddressModeBorder, hipFilterModePoint, false));
  expect(sample(framed, 5.5f, 1.5f), 0, "border");
  const auto wrapped = of_array(array, how(hipAddressModeWrap, hipFilterModePoint, true));
  expect(sample(wrapped, 1.5f, 0.5f), 12, "wrapped");
  expect(sample(wrapped, -0.1f, 0.5f), 14, "wrapped, negative");
  const auto mirrored = of_array(array, how(hipAddressModeMirror, hipFilterModePoint, true));
  expect(sample(mirrored, 1.1f, 0.5f), 14, "mirrored");
}

void three_dimensions() {
  const int size = 4;
  std::vector<float> box(size * size * size);
  for (int i = 0; i < size * size * size; ++i) box[i] = i;
  const hipChannelFormatDesc channel = hipCreateChannelDesc<float>();
  hipArray_t array = nullptr;
  if (hipMalloc3DArray(&array, &channel, make_hipExtent(size, size, size), 0)) ++wrong;
  hipMemcpy3DParms copy = {};
  copy.srcPtr = make_hipPitchedPtr(box.data(), size * sizeof(float), size, size);
  copy.dstArray = array;
  copy.extent = make_hipExtent(size, size, size);
  copy.kind = hipMemcpyHostToDevice;
  if (hipMemcpy3D(&copy)) ++wrong;
  at3<<<1, 1>>>(of_array(array, how(hipAddressModeClamp, hipFilterModePoint, false)), out, 1.5f, 2.5f, 3.5f);
  expect(*out, 1 + 4 * 2 + 16 * 3, "3D, point");
  at3<<<1, 1>>>(of_array(array, how(hipAddressModeClamp, hipFilterModeLinear, false)), out, 2.0f, 2.0f, 2.0f);
  expect(*out, 1.5 + 4 * 1.5 + 16 * 1.5, "3D, linear");
}

void normalized_bytes() {
  const uchar4 pixels[2] = {uchar4(255, 51, 0, 102), uchar4(0, 0, 255, 0)};
  const hipChannelFormatDesc channel = hipCreateChannelDesc(8, 8, 8, 8, hipChannelFormatKindUnsigned);
  hipArray_t array = nullptr;
  if (hipMallocArray(&array, &channel, 2)) ++wrong;
  if (hipMemcpyToArray(array, 0, 0, pixels, sizeof(pixels), hipMemcpyHostToDevice)) ++wrong;
  hipTextureDesc desc = how(hipAddressModeClamp, hipFilterModePoint, false);
  desc.readMode = hipReadModeNormalizedFloat;
  float4* pixel = nullptr;
  if (hipMalloc(&pixel, sizeof(float4))) ++wrong;
  bytes_at<<<1, 1>>>(of_array(array, desc), pixel, 0.5f);
  expect(pixel->x, 1.0, "normalized x");
  expect(pixel->y, 0.2, "normalized y");
  expect(pixel->w, 0.4, "normalized w");
}

// Descriptions of plain memory that HIP does not take, beside one that it takes.
void refused() {
  char* memory = nullptr;
  if (hipMalloc(&memory, 4096)) ++wrong;
  const size_t most = ~size_t{0};
  const hipTextureDesc plain = how(hipAddressModeClamp, hipFilterModePoint, false);
  struct Rows {
    char* start;
    size_t width, height, pitch;
    bool is_taken;
  };
  const Rows all[] = {{memory, 16, 4, 1024, true},    {memory, 16, 1, 256, true},         {memory, 16, 4, 32, false},
                      {nullptr, 16, 4, 1024, false},  {memory + 4, 1024, 1, 4096, false}, {memory, 0, 4, 1024, false},
                      {memory, 16, 0, 1024, false},   {memory, 16, 5, 1024, false},       {memory, 512, 2, 1024, false},
                      {memory, most, 4, 1024, false}, {memory, 16, most, 1024, false},    {memory, 16, 4, most, false}};
  const hipChannelFormatDesc channel = hipCreateChannelDesc<float>();
  for (const Rows& one : all) {
    hipResourceDesc desc = {};
    desc.resType = hipResourceTypePitch2D;
    desc.res.pitch2D = {one.start, channel, one.width, one.height, one.pitch};
    hipTextureObject_t texture = nullptr;
    const hipError_t status = hipCreateTextureObject(&texture, &desc, &plain, nullptr);
    expect(status, one.is_taken ? hipSuccess : hipErrorInvalidValue, "rows");
    if (status == hipSuccess && hipDestroyTextureObject(texture)) ++wrong;
  }
  const Rows lines[] = {{memory, 4096, 1, 0, true}, {memory, 0, 1, 0, false},        {memory, 4097, 1, 0, false},
                        {nullptr, 64, 1, 0, false}, {memory + 4, 4096, 1, 0, false}, {memory, most, 1, 0, false}};
  for (const Rows& one : lines) {
    hipResourceDesc desc = {};
    desc.resType = hipResourceTypeLinear;
    desc.res.linear = {one.start, channel, one.width};
    hipTextureObject_t texture = nullptr;
    const hipError_t status = hipCreateTextureObject(&texture, &desc, &plain, nullptr);
    expect(status, one.is_taken ? hipSuccess : hipErrorInvalidValue, "linear memory");
    if (status == hipSuccess && hipDestroyTextureObject(texture)) ++wrong;
  }
  if (hipFree(memory)) ++wrong;
}

int main() {
  if (hipMalloc(&out, 64 * sizeof(float))) return 2;
  linear_memory();
  two_dimensions();
  three_dimensions();
  normalized_bytes();
  refused();
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
