// SPDX-License-Identifier: MIT
#include "callers.h"

#include <link.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace hipport::emulate {
namespace {

constexpr std::string_view kLibrary = "libamdhip64.so.";
constexpr unsigned kLargestMinor = 99;

bool contains(const dl_phdr_info& file, uintptr_t address) {
  for (unsigned i = 0; i < file.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = file.dlpi_phdr[i];
    if (part.p_type == PT_LOAD && address - file.dlpi_addr - part.p_vaddr < part.p_memsz) return true;
  }
  return false;
}

const ElfW(Dyn)* dynamic_section(const dl_phdr_info& file) {
  for (unsigned i = 0; i < file.dlpi_phnum; ++i)
    if (file.dlpi_phdr[i].p_type == PT_DYNAMIC)
      return reinterpret_cast<const ElfW(Dyn)*>(file.dlpi_addr + file.dlpi_phdr[i].p_vaddr);
  return nullptr;
}

// Return the texts that a file's dynamic section has with a tag.
std::vector<std::string> texts(const dl_phdr_info& file, ElfW(Sxword) tag) {
  std::vector<std::string> found;
  const ElfW(Dyn)* const first = dynamic_section(file);
  const char* names = nullptr;
  for (const ElfW(Dyn)* entry = first; entry != nullptr && entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(entry->d_un.d_ptr);
  for (const ElfW(Dyn)* entry = first; names != nullptr && entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == tag) found.emplace_back(names + entry->d_un.d_val);
  return found;
}

// Return the number that a text begins with, or `otherwise`.
unsigned number_of(std::string_view text, unsigned otherwise) {
  unsigned number = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

void add_folders(std::string_view paths, std::vector<std::string>& to) {
  while (!paths.empty()) {
    const size_t end = std::min(paths.find(':'), paths.size());
    to.emplace_back(paths.substr(0, end));
    paths.remove_prefix(std::min(end + 1, paths.size()));
  }
}

// Return the minor number of release 5 as it is installed where the file looks for it: libamdhip64.so.5.2.50200. The
// emulator's own library has no such name.
unsigned installed_minor(const dl_phdr_info& file) {
  std::vector<std::string> folders;
  for (const auto tag : {DT_RPATH, DT_RUNPATH})
    for (const std::string& paths : texts(file, tag)) add_folders(paths, folders);
  const char* const more = std::getenv("LD_LIBRARY_PATH");
  add_folders(more != nullptr ? more : "", folders);
  add_folders("/opt/rocm/lib:/usr/lib/x86_64-linux-gnu:/usr/lib64:/usr/lib", folders);
  const std::string start = std::string(kLibrary) + "5.";
  for (const std::string& folder : folders) {
    std::error_code error;
    const auto path = std::filesystem::canonical(std::filesystem::path(folder) / (std::string(kLibrary) + "5"), error);
    const std::string name = error ? "" : path.filename().string();
    if (name.starts_with(start)) return number_of(std::string_view(name).substr(start.size()), kLargestMinor);
  }
  return kLargestMinor;
}

unsigned release_of(const dl_phdr_info& file) {
  for (const std::string& name : texts(file, DT_NEEDED)) {
    if (!name.starts_with(kLibrary)) continue;
    const unsigned major = number_of(std::string_view(name).substr(kLibrary.size()), kLargestMinor);
    return 100 * major + (major == 5 ? installed_minor(file) : 0);
  }
  return 100 * kLargestMinor;
}

struct Caller {
  uintptr_t address;
  unsigned release = 100 * kLargestMinor;
};

int look_at(dl_phdr_info* file, size_t, void* data) {
  Caller& caller = *static_cast<Caller*>(data);
  if (!contains(*file, caller.address)) return 0;
  caller.release = release_of(*file);
  return 1;
}

}  // namespace

unsigned linked_release(void* address) {
  Caller caller{reinterpret_cast<uintptr_t>(address)};
  dl_iterate_phdr(&look_at, &caller);
  return caller.release;
}

}  // namespace hipport::emulate
