// SPDX-License-Identifier: MIT
#include "code_object.h"

#include "allowed_memory.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <sys/mman.h>

namespace hipport::emulate {
namespace {

constexpr unsigned kRelative64 = 13, kAbsolute64 = 3;  // R_AMDGPU_*
constexpr unsigned kMetadataNote = 32;                 // NT_AMDGPU_METADATA

// Reads MessagePack values as far as the metadata of kernels needs them.
class Metadata {
 public:
  Metadata(const uint8_t* bytes, size_t size) : at_(bytes), end_(bytes + size) {}

  // Call `member(key)` for each member of a map, which must read the value; or skip the value.
  template <typename F>
  void map(F member) {
    const uint64_t count = length(0x80, 0x0f, 0xde, 0xdf, 0);
    for (uint64_t i = 0; i < count; ++i) {
      const std::string key = text();
      member(key);
    }
  }
  template <typename F>
  void array(F element) {
    const uint64_t count = length(0x90, 0x0f, 0xdc, 0xdd, 0);
    for (uint64_t i = 0; i < count; ++i) element();
  }
  std::string text() {
    const uint64_t count = length(0xa0, 0x1f, 0xda, 0xdb, 0xd9);
    need(count);
    std::string found(reinterpret_cast<const char*>(at_), count);
    at_ += count;
    return found;
  }
  uint64_t number() {
    const uint8_t kind = byte();
    if (kind < 0x80) return kind;
    switch (kind) {
      case 0xc2: return 0;
      case 0xc3: return 1;
      case 0xcc:
      case 0xd0: return bytes(1);
      case 0xcd:
      case 0xd1: return bytes(2);
      case 0xca:  // floating-point numbers, which are only skipped
      case 0xce:
      case 0xd2: return bytes(4);
      case 0xcb:
      case 0xcf:
      case 0xd3: return bytes(8);
      default: throw Fault("the metadata of a code object cannot be read");
    }
  }
  void skip() {
    need(1);
    const uint8_t kind = *at_;
    if ((kind & 0xf0) == 0x80 || kind == 0xde || kind == 0xdf) {
      for (uint64_t left = 2 * length(0x80, 0x0f, 0xde, 0xdf, 0); left > 0; --left) skip();  // keys may be numbers
      return;
    }
    if ((kind & 0xf0) == 0x90 || kind == 0xdc || kind == 0xdd) return array([this] { skip(); });
    if ((kind & 0xe0) == 0xa0 || (kind >= 0xd9 && kind <= 0xdb)) return void(text());
    if (kind == 0xc0 || kind >= 0xe0) return void(byte());
    number();
  }

 private:
  void need(uint64_t count) const {
    if (count > uint64_t(end_ - at_)) throw Fault("the metadata of a code object ends early");
  }
  uint8_t byte() {
    need(1);
    return *at_++;
  }
  uint64_t bytes(unsigned count) {
    uint64_t value = 0;
    for (unsigned i = 0; i < count; ++i) value = value << 8 | byte();
    return value;
  }
  uint64_t length(uint8_t fixed, uint8_t mask, uint8_t two, uint8_t four, uint8_t one) {
    const uint8_t kind = byte();
    if (one != 0 && kind == one) return bytes(1);
    if (kind == two) return bytes(2);
    if (kind == four) return bytes(4);
    if ((kind & ~mask) != fixed) throw Fault("the metadata of a code object is not as expected");
    return kind & mask;
  }

