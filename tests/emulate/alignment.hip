// SPDX-License-Identifier: MIT
// Memory behind textures begins, and rows are apart, by multiples of what the device says.
#include <hip/hip_runtime.h>

#include <cstdio>

texture<float, hipTextureType1D, hipReadModeElementType> line;
texture<float, hipTextureType2D, hipReadModeElementType> rows;

// References that no kernel reads are not in the code object.
__global__ void read(float* to) { *to = tex1Dfetch(line, 0) + tex2D(rows, 0.0f, 0.0f); }

static int wrong = 0;
static void expect(const char* what, long got, long expected) {
  if (got == expected) return;
  std::printf("%s: %ld, not %ld\n", what, got, expected);
  ++wrong;
}

int main() {
  hipDeviceProp_t device;
  expect("properties", hipGetDeviceProperties(&device, 0), hipSuccess);
  const size_t unit = device.textureAlignment, pitch = device.texturePitchAlignment;
  expect("alignment", unit, 256);
  expect("pitch", pitch, 256);
  char* memory = nullptr;
  expect("memory", hipMalloc(reinterpret_cast<void**>(&memory), 64 * pitch), hipSuccess);

  const auto create = [&](const hipResourceDesc& resource) {
    const hipTextureDesc how{};
    hipTextureObject_t texture = nullptr;
    const hipError_t error = hipCreateTextureObject(&texture, &resource, &how, nullptr);
    if (error == hipSuccess) expect("destroyed", hipDestroyTextureObject(texture), hipSuccess);
    return error;
  };
  const auto linear = [&](size_t offset) {
    hipResourceDesc resource{};
    resource.resType = hipResourceTypeLinear;
    resource.res.linear.devPtr = memory + offset;
    resource.res.linear.desc = hipCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = 8 * pitch;
    return create(resource);
  };
  const auto pitched = [&](size_t offset, size_t apart) {
    hipResourceDesc resource{};
    resource.resType = hipResourceTypePitch2D;
    resource.res.pitch2D.devPtr = memory + offset;
    resource.res.pitch2D.desc = hipCreateChannelDesc<float>();
    resource.res.pitch2D.width = 8;
    resource.res.pitch2D.height = 8;
    resource.res.pitch2D.pitchInBytes = apart;
    return create(resource);
  };
  for (size_t offset : {size_t(0), unit, size_t(4), size_t(32), unit / 2, unit - 4}) {
    const hipError_t expected = offset % unit == 0 ? hipSuccess : hipErrorInvalidValue;
    expect("linear", linear(offset), expected);
    expect("pitched", pitched(offset, pitch), expected);
    expect("pitch", pitched(0, pitch + offset), expected);
  }

  const hipChannelFormatDesc channel = hipCreateChannelDesc<float>();
  const auto bind = [&](size_t* offset, size_t from) {
    return hipBindTexture(offset, &line, memory + from, &channel, 4 * pitch);
  };
  const auto bind_rows = [&](size_t* offset, size_t from, size_t apart) {
    return hipBindTexture2D(offset, &rows, memory + from, &channel, 8, 8, apart);
  };
  size_t offset = 99;
  expect("bound", bind(&offset, 0), hipSuccess);
  expect("offset", offset, 0);
  expect("bound rows", bind_rows(&offset, 0, pitch), hipSuccess);
  expect("bound without a place for an offset", bind(nullptr, unit), hipSuccess);
  expect("an offset without a place", bind(nullptr, unit / 2), hipErrorInvalidValue);
  expect("an offset of rows without a place", bind_rows(nullptr, unit / 2, pitch), hipErrorInvalidValue);
  expect("half of the alignment", bind(&offset, unit / 2), hipSuccess);
  expect("its offset", offset, unit / 2);
  expect("another offset", bind(&offset, 4), hipErrorInvalidValue);
  expect("pitch of rows", bind_rows(&offset, 0, 32), hipErrorInvalidValue);
  std::printf("%d wrong\n", wrong);
}
