// SPDX-License-Identifier: MIT
#include "compressed.h"

#include "wave.h"

#include <cstring>
#include <dlfcn.h>

namespace hipport::emulate {
namespace {

template <typename T>
T value_at(const uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <typename F>
F* function_of(const char* library, const char* name) {
  void* const loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  void* const found = loaded == nullptr ? nullptr : dlsym(loaded, name);
  if (found == nullptr)
    throw Fault(std::string("the code is compressed, and ") + library + ", which is needed to read it, is missing");
  return reinterpret_cast<F*>(found);
}

bool inflate(const uint8_t* from, size_t size, std::vector<uint8_t>& to) {
  const auto uncompress =
      function_of<int(uint8_t*, unsigned long*, const uint8_t*, unsigned long)>("libz.so.1", "uncompress");
  unsigned long made = to.size();
  return uncompress(to.data(), &made, from, size) == 0 && made == to.size();
}

bool unpack_zstd(const uint8_t* from, size_t size, std::vector<uint8_t>& to, bool is_exact) {
  constexpr char library[] = "libzstd.so.1";
  if (!is_exact) {
    size = function_of<size_t(const void*, size_t)>(library, "ZSTD_findFrameCompressedSize")(from, size);
    if (function_of<unsigned(size_t)>(library, "ZSTD_isError")(size)) return false;
  }
  const auto decompress = function_of<size_t(void*, size_t, const void*, size_t)>(library, "ZSTD_decompress");
  return decompress(to.data(), to.size(), from, size) == to.size();
}

}  // namespace

bool is_compressed(const uint8_t* bytes) { return std::memcmp(bytes, "CCOB", 4) == 0; }

std::vector<uint8_t> uncompressed(const uint8_t* bytes) {
  const unsigned version = value_at<uint16_t>(bytes + 4), method = value_at<uint16_t>(bytes + 6);
  if (version < 1 || version > 3 || method > 1)
    throw Fault("the code is a compressed bundle of version " + std::to_string(version) + " and method " +
                std::to_string(method) + ", which cannot be read");
  // Sizes: of the whole from version 2, and uncompressed; then a hash of 8 bytes.
  const unsigned width = version == 3 ? 8 : 4, header = 8 + width * (version == 1 ? 1 : 2) + 8;
  const auto number = [&](unsigned i) -> uint64_t {
    return width == 8 ? value_at<uint64_t>(bytes + 8 + 8 * i) : value_at<uint32_t>(bytes + 8 + 4 * i);
  };
  const uint64_t size = number(version == 1 ? 0 : 1);
  if (size > uint64_t(4) << 30) throw Fault("the code is a compressed bundle that is damaged");
  std::vector<uint8_t> bundle(size);
  // Without its size, the data ends where the format says; little is larger compressed.
  const uint64_t data = version == 1 ? size + (1 << 16) : number(0) - header;
  const bool done =
      method == 0 ? inflate(bytes + header, data, bundle) : unpack_zstd(bytes + header, data, bundle, version != 1);
  if (!done) throw Fault("the code is a compressed bundle that is damaged");
  return bundle;
}

}  // namespace hipport::emulate
