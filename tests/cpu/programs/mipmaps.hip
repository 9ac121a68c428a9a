// SPDX-License-Identifier: MIT
// Mipmapped arrays and their textures: levels by number, by gradients, with both filters, bias and limits; layers, cubes,
// volumes and integers. With an argument, levels of layers are not read by number: HIP's own headers leave the level out.
#include <hip/hip_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

int wrong = 0;
bool reads_levels_of_layers = true;

void expect(double got, double expected, const char* what, double at = 0) {
  if (std::fabs(got - expected) <= 1e-5) return;
  ++wrong;
  std::printf("%s at %g: got %g, expected %g\n", what, at, got, expected);
}
void ok(hipError_t status, const char* what) {
  if (status == hipSuccess) return;
  ++wrong;
  std::printf("%s fails with %d\n", what, status);
}
void refused(hipError_t status, hipError_t expected, const char* what) {
  (void)hipGetLastError();
  if (status == expected) return;
  ++wrong;
  std::printf("%s gives %d, expected %d\n", what, status, expected);
}

struct At {
  float x, y, z, level, across, down;
  int layer;
};
__global__ void lines(hipTextureObject_t texture, const At* at, float* out) {
  out[0] = tex1D<float>(texture, at->x);
  out[1] = tex1DLod<float>(texture, at->x, at->level);
  out[2] = tex1DGrad<float>(texture, at->x, at->across, at->down);
}
__global__ void planes(hipTextureObject_t texture, const At* at, float* out) {
  out[0] = tex2D<float>(texture, at->x, at->y);
  out[1] = tex2DLod<float>(texture, at->x, at->y, at->level);
  out[2] = tex2DGrad<float>(texture, at->x, at->y, make_float2(at->across, 0), make_float2(0, at->down));
}
__global__ void volumes(hipTextureObject_t texture, const At* at, float* out) {
  out[0] = tex3D<float>(texture, at->x, at->y, at->z);
  out[1] = tex3DLod<float>(texture, at->x, at->y, at->z, at->level);
  out[2] =
      tex3DGrad<float>(texture, at->x, at->y, at->z, make_float4(at->across, 0, 0, 0), make_float4(0, 0, at->down, 0));
}
__global__ void layers(hipTextureObject_t texture, const At* at, float* out) {
  out[0] = tex2DLayered<float>(texture, at->x, at->y, at->layer);
  out[1] = tex2DLayeredLod<float>(texture, at->x, at->y, at->layer, at->level);
  out[2] =
      tex2DLayeredGrad<float>(texture, at->x, at->y, at->layer, make_float2(at->across, 0), make_float2(0, at->down));
}
__global__ void cubes(hipTextureObject_t texture, const At* at, float* out) {
  out[0] = texCubemap<float>(texture, at->x, at->y, at->z);
  out[1] = texCubemapLod<float>(texture, at->x, at->y, at->z, at->level);
}
__global__ void numbers(hipTextureObject_t texture, const At* at, float* out) {
  out[0] = float(tex2D<unsigned>(texture, at->x, at->y));
  out[1] = float(tex2DLod<unsigned>(texture, at->x, at->y, at->level));
}
__global__ void different(hipTextureObject_t texture, float* out) {
  out[threadIdx.x] = tex2DLod<float>(texture, 0.5f, 0.5f, threadIdx.x * 0.25f);
}

using Kernel = void (*)(hipTextureObject_t, const At*, float*);

// What a texel has: its level counts most, so that each level and layer has values of its own.
template <typename T>
T value(unsigned level, size_t x, size_t y, size_t z) {
  return T(1000 * level + 100 * z + 10 * y + x);
}

hipTextureDesc how(hipTextureFilterMode filter, hipTextureFilterMode between) {
  hipTextureDesc desc = {};
  for (auto& one : desc.addressMode) one = hipAddressModeClamp;
  desc.filterMode = filter;
  desc.normalizedCoords = 1;
  desc.mipmapFilterMode = between;
  desc.maxMipmapLevelClamp = 100;
  return desc;
}

