// SPDX-License-Identifier: MIT
// Image instructions: what they compute is what the textures of the CPU target compute.
#include <hip/hip_runtime_api.h>

#include "formats.h"
#include "images.h"
#include "wave.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace hipport::emulate {
namespace {

enum class Action : uint8_t { kLoad, kStore, kSample, kGather, kFetch };
// As the encodings number them; those of gfx90a have none, and take the image's.
// What says which level of a mipmap is read; the largest one, if nothing does.
enum class Detail : uint8_t { kNone, kLevel, kBias, kGradients };
enum class Shape : uint8_t { kLine, kPlane, kVolume, kCube, kLines, kPlanes, kOfImage = 255 };
constexpr unsigned kMostAddresses = 12;

// An instruction, found in op->extra.
struct ImageAccess {
  Action action;
  Shape shape = Shape::kOfImage;
  uint8_t mask = 1;    // components
  bool array = false;  // on gfx90a
  Detail detail = Detail::kNone;
  bool has_least = false;  // behind the coordinates is the least level
  bool half_addresses = false, half_data = false;
  uint16_t data = 0, resource = 0;             // registers
  const FormattedAccess* formatted = nullptr;  // of loads from a buffer that is no texture
  uint16_t addresses[kMostAddresses] = {};
};

// Four components, as integers or as the bits of floating-point numbers.
struct Texel {
  uint32_t words[4];
};

bool is_integer(const __hip_texture& texture) {
  return texture.how.readMode == hipReadModeElementType && texture.desc.f != hipChannelFormatKindFloat;
}

template <typename T>
Texel completed(const __hip_texture& texture, T value) {
  Texel texel = std::bit_cast<Texel>(value);
  const int bits[4] = {texture.desc.x, texture.desc.y, texture.desc.z, texture.desc.w};
  const bool is_signed = texture.desc.f == hipChannelFormatKindSigned;
  for (int i = 0; i < 4; ++i)
    if (is_integer(texture) && is_signed && bits[i] != 0)
      texel.words[i] = uint32_t(int32_t(texel.words[i] << (32 - bits[i])) >> (32 - bits[i]));
  if (bits[3] == 0) texel.words[3] = is_integer(texture) ? 1 : std::bit_cast<uint32_t>(1.0f);
  return texel;
}

struct Place {
  float x = 0, y = 0, z = 0;
};

// Coordinates have 8 fractional bits: those that were divided by a size must not fall into the texel before.
float rounded(float at) { return std::floor(at * 256.0f + 0.5f) / 256.0f; }

// A layer is behind the coordinates of its image: how addresses outside are handled does not apply to it.
template <typename T>
Texel filtered(const __hip_texture& texture, Place at, int dimensions, long layer) {
  if (dimensions < 2) at.y = 0;
  if (dimensions < 3) at.z = 0;
  if (texture.how.filterMode == hipFilterModePoint) at = {rounded(at.x), rounded(at.y), rounded(at.z)};
  return completed(texture, hipport::cpu::filtered<T>(texture, at.x, at.y, at.z, dimensions, layer));
}

long nearest(float layer, size_t count) {
  return std::clamp<long>(std::lrint(layer), 0, long(hipport::cpu::or_one(count)) - 1);
}

template <typename T>
Texel sampled(const __hip_texture& texture, Place at, Shape shape) {
  const bool cube = shape == Shape::kCube;
  Place scaled = at;
  if (texture.how.normalizedCoords || cube)
    scaled = {at.x * float(texture.width), at.y * float(texture.height), at.z * float(texture.depth)};
  switch (shape) {
    case Shape::kLine: return filtered<T>(texture, scaled, 1, 0);
    case Shape::kLines: return filtered<T>(texture, scaled, 1, nearest(at.y, texture.depth));
    case Shape::kPlanes: return filtered<T>(texture, scaled, 2, nearest(at.z, texture.depth));
    case Shape::kVolume: return filtered<T>(texture, scaled, 3, 0);
    case Shape::kCube: {  // the number of the face, and 8 times that of the cube
      const long number = std::lrint(at.z);
      return filtered<T>(texture, scaled, 2, hipport::cpu::layer_of(texture, int(number / 8 * 6 + number % 8)));
    }
    default: return filtered<T>(texture, scaled, 2, 0);
  }
}

template <typename T>
Texel gathered(const __hip_texture& texture, Place at, unsigned mask) {
  Texel texel{};
  const auto four = hipport::cpu::gather<T>(texture, at.x, at.y, std::countr_zero(mask));
  std::memcpy(&texel, &four, sizeof texel);
  return texel;
}

// Return where an integer place is in memory, or null outside.
char* address(const __hip_texture& texture, const uint32_t (&at)[3], Shape shape) {
  const bool lines = shape == Shape::kLines;
  const size_t x = at[0], y = shape == Shape::kLine || lines ? 0 : at[1];
  size_t z = lines ? at[1] : shape == Shape::kLine || shape == Shape::kPlane ? 0 : at[2];
  if (shape == Shape::kCube) z = z / 8 * 6 + z % 8;
  using hipport::cpu::or_one;
  if (x >= or_one(texture.width) || y >= or_one(texture.height) || z >= or_one(texture.depth)) return nullptr;
  return const_cast<char*>(texture.data) + (y + z * or_one(texture.height)) * texture.row +
         x * hipport::cpu::element_bytes(texture.desc);
}

Texel loaded(const __hip_texture& texture, const char* from) {
  if (from == nullptr) return {};
  if (is_integer(texture)) return completed(texture, hipport::cpu::load_texel<uint4>(texture, from));
  return completed(texture, hipport::cpu::load_texel<float4>(texture, from));
}

void store(const __hip_texture& texture, char* to, const Texel& texel) {
  if (to == nullptr) return;
  const int bits[4] = {texture.desc.x, texture.desc.y, texture.desc.z, texture.desc.w};
  for (int i = 0; i < 4 && bits[i] != 0; to += bits[i] / 8, ++i) {
    uint32_t word = texel.words[i];
    if (texture.desc.f == hipChannelFormatKindFloat && bits[i] == 16)
      word = std::bit_cast<uint16_t>(_Float16(std::bit_cast<float>(word)));
    std::memcpy(to, &word, size_t(bits[i] / 8));
  }
}

const __hip_texture& image_of(const Wave& wave, const ImageAccess& access) {
  const uint32_t* const words = wave.scalars + access.resource;
  if (words[kImageMark] != kImageMagic)
    throw Fault("an image instruction reads a descriptor that no texture or surface object has");
  return *reinterpret_cast<const __hip_texture*>(wave.pair(access.resource + kImageAddress));
}

bool is_cube(const hipResourceDesc& resource) {
  if (resource.resType == hipResourceTypeArray) return (resource.res.array.array->flags & hipArrayCubemap) != 0;
  return resource.resType == hipResourceTypeMipmappedArray &&
         (resource.res.mipmap.mipmap->flags & hipArrayCubemap) != 0;
}

Shape shape_of(const __hip_texture& texture, const ImageAccess& access) {
  if (access.shape != Shape::kOfImage) return access.shape;
  if (is_cube(texture.resource)) return Shape::kCube;
  if (access.array) return texture.height == 0 ? Shape::kLines : Shape::kPlanes;
  // One slice is a plane: instructions for a plane have no third coordinate, and the next register may hold anything.
  return texture.height == 0 ? Shape::kLine : texture.depth <= 1 ? Shape::kPlane : Shape::kVolume;
}

unsigned gradients(Shape shape) {
  return shape == Shape::kLine || shape == Shape::kLines ? 2 : shape == Shape::kVolume ? 6 : 4;
}

// Return an address component as the bits of a number of 32 bits.
uint32_t component(Wave& wave, const ImageAccess& access, unsigned lane, unsigned number, bool is_float) {
  if (!access.half_addresses) return wave.v(access.addresses[number])[lane];
  const uint16_t half = uint16_t(wave.v(access.addresses[number / 2])[lane] >> (number % 2 * 16));
  return is_float ? std::bit_cast<uint32_t>(float(std::bit_cast<_Float16>(half))) : half;
}

// Return the level of detail that an instruction asks for. Coordinates are behind a bias or the gradients.
float level_of(Wave& wave, const ImageAccess& access, const __hip_texture& texture, Shape shape, unsigned lane,
               unsigned behind) {
  const auto number = [&](unsigned i) { return std::bit_cast<float>(component(wave, access, lane, i, true)); };
  float level = 0.0f;
  if (access.detail == Detail::kLevel) level = number(behind);
  if (access.detail == Detail::kBias) level = number(0);
  if (access.detail == Detail::kGradients) {
    float across[3] = {}, down[3] = {};
    const unsigned count = gradients(shape) / 2;
    for (unsigned i = 0; i < count; ++i) across[i] = number(i), down[i] = number(count + i);
    level = hipport::cpu::level_of(texture, across, down);
  }
  return access.has_least ? std::fmax(level, number(behind)) : level;
}

// Read a level of a texture, or a mean of two.
Texel sampled_at(const __hip_texture& texture, float level, Place at, Shape shape) {
  if (is_integer(texture))
    return std::bit_cast<Texel>(hipport::cpu::at_level<uint4>(texture, level, [&](const __hip_texture& one) {
      return std::bit_cast<uint4>(sampled<uint4>(one, at, shape));
    }));
  return std::bit_cast<Texel>(hipport::cpu::at_level<float4>(texture, level, [&](const __hip_texture& one) {
    return std::bit_cast<float4>(sampled<float4>(one, at, shape));
  }));
}

Texel read(Wave& wave, const ImageAccess& access, const __hip_texture& texture, unsigned lane) {
  const Shape shape = shape_of(texture, access);
  const bool by_float = access.action == Action::kSample || access.action == Action::kGather;
  const unsigned first = access.detail == Detail::kBias        ? 1
                         : access.detail == Detail::kGradients ? gradients(shape)
                                                               : 0;
  uint32_t at[3] = {};
  const unsigned count = shape == Shape::kLine ? 1 : shape == Shape::kPlane || shape == Shape::kLines ? 2 : 3;
  for (unsigned i = 0; i < count; ++i) at[i] = component(wave, access, lane, first + i, by_float);
  if (!by_float) return loaded(texture, address(texture, at, shape));
  const Place place = std::bit_cast<Place>(at);
  if (access.action == Action::kGather)
    return is_integer(texture) ? gathered<uint4>(texture, place, access.mask)
                               : gathered<float4>(texture, place, access.mask);
  const float level = texture.levels.empty() ? 0.0f : level_of(wave, access, texture, shape, lane, first + count);
  return sampled_at(texture, level, place, shape);
}

// Write the components of a mask to registers one after the other, with `half_data` two to each.
void write(Wave& wave, const ImageAccess& access, const __hip_texture& texture, unsigned lane, const Texel& texel) {
  const unsigned mask = access.action == Action::kGather ? 15u : access.mask;
  unsigned written = 0;
  for (unsigned i = 0; i < 4; ++i) {
    if (!(mask >> i & 1)) continue;
    if (!access.half_data) {
      wave.v(access.data + written++)[lane] = texel.words[i];
      continue;
    }
    const uint32_t half = is_integer(texture) ? texel.words[i] & 0xffff
                                              : std::bit_cast<uint16_t>(_Float16(std::bit_cast<float>(texel.words[i])));
    uint32_t& to = wave.v(access.data + written / 2)[lane];
    to = written % 2 == 0 ? half : to | half << 16;
    ++written;
  }
}

const Op* load_image(Wave& wave, const Op* op) {
  const ImageAccess& access = *static_cast<const ImageAccess*>(op->extra);
  const __hip_texture& texture = image_of(wave, access);
  for (uint64_t left = wave.exec(); left != 0; left &= left - 1) {
    const unsigned lane = unsigned(std::countr_zero(left));
    write(wave, access, texture, lane, read(wave, access, texture, lane));
  }
  return op + 1;
}

const Op* store_image(Wave& wave, const Op* op) {
  const ImageAccess& access = *static_cast<const ImageAccess*>(op->extra);
  const __hip_texture& texture = image_of(wave, access);
  const Shape shape = shape_of(texture, access);
  for (uint64_t left = wave.exec(); left != 0; left &= left - 1) {
    const unsigned lane = unsigned(std::countr_zero(left));
    uint32_t at[3] = {};
    const unsigned count = shape == Shape::kLine ? 1 : shape == Shape::kPlane || shape == Shape::kLines ? 2 : 3;
    for (unsigned i = 0; i < count; ++i) at[i] = component(wave, access, lane, i, false);
    Texel texel{};
    for (unsigned i = 0, from = access.data; i < 4; ++i)
      if (access.mask >> i & 1) texel.words[i] = wave.v(from++)[lane];
    store(texture, address(texture, at, shape), texel);
  }
  return op + 1;
}

// Loads from linear memory by an index.
const Op* fetch(Wave& wave, const Op* op) {
  const ImageAccess& access = *static_cast<const ImageAccess*>(op->extra);
  if (wave.scalars[access.resource + kImageMark] != kImageMagic) return run_formatted(wave, op, *access.formatted);
  const __hip_texture& texture = image_of(wave, access);
  for (uint64_t left = wave.exec(); left != 0; left &= left - 1) {
    const unsigned lane = unsigned(std::countr_zero(left));
    const size_t at = wave.v(access.addresses[0])[lane];
    const char* const from =
        at < texture.width ? texture.data + at * hipport::cpu::element_bytes(texture.desc) : nullptr;
    write(wave, access, texture, lane, loaded(texture, from));
  }
  return op + 1;
}

// Find the registers of addresses: one after the other, or as words after the instruction say.
void find_addresses(const Processor& processor, const Decoded& decoded, ImageAccess& access) {
  unsigned named = 1;
  access.addresses[0] = uint16_t(decoded.get("vaddr"));
  const auto name = [&](uint64_t number) { access.addresses[named++] = uint16_t(number); };
  if (processor.generation == 12) {
    for (const char* field : {"vaddr1", "vaddr2", "vaddr3"}) name(decoded.get(field));
    if (decoded.has("vaddr4")) name(decoded.get("vaddr4"));
  } else if (processor.generation >= 10) {
    const unsigned words = unsigned(decoded.get("nsa"));
    for (unsigned i = 0; i < 4 * words && named < kMostAddresses; ++i)
      name(decoded.addresses[i / 4] >> (i % 4 * 8) & 0xff);
  }
  for (; named < kMostAddresses; ++named) access.addresses[named] = uint16_t(access.addresses[named - 1] + 1);
}

bool taken(std::string_view& name, std::string_view start) {
  const bool found = name.substr(0, start.size()) == start;
  if (found) name.remove_prefix(start.size());
  return found;
}

// Describe an instruction by its name. Loads, stores and gathers access the largest level.
bool describe(std::string_view name, ImageAccess& access) {
  const auto is = [&](std::initializer_list<std::string_view> all) {
    for (const std::string_view one : all)
      if (name == one) return true;
    return false;
  };
  if (taken(name, "image_load")) return access.action = Action::kLoad, is({"", "_mip"});
  if (taken(name, "image_store")) return access.action = Action::kStore, is({"", "_mip"});
  const bool gathers = taken(name, "image_gather4");
  if (!gathers && !taken(name, "image_sample")) return false;
  access.action = gathers ? Action::kGather : Action::kSample;
  if (is({"_l"})) access.detail = Detail::kLevel;
  if (is({"_b", "_b_cl"})) access.detail = Detail::kBias;
  if (is({"_d", "_d_cl"})) access.detail = Detail::kGradients;
  access.has_least = name.ends_with("_cl");
  return is({"", "_cl", "_lz", "_l", "_b", "_b_cl", "_d", "_d_cl"});
}

bool bind_fetch(const Processor& processor, const Decoded& decoded, Op& op) {
  std::string_view name = decoded.name;
  if (!taken(name, "buffer_load_format_") || name[0] == 'd' || !decoded.get("idxen") || decoded.get("offen"))
    return false;
  auto* const access = new ImageAccess{Action::kFetch};  // as long as the program
  access->mask = uint8_t((1u << name.size()) - 1);       // x, xy, xyz, xyzw
  access->data = uint16_t(decoded.get("vdata"));
  access->addresses[0] = uint16_t(decoded.get("vaddr"));
  access->resource = uint16_t(decoded.get("srsrc") * (processor.generation < 12 ? 4 : 1));
  access->formatted = formatted_access(processor, decoded);
  op.extra = access;
  op.run = &fetch;
  return access->formatted != nullptr;
}

unsigned registers_of(const ImageAccess& access) {
  const unsigned components = access.action == Action::kGather ? 4 : unsigned(std::popcount(access.mask));
  return access.half_data ? (components + 1) / 2 : components;
}

}  // namespace

