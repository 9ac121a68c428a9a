// SPDX-License-Identifier: MIT
// The rules are those of clang's offload bundler and of LLVM's AMDGPU user guide: "Target ID", "Generic processors".
#include "targets.h"

#include "operation.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <elf.h>
#include <map>
#include <string_view>
#include <utility>

namespace hipport::emulate {
namespace {

// The GPUs that are emulated, the first one of equal ones first: data centers, then the others by age.
constexpr std::array<std::string_view, 7> kGpus = {"gfx90a",  "gfx942",  "gfx950", "gfx1030",
                                                   "gfx1100", "gfx1151", "gfx1201"};

// The emulated GPUs of each family that generic code is for.
const std::multimap<std::string_view, std::string_view>& families() {
  static const std::multimap<std::string_view, std::string_view> all = {
      {"gfx9-4-generic", "gfx942"}, {"gfx9-4-generic", "gfx950"}, {"gfx10-3-generic", "gfx1030"},
      {"gfx11-generic", "gfx1100"}, {"gfx11-generic", "gfx1151"}, {"gfx12-generic", "gfx1201"}};
  return all;
}

// EF_AMDGPU_MACH
std::string processor_name(unsigned flags) {
  static const std::map<unsigned, std::string_view> names = {
      {0x3f, "gfx90a"},        {0x4c, "gfx942"},        {0x4f, "gfx950"},         {0x36, "gfx1030"},
      {0x41, "gfx1100"},       {0x4a, "gfx1151"},       {0x4e, "gfx1201"},        {0x5f, "gfx9-4-generic"},
      {0x54, "gfx11-generic"}, {0x59, "gfx12-generic"}, {0x53, "gfx10-3-generic"}};
  const auto found = names.find(flags & 0xff);
  return found == names.end() ? "another GPU (EF_AMDGPU_MACH " + std::to_string(flags & 0xff) + ")"
                              : std::string(found->second);
}

// Return the target in an ELF header. From code object version 4 on each feature has two bits: 2 is off, 3 is on.
std::string target_of(const Elf64_Ehdr& header) {
  std::string target = processor_name(header.e_flags);
  if (header.e_ident[EI_ABIVERSION] < 2) return target;
  for (const auto& [name, shift] : {std::pair<const char*, unsigned>{"sramecc", 10}, {"xnack", 8}}) {
    const unsigned setting = header.e_flags >> shift & 3;
    if (setting >= 2) target += std::string(":") + name + (setting == 2 ? "-" : "+");
  }
  return target;
}

// Return the features of a target: xnack and '-'.
std::map<std::string, char> features_of(const std::string& target) {
  std::map<std::string, char> all;
  for (size_t at = target.find(':'); at != target.npos;) {
    const size_t next = target.find(':', at + 1);
    const std::string feature = target.substr(at + 1, next == target.npos ? next : next - at - 1);
    if (!feature.empty()) all[feature.substr(0, feature.size() - 1)] = feature.back();
    at = next;
  }
  return all;
}

template <typename T>
T value_at(const uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

constexpr char kBundleMagic[] = "__CLANG_OFFLOAD_BUNDLE__";
constexpr size_t kMagicBytes = sizeof kBundleMagic - 1;
constexpr int kGeneric = 1, kExact = 3;

int processor_fitness(const std::string& code, const std::string& gpu) {
  if (code == gpu) return kExact;
  const auto [first, last] = families().equal_range(code);
  return std::any_of(first, last, [&](const auto& member) { return member.second == gpu; }) ? kGeneric : 0;
}

}  // namespace

std::string processor_of(const std::string& target) { return target.substr(0, target.find(':')); }

std::vector<Entry> entries_of(const uint8_t* image) {
  if (std::memcmp(image, ELFMAG, SELFMAG) == 0) {
    const auto header = value_at<Elf64_Ehdr>(image);
    return {{target_of(header), image, header.e_shoff + size_t(header.e_shentsize) * header.e_shnum}};
  }
  if (std::memcmp(image, kBundleMagic, kMagicBytes) != 0) throw Fault("an image is neither a bundle nor a code object");
  std::vector<Entry> all;
  const uint8_t* at = image + kMagicBytes + 8;
  for (uint64_t left = value_at<uint64_t>(image + kMagicBytes); left > 0; --left) {
    const auto offset = value_at<uint64_t>(at), size = value_at<uint64_t>(at + 8), length = value_at<uint64_t>(at + 16);
    const std::string id(reinterpret_cast<const char*>(at + 24), length);
    at += 24 + length;
    const size_t start = id.rfind("gfx");
    if (id.rfind("hip", 0) == 0 && start != id.npos && size != 0)
      all.push_back({id.substr(start), image + offset, size});
  }
  return all;
}

int fitness(const std::string& code, const std::string& gpu) {
  const int fit = processor_fitness(processor_of(code), processor_of(gpu));
  const std::map<std::string, char> fixed = features_of(gpu);
  bool is_usual = true;
  for (const auto& [name, sign] : features_of(code)) {
    const auto found = fixed.find(name);
    if (found != fixed.end() && found->second != sign) return 0;
    is_usual &= found != fixed.end() || sign == (name == "xnack" ? '-' : '+');
  }
  return fit == 0 ? 0 : fit + is_usual;
}

const Entry* best_entry(const std::vector<Entry>& entries, const std::string& gpu) {
  const auto best = std::max_element(entries.begin(), entries.end(), [&](const Entry& one, const Entry& other) {
    return fitness(one.target, gpu) < fitness(other.target, gpu);
  });
  return best == entries.end() || fitness(best->target, gpu) == 0 ? nullptr : &*best;
}

std::string best_gpu(const std::vector<std::vector<Entry>>& images) {
  std::pair<unsigned, int> most;
  std::string best;
  for (const std::string_view name : kGpus) {
    std::pair<unsigned, int> found;
    for (const std::vector<Entry>& entries : images) {
      const Entry* const entry = best_entry(entries, std::string(name));
      if (entry == nullptr) continue;
      ++found.first;
      found.second += fitness(entry->target, std::string(name));
    }
    if (found <= most) continue;
    most = found;
    best = name;
  }
  return best;
}

std::string named(const std::vector<Entry>& entries) {
  std::string all;
  for (const Entry& entry : entries) all += (all.empty() ? "" : ", ") + entry.target;
  return all;
}

}  // namespace hipport::emulate