template <typename T>
struct Mipmap {
  hipMipmappedArray_t array = nullptr;
  hipExtent extent;
  unsigned levels;
  Mipmap(hipExtent whole, unsigned asked, unsigned expected, unsigned flags = 0) : extent(whole), levels(expected) {
    const hipChannelFormatDesc channel = hipCreateChannelDesc<T>();
    ok(hipMallocMipmappedArray(&array, &channel, whole, asked, flags), "hipMallocMipmappedArray");
    hipArray_t none = nullptr;
    refused(hipGetMipmappedArrayLevel(&none, array, levels), hipErrorInvalidValue, "a level that does not exist");
    for (unsigned level = 0; level < levels; ++level) fill(level, flags);
  }
  ~Mipmap() { ok(hipFreeMipmappedArray(array), "hipFreeMipmappedArray"); }
  void fill(unsigned level, unsigned flags) {
    hipArray_t one = nullptr;
    ok(hipGetMipmappedArrayLevel(&one, array, level), "hipGetMipmappedArrayLevel");
    const auto halved = [level](size_t size) { return std::max<size_t>(size >> level, 1); };
    const size_t width = halved(extent.width), height = halved(extent.height);
    const size_t depth = flags != 0 ? extent.depth : halved(extent.depth);
    std::vector<T> data;
    for (size_t z = 0; z < depth; ++z)
      for (size_t y = 0; y < height; ++y)
        for (size_t x = 0; x < width; ++x) data.push_back(value<T>(level, x, y, z));
    hipMemcpy3DParms copy = {};
    copy.srcPtr = make_hipPitchedPtr(data.data(), width * sizeof(T), width, height);
    copy.dstArray = one;
    copy.extent = make_hipExtent(width, height, depth);
    copy.kind = hipMemcpyHostToDevice;
    ok(hipMemcpy3D(&copy), "hipMemcpy3D");
  }
  hipTextureObject_t texture(const hipTextureDesc& desc) const {
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = array;
    hipTextureObject_t made = nullptr;
    ok(hipCreateTextureObject(&made, &resource, &desc, nullptr), "hipCreateTextureObject");
    return made;
  }
};

At* at = nullptr;
float* out = nullptr;

const float* run(Kernel kernel, hipTextureObject_t texture, const At& place) {
  *at = place;
  kernel<<<1, 1>>>(texture, at, out);
  ok(hipDeviceSynchronize(), "a kernel");
  return out;
}

// Levels of one texture by number: with the point filter the next one, with the linear one a mean. All places are the
// middle of the first texel of the largest level; in others, too, the first texel is the nearest.
void by_number(const char* name, Kernel kernel, hipTextureObject_t near, hipTextureObject_t mean, At place,
               unsigned levels, double first) {
  for (double level : {-1.0, 0.0, 0.25, 0.49, 0.51, 1.0, 1.25, 1.75, 2.0, 3.0, 10.0}) {
    place.level = float(level);
    const double held = std::clamp(level, 0.0, double(levels - 1));
    const float* found = run(kernel, near, place);
    expect(found[0], first, name);
    expect(found[1], first + 1000 * std::floor(held + 0.5), name, level);
    found = run(kernel, mean, place);
    expect(found[0], first, name);
    expect(found[1], first + 1000 * std::floor(held * 256 + 0.5) / 256, name, level);
  }
}

// A step of 2^n texels of the largest level selects level n.
void by_gradients(const char* name, Kernel kernel, hipTextureObject_t near, At place, double size, double last_size,
                  unsigned levels, double first) {
  for (int power = -2; power < int(levels) + 2; ++power)
    for (const bool is_across : {true, false}) {
      place.across = is_across ? float(std::exp2(power) / size) : 0.0f;
      place.down = is_across ? 0.0f : float(std::exp2(power) / last_size);
      expect(run(kernel, near, place)[2], first + 1000 * std::clamp(power, 0, int(levels) - 1), name, power);
    }
}

void shapes() {
  const hipTextureDesc point = how(hipFilterModePoint, hipFilterModePoint);
  const hipTextureDesc linear = how(hipFilterModePoint, hipFilterModeLinear);
  {
    const Mipmap<float> line({16, 0, 0}, 3, 3);
    const hipTextureObject_t near = line.texture(point), mean = line.texture(linear);
    const At place{0.5f / 16, 0, 0, 0, 0, 0, 0};
    by_number("1D", lines, near, mean, place, 3, 0);
    by_gradients("1D", lines, near, place, 16, 16, 3, 0);
    ok(hipDestroyTextureObject(near), "hipDestroyTextureObject");
    ok(hipDestroyTextureObject(mean), "hipDestroyTextureObject");
  }
  {
    const Mipmap<float> plane({16, 8, 0}, 20, 5);  // as many as there can be
    const At place{0.5f / 16, 0.5f / 8, 0, 0, 0, 0, 0};
    by_number("2D", planes, plane.texture(point), plane.texture(linear), place, 5, 0);
    by_gradients("2D", planes, plane.texture(point), place, 16, 8, 5, 0);
  }
  {
    const Mipmap<float> volume({8, 4, 8}, 3, 3);
    const At place{0.5f / 8, 0.5f / 4, 0.5f / 8, 0, 0, 0, 0};
    by_number("3D", volumes, volume.texture(point), volume.texture(linear), place, 3, 0);
    by_gradients("3D", volumes, volume.texture(point), place, 8, 8, 3, 0);
  }
  {
    const Mipmap<float> several({8, 8, 5}, 10, 4, hipArrayLayered);
    const At place{0.5f / 8, 0.5f / 8, 0, 0, 0, 0, 3};
    if (reads_levels_of_layers)
      by_number("layers", layers, several.texture(point), several.texture(linear), place, 4, 300);
    by_gradients("layers", layers, several.texture(point), place, 8, 8, 4, 300);
  }
}