  const uint8_t *at_, *end_;
};

Argument read_argument(Metadata& data) {
  Argument argument;
  data.map([&](const std::string& key) {
    if (key == ".value_kind")
      argument.kind = data.text();
    else if (key == ".offset")
      argument.offset = unsigned(data.number());
    else if (key == ".size")
      argument.size = unsigned(data.number());
    else
      data.skip();
  });
  return argument;
}

template <typename T>
const T* at(const uint8_t* image, size_t size, uint64_t offset, uint64_t count = 1) {
  if (offset > size || count > (size - offset) / sizeof(T))
    throw Fault("a code object is shorter than its headers say");
  return reinterpret_cast<const T*>(image + offset);
}

Descriptor read_descriptor(const uint8_t* bytes) {
  Descriptor found;
  std::memcpy(&found.local_bytes, bytes, 4);
  std::memcpy(&found.private_bytes, bytes + 4, 4);
  std::memcpy(&found.argument_bytes, bytes + 8, 4);
  std::memcpy(&found.entry, bytes + 16, 8);
  std::memcpy(&found.resources3, bytes + 44, 4);
  std::memcpy(&found.resources1, bytes + 48, 4);
  std::memcpy(&found.resources2, bytes + 52, 4);
  std::memcpy(&found.properties, bytes + 56, 2);
  return found;
}

}  // namespace

CodeObject::CodeObject(const uint8_t* image, size_t size, const Processor& processor) : processor_(&processor) {
  load(image, size);
  read_symbols(image, size);
  read_lines(image, size);
}

CodeObject::~CodeObject() {
  if (memory_ != nullptr) munmap(memory_, bytes_);
}

void CodeObject::load(const uint8_t* image, size_t size) {
  const auto* header = at<Elf64_Ehdr>(image, size, 0);
  if (std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_machine != 224)
    throw Fault("a code object is not an ELF file for AMD GPUs");
  const auto* segments = at<Elf64_Phdr>(image, size, header->e_phoff, header->e_phnum);
  for (unsigned i = 0; i < header->e_phnum; ++i)
    if (segments[i].p_type == PT_LOAD) bytes_ = std::max<size_t>(bytes_, segments[i].p_vaddr + segments[i].p_memsz);
  void* const memory = mmap(nullptr, bytes_ + 256, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw Fault("there is no memory for a code object");
  memory_ = static_cast<uint8_t*>(memory);
  allow_memory(memory_, bytes_);
  for (unsigned i = 0; i < header->e_phnum; ++i) {
    const Elf64_Phdr& segment = segments[i];
    if (segment.p_type == PT_LOAD) {
      const uint8_t* from = at<uint8_t>(image, size, segment.p_offset, segment.p_filesz);
      std::memcpy(memory_ + segment.p_vaddr, from, segment.p_filesz);
      if (segment.p_flags & PF_X) {
        code_at_ = segment.p_vaddr;
        code_bytes_ = segment.p_memsz;
      }
    } else if (segment.p_type == PT_NOTE) {
      read_metadata(at<uint8_t>(image, size, segment.p_offset, segment.p_filesz), segment.p_filesz);
    }
  }
}

void CodeObject::read_metadata(const uint8_t* notes, size_t size) {
  for (size_t at_note = 0; at_note + sizeof(Elf64_Nhdr) <= size;) {
    const auto* note = at<Elf64_Nhdr>(notes, size, at_note);
    const size_t name = at_note + sizeof *note, content = name + (note->n_namesz + 3) / 4 * 4;
    at<uint8_t>(notes, size, content, note->n_descsz);
    if (note->n_type == kMetadataNote) {
      Metadata data(notes + content, note->n_descsz);
      data.map([&](const std::string& key) {
        if (key == "amdhsa.printf") return data.array([&] { add_format(formats_, data.text()); });
        if (key != "amdhsa.kernels") return data.skip();
        data.array([&] {
          Kernel kernel;
          std::string symbol;
          data.map([&](const std::string& member) {
            if (member == ".symbol")
              symbol = data.text();
            else if (member == ".name")
              kernel.name = data.text();
            else if (member == ".wavefront_size")
              kernel.lanes = unsigned(data.number());
            else if (member == ".vgpr_count")
              kernel.vector_registers = unsigned(data.number());
            else if (member == ".sgpr_count")
              kernel.scalar_registers = unsigned(data.number());
            else if (member == ".max_flat_workgroup_size")
              kernel.most_threads = unsigned(data.number());
            else if (member == ".args")
              data.array([&] { kernel.arguments.push_back(read_argument(data)); });
            else
              data.skip();
          });
          kernels_[symbol] = std::move(kernel);
        });
      });
    }
    at_note = content + (note->n_descsz + 3) / 4 * 4;
  }
}

void CodeObject::read_symbols(const uint8_t* image, size_t size) {
  const auto* header = at<Elf64_Ehdr>(image, size, 0);
  const auto* sections = at<Elf64_Shdr>(image, size, header->e_shoff, header->e_shnum);
  std::map<std::string, Kernel> by_name;
  const Elf64_Sym* symbols = nullptr;
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    const bool is_dynamic = sections[i].sh_type == SHT_DYNSYM;
    // Variables of anonymous namespaces are only in the other table.
    if ((!is_dynamic && sections[i].sh_type != SHT_SYMTAB) || sections[i].sh_link >= header->e_shnum) continue;
    const uint64_t count = sections[i].sh_size / sizeof(Elf64_Sym);
    const auto* table = at<Elf64_Sym>(image, size, sections[i].sh_offset, count);
    if (is_dynamic) symbols = table;
    const Elf64_Shdr& strings = sections[sections[i].sh_link];
    const char* texts = at<char>(image, size, strings.sh_offset, strings.sh_size);
    for (uint64_t k = 0; k < count; ++k) {
      if (table[k].st_name >= strings.sh_size || table[k].st_shndx == SHN_UNDEF) continue;
      const std::string name(texts + table[k].st_name,
                             strnlen(texts + table[k].st_name, strings.sh_size - table[k].st_name));
      const auto kernel = kernels_.find(name);
      if (kernel != kernels_.end() && table[k].st_value + 64 <= bytes_) {
        Kernel& found = kernel->second;
        found.descriptor = read_descriptor(memory_ + table[k].st_value);
        found.entry_address =
            reinterpret_cast<uint64_t>(memory_) + table[k].st_value + uint64_t(found.descriptor.entry);
        by_name[name.substr(0, name.size() - 3)] = found;
      } else if (ELF64_ST_TYPE(table[k].st_info) == STT_OBJECT) {
        variables_[name] = {memory_ + table[k].st_value, table[k].st_size};
      }
    }
  }
  kernels_ = std::move(by_name);
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_RELA) continue;
    const uint64_t count = sections[i].sh_size / sizeof(Elf64_Rela);
    const auto* entries = at<Elf64_Rela>(image, size, sections[i].sh_offset, count);
    for (uint64_t k = 0; k < count; ++k) {
      if (entries[k].r_offset + 8 > bytes_) throw Fault("a relocation is outside of its code object");
      uint64_t value = reinterpret_cast<uint64_t>(memory_) + uint64_t(entries[k].r_addend);
      const unsigned type = ELF64_R_TYPE(entries[k].r_info);
      if (type == kAbsolute64 && symbols != nullptr)
        value += symbols[ELF64_R_SYM(entries[k].r_info)].st_value;
      else if (type != kRelative64)
        throw Fault("a code object has a relocation of type " + std::to_string(type));
      std::memcpy(memory_ + entries[k].r_offset, &value, 8);
    }
  }
}

