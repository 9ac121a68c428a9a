// SPDX-License-Identifier: MIT
// Loads shared libraries from memory.
#pragma once

#include "module_table.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace hipport::cpu {

// Return a description of an image that is not for this machine; null if it may be.
inline const char* foreign_image(const char* image) {
  if (std::strncmp(image, "__CLANG_OFFLOAD_BUNDLE__", 24) == 0 || std::strncmp(image, "CCOB", 4) == 0)
    return "a bundle for AMD GPUs";
  if (std::strncmp(image, ELFMAG, SELFMAG) != 0) return nullptr;
  constexpr int amd_gpu = 224, nvidia_gpu = 190;
  const int machine = reinterpret_cast<const ElfW(Ehdr)*>(image)->e_machine;
  return machine == amd_gpu ? "code for AMD GPUs" : machine == nvidia_gpu ? "code for NVIDIA GPUs" : nullptr;
}

// Return the size of an ELF image in bytes: the section header table is at its end. 0 if it is no ELF image.
inline size_t image_size(const char* image) {
  if (std::strncmp(image, ELFMAG, SELFMAG) != 0) return 0;
  const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(image);
  return header->e_shoff + size_t(header->e_shentsize) * header->e_shnum;
}

// A library loaded from memory, without a file on disk.
class Library {
 public:
  Library(const char* image, size_t size) : file_(memfd_create("hipport module", MFD_CLOEXEC)) {
    for (size_t done = 0; file_ >= 0 && done < size;) {
      const ssize_t written = write(file_, image + done, size - done);
      if (written <= 0) return;
      done += static_cast<size_t>(written);
    }
    // The file stays open: the loader identifies the library by this path, and its symbols are read from there.
    handle_ = dlopen(path().c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  ~Library() {
    if (handle_ != nullptr) dlclose(handle_);
    // The loader keeps a library whose thread-local objects are in use. Then the file stays open, so that no other
    // library gets the same path.
    if (file_ >= 0 && dlopen(path().c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD) == nullptr) close(file_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  bool is_open() const { return handle_ != nullptr; }

  void* symbol(const char* name, size_t* size = nullptr) const {
    void* address = dlsym(handle_, name);
    Dl_info info;
    const ElfW(Sym)* entry = nullptr;
    if (address == nullptr || size == nullptr) return address;
    if (dladdr1(address, &info, reinterpret_cast<void**>(const_cast<ElfW(Sym)**>(&entry)), RTLD_DL_SYMENT) != 0 &&
        entry != nullptr)
      *size = entry->st_size;
    return address;
  }

  // Return the library's module table; null if it is not a module.
  const ModuleTable* table() const {
    const auto ask = reinterpret_cast<const ModuleTable* (*)()>(symbol("hipport_module"));
    return ask == nullptr || ask()->version != module_version ? nullptr : ask();
  }

 private:
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

  int file_;
  void* handle_ = nullptr;
};

}  // namespace hipport::cpu
