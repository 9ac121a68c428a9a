// SPDX-License-Identifier: MIT
// Finds the static shared memory and the launch bounds of a kernel in the program's own symbol table.
//
// Every shared declaration instantiates `shared<T>(tag)`, which has a variable `footprint` of the size of T. The
// symbol's name contains the function around the declaration. Shared memory of device functions that a kernel calls is
// not counted. Launch bounds are recorded in the same way: the footprint of `launch_bounds<n>(tag)` has n bytes.
#pragma once

#include "../../trace/demangle.h"
#include "block.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace hipport::cpu {

using trace::demangled;

// A file mapped into memory, read-only.
class MappedFile {
 public:
  explicit MappedFile(const char* path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info{};
    if (file < 0) return;
    if (fstat(file, &info) == 0) {
      size_ = static_cast<size_t>(info.st_size);
      void* memory = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
      data_ = memory == MAP_FAILED ? nullptr : static_cast<const char*>(memory);
    }
    close(file);
  }
  ~MappedFile() {
    if (data_ != nullptr) munmap(const_cast<char*>(data_), size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // Return `count` objects at an offset, or null if they are beyond the end of the file.
  template <typename T>
  const T* at(size_t offset, size_t count = 1) const {
    if (data_ == nullptr || offset > size_ || count > (size_ - offset) / sizeof(T)) return nullptr;
    return reinterpret_cast<const T*>(data_ + offset);
  }

 private:
  const char* data_ = nullptr;
  size_t size_ = 0;
};

// The functions and footprints in one object file.
struct SymbolTable {
  struct Entry {
    uintptr_t address;
    size_t size;
    const char* name;
  };
  std::unique_ptr<MappedFile> file;
  std::vector<Entry> functions, footprints;
};

inline void read_symbols(SymbolTable& table, uintptr_t base) {
  const auto* header = table.file->at<ElfW(Ehdr)>(0);
  if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return;
  const auto* sections = table.file->at<ElfW(Shdr)>(header->e_shoff, header->e_shnum);
  for (int i = 0; sections != nullptr && i < header->e_shnum; ++i) {
    const ElfW(Shdr)& section = sections[i];
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= header->e_shnum) continue;
    const size_t count = section.sh_size / sizeof(ElfW(Sym));
    const auto* symbols = table.file->at<ElfW(Sym)>(section.sh_offset, count);
    for (size_t j = 0; symbols != nullptr && j < count; ++j) {
      const ElfW(Sym)& symbol = symbols[j];
      const char* name = table.file->at<char>(sections[section.sh_link].sh_offset + symbol.st_name);
      if (name == nullptr) continue;
      const auto type = ELF64_ST_TYPE(symbol.st_info);
      if (type == STT_FUNC) table.functions.push_back({base + symbol.st_value, symbol.st_size, name});
      if (type == STT_OBJECT && std::strstr(name, "footprint") != nullptr)
        table.footprints.push_back({base + symbol.st_value, symbol.st_size, name});
    }
  }
}

inline int read_object(dl_phdr_info* info, size_t, void* tables) {
  const char* path = info->dlpi_name[0] != '\0' ? info->dlpi_name : "/proc/self/exe";
  SymbolTable table{std::make_unique<MappedFile>(path), {}, {}};
  read_symbols(table, info->dlpi_addr);
  static_cast<std::vector<SymbolTable>*>(tables)->push_back(std::move(table));
  return 0;
}

// Return the name, without return type, of the function that begins at an address; empty if the object has no symbol
// for it.
inline std::string function_name(const SymbolTable& table, const void* address) {
  for (const SymbolTable::Entry& function : table.functions) {
    if (function.address != reinterpret_cast<uintptr_t>(address)) continue;
    const std::string name = demangled(function.name);
    return name.rfind("void ", 0) == 0 ? name.substr(5) : name;
  }
  return "";
}

inline std::string function_name(const std::vector<SymbolTable>& tables, const void* address) {
  for (const SymbolTable& table : tables)
    if (std::string name = function_name(table, address); !name.empty()) return name;
  return "";
}

// Return whether a footprint belongs to a declaration inside a function. Tags are lambdas, which g++ and clang++ mangle
// differently.
inline bool is_inside(const std::string& footprint, const std::string& function) {
  return footprint.find(function + "::{lambda") != std::string::npos ||
         footprint.find(function + "::$_") != std::string::npos;
}

// Sum the sizes of the footprints in a kernel that belong to `declared_by`; return false if the program has no symbols.
HIPPORT_RUNTIME bool declared_bytes(const void* kernel, const char* declared_by, size_t* bytes) {
  std::vector<SymbolTable> tables;
  dl_iterate_phdr(&read_object, &tables);
  // Several modules may have kernels of the same name: only the object that contains the kernel counts.
  for (const SymbolTable& table : tables) {
    const std::string function = function_name(table, kernel);
    if (function.empty()) continue;
    *bytes = 0;
    for (const SymbolTable::Entry& footprint : table.footprints) {
      const std::string name = demangled(footprint.name);
      if (is_inside(name, function) && name.find(declared_by) != std::string::npos) *bytes += footprint.size;
    }
    return true;
  }
  return false;
}

inline bool static_shared_bytes(const void* kernel, size_t* bytes) {
  return declared_bytes(kernel, "cpu::shared<", bytes);
}

// The translator inserts a call of this into kernels with `__launch_bounds__(Threads)`.
template <size_t Threads, typename Tag>
void launch_bounds(Tag) {
  [[gnu::used]] static char footprint[Threads];  // never touched, so it takes no memory
}

// Return the largest block size of a kernel; the symbol table is searched once per kernel.
HIPPORT_RUNTIME unsigned launch_bound(const void* kernel) {
  static std::mutex mutex;
  static std::map<const void*, unsigned> known;
  std::lock_guard<std::mutex> lock(mutex);
  const auto [place, is_new] = known.try_emplace(kernel, max_threads);
  size_t bound = 0;
  if (is_new && declared_bytes(kernel, "cpu::launch_bounds<", &bound) && bound > 0)
    place->second = static_cast<unsigned>(std::min<size_t>(bound, max_threads));
  return place->second;
}

}  // namespace hipport::cpu