void cube() {
  const Mipmap<float> faces({8, 8, 6}, 4, 4, hipArrayCubemap);
  const hipTextureDesc point = how(hipFilterModePoint, hipFilterModePoint);
  const hipTextureDesc linear = how(hipFilterModePoint, hipFilterModeLinear);
  // The first texel of the face of y, which is number 2. The device library of ROCm 5.2 mirrors faces of negative ones.
  by_number("cube", cubes, faces.texture(point), faces.texture(linear), {-0.95f, 1, -0.95f, 0, 0, 0, 0}, 4, 200);
}

void integers() {
  const Mipmap<unsigned> plane({8, 8, 0}, 4, 4);
  const hipTextureObject_t texture = plane.texture(how(hipFilterModePoint, hipFilterModePoint));
  for (const double level : {0.0, 0.4, 0.6, 1.0, 1.6, 3.0, 7.0}) {
    const float* const found = run(numbers, texture, {0.5f / 8, 0.5f / 8, 0, float(level), 0, 0, 0});
    expect(found[0], 0, "integers");
    expect(found[1], 1000 * std::min(std::floor(level + 0.5), 3.0), "integers", level);
  }
}

void bias_and_limits() {
  const Mipmap<float> plane({32, 32, 0}, 6, 6);
  hipTextureDesc desc = how(hipFilterModePoint, hipFilterModeLinear);
  desc.mipmapLevelBias = 0.5f;
  desc.minMipmapLevelClamp = 1;
  desc.maxMipmapLevelClamp = 3.25f;
  const hipTextureObject_t texture = plane.texture(desc);
  At place{0.5f / 32, 0.5f / 32, 0, 0, 0, 0, 0};
  for (const double level : {0.0, 0.25, 0.75, 1.0, 2.5, 2.75, 5.0}) {
    place.level = float(level);
    const float* const found = run(planes, texture, place);
    expect(found[1], 1000 * std::clamp(level + 0.5, 1.0, 3.25), "bias", level);
    expect(found[0], 1000, "the least level");
  }
  hipTextureDesc kept = {};
  ok(hipGetTextureObjectTextureDesc(&kept, texture), "hipGetTextureObjectTextureDesc");
  expect(kept.maxMipmapLevelClamp, 3.25, "hipGetTextureObjectTextureDesc");
  hipResourceDesc resource = {};
  ok(hipGetTextureObjectResourceDesc(&resource, texture), "hipGetTextureObjectResourceDesc");
  expect(resource.res.mipmap.mipmap == plane.array, 1, "hipGetTextureObjectResourceDesc");
}

// Texels of a level and levels are mixed; each thread has a level of its own.
void both_filters() {
  const Mipmap<float> plane({8, 8, 0}, 3, 3);
  const hipTextureObject_t texture = plane.texture(how(hipFilterModeLinear, hipFilterModeLinear));
  different<<<1, 9>>>(texture, out);
  ok(hipDeviceSynchronize(), "a kernel");
  const double middles[] = {38.5, 1016.5, 2005.5};  // the mean of the four texels in the middle
  for (int i = 0; i < 9; ++i) {
    const double level = i * 0.25, next = std::min(std::floor(level) + 1, 2.0), part = level - std::floor(level);
    expect(out[i], middles[int(level)] * (1 - part) + middles[int(next)] * part, "both filters", level);
  }
}

void refusals() {
  hipMipmappedArray_t array = nullptr;
  const hipChannelFormatDesc channel = hipCreateChannelDesc<float>();
  refused(hipMallocMipmappedArray(nullptr, &channel, {8, 8, 0}, 2, 0), hipErrorInvalidValue, "no array");
  refused(hipMallocMipmappedArray(&array, &channel, {8, 8, 0}, 0, 0), hipErrorInvalidValue, "no levels");
  refused(hipMallocMipmappedArray(&array, &channel, {8, 4, 6}, 2, hipArrayCubemap), hipErrorInvalidValue, "no cube");
  refused(hipFreeMipmappedArray(nullptr), hipErrorInvalidValue, "nothing to free");
  const Mipmap<float> plane({8, 8, 0}, 3, 3);
  hipResourceDesc resource = {};
  resource.resType = hipResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = plane.array;
  hipTextureDesc desc = how(hipFilterModePoint, hipFilterModePoint);
  desc.normalizedCoords = 0;
  hipTextureObject_t texture = nullptr;
  refused(hipCreateTextureObject(&texture, &resource, &desc, nullptr), hipErrorInvalidValue, "coordinates in texels");
}

int main(int argc, char**) {
  reads_levels_of_layers = argc == 1;
  ok(hipMallocManaged(reinterpret_cast<void**>(&at), sizeof(At)), "hipMallocManaged");
  ok(hipMallocManaged(reinterpret_cast<void**>(&out), 64 * sizeof(float)), "hipMallocManaged");
  shapes();
  cube();
  integers();
  bias_and_limits();
  both_filters();
  refusals();
  std::printf("%d wrong\n", wrong);
}