// Read the line tables at once: a program may free the image of a module.
void CodeObject::read_lines(const uint8_t* image, size_t size) {
  const auto* header = at<Elf64_Ehdr>(image, size, 0);
  const auto* sections = at<Elf64_Shdr>(image, size, header->e_shoff, header->e_shnum);
  if (header->e_shstrndx >= header->e_shnum) return;
  const Elf64_Shdr& strings = sections[header->e_shstrndx];
  const char* texts = at<char>(image, size, strings.sh_offset, strings.sh_size);
  DebugSections found;
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_PROGBITS || sections[i].sh_name >= strings.sh_size) continue;
    if (sections[i].sh_flags & SHF_COMPRESSED) continue;
    const std::string_view name(texts + sections[i].sh_name,
                                strnlen(texts + sections[i].sh_name, strings.sh_size - sections[i].sh_name));
    std::string_view* const to = name == ".debug_line"       ? &found.line
                                 : name == ".debug_line_str" ? &found.line_strings
                                 : name == ".debug_str"      ? &found.strings
                                                             : nullptr;
    if (to != nullptr)
      *to = {at<char>(image, size, sections[i].sh_offset, sections[i].sh_size), size_t(sections[i].sh_size)};
  }
  if (!found.line.empty()) lines_ = LineTable(found);
}

const Kernel* CodeObject::kernel(const std::string& name) const {
  const auto found = kernels_.find(name);
  return found == kernels_.end() ? nullptr : &found->second;
}

Program& CodeObject::program(unsigned lanes) {
  const std::lock_guard lock(decoding_);  // several threads of the host may launch kernels
  std::unique_ptr<Program>& found = programs_[lanes == 64];
  if (found == nullptr) {
    found = std::make_unique<Program>(*processor_, memory_ + code_at_, code_bytes_, lanes);
    found->set_lines(&lines_, code_at_);
  }
  return *found;
}

std::string CodeObject::name_at(uint64_t address) const {
  for (const auto& [name, kernel] : kernels_)
    if (kernel.entry_address == address) return name;
  for (const auto& [name, place] : variables_)
    if (reinterpret_cast<uint64_t>(place.first) == address) return name;
  return "";
}

void* CodeObject::variable(const std::string& name, size_t* size) const {
  const auto found = variables_.find(name);
  if (found == variables_.end()) return nullptr;
  if (size != nullptr) *size = found->second.second;
  return found->second.first;
}

}  // namespace hipport::emulate