bool bind_images(const Processor& processor, const Decoded& decoded, Op& op) {
  if (bind_fetch(processor, decoded, op)) return true;
  ImageAccess access{};
  if (!describe(decoded.name, access) || decoded.get("tfe") || decoded.get("wide")) return false;
  access.mask = uint8_t(decoded.get("dmask"));
  if (decoded.has("dim")) access.shape = Shape(decoded.get("dim"));
  if (decoded.has("dim") && access.shape > Shape::kPlanes) return false;  // several samples for each pixel
  access.array = decoded.get("da");
  access.half_addresses = decoded.get("a16");
  access.half_data = decoded.get("d16");
  const bool stores = access.action == Action::kStore;
  if (access.half_addresses && access.detail == Detail::kGradients) return false;
  if (access.half_data && stores) return false;
  access.data = uint16_t(decoded.get("vdata"));
  access.resource = uint16_t(decoded.get("srsrc") * (processor.generation < 12 ? 4 : 1));
  find_addresses(processor, decoded, access);
  op.extra = new ImageAccess(access);  // as long as the program
  op.run = stores ? &store_image : &load_image;
  // For tools there is only a result.
  op.row = nullptr;
  op.operand_count = access.action != Action::kStore;
  op.operands[0] = {Bank::kVector, uint8_t(registers_of(access)), access.data, 0};
  return true;
}

}  // namespace hipport::emulate
