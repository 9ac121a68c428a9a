// SPDX-License-Identifier: MIT
// Attributes of pointers. HIP 6 changed the numbers of memory types, but not the names of the functions: a program gets
// those of the library that it was linked with.
#include <hip/hip_runtime_api.h>
#include <link.h>

#include <string_view>

#define C_NAME(name) asm(#name)

namespace {

struct Caller {
  uintptr_t address;
  bool is_old = false;
};

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

// Return whether a loaded file was linked with HIP 4 or 5.
bool needs_old_library(const dl_phdr_info& file) {
  const ElfW(Dyn)* const first = dynamic_section(file);
  const char* names = nullptr;
  for (const ElfW(Dyn)* entry = first; entry != nullptr && entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(entry->d_un.d_ptr);
  for (const ElfW(Dyn)* entry = first; names != nullptr && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag != DT_NEEDED) continue;
    const std::string_view name = names + entry->d_un.d_val;
    if (name == "libamdhip64.so.4" || name == "libamdhip64.so.5") return true;
  }
  return false;
}

int look_at(dl_phdr_info* file, size_t, void* data) {
  Caller& caller = *static_cast<Caller*>(data);
  if (!contains(*file, caller.address)) return 0;
  caller.is_old = needs_old_library(*file);
  return 1;
}

hipMemoryType type_for(void* address, hipMemoryType type) {
  Caller caller{reinterpret_cast<uintptr_t>(address)};
  dl_iterate_phdr(&look_at, &caller);
  if (!caller.is_old) return type;
  switch (type) {
    case hipMemoryTypeDevice: return hipMemoryType(1);
    case hipMemoryTypeArray: return hipMemoryType(2);
    case hipMemoryTypeUnified: return hipMemoryType(3);
    case hipMemoryTypeManaged: return hipMemoryType(4);
    default: return hipMemoryType(0);  // of the host
  }
}

hipError_t attribute_for(void* caller, void* data, hipPointer_attribute attribute, hipDeviceptr_t pointer) {
  const hipError_t error = ::hipPointerGetAttribute(data, attribute, pointer);
  if (error != hipSuccess || attribute != HIP_POINTER_ATTRIBUTE_MEMORY_TYPE) return error;
  hipMemoryType& type = *static_cast<hipMemoryType*>(data);
  type = type_for(caller, type);
  return error;
}

}  // namespace

hipError_t emulated_attributes(hipPointerAttribute_t* attributes, const void* pointer) C_NAME(hipPointerGetAttributes);
hipError_t emulated_attributes(hipPointerAttribute_t* attributes, const void* pointer) {
  const hipError_t error = ::hipPointerGetAttributes(attributes, pointer);
  if (error == hipSuccess) attributes->type = type_for(__builtin_return_address(0), attributes->type);
  return error;
}
hipError_t emulated_attribute(void* data, hipPointer_attribute attribute, hipDeviceptr_t pointer)
    C_NAME(hipPointerGetAttribute);
hipError_t emulated_attribute(void* data, hipPointer_attribute attribute, hipDeviceptr_t pointer) {
  return attribute_for(__builtin_return_address(0), data, attribute, pointer);
}
hipError_t emulated_driver_attributes(unsigned count, hipPointer_attribute* attributes, void** data,
                                      hipDeviceptr_t pointer) C_NAME(hipDrvPointerGetAttributes);
hipError_t emulated_driver_attributes(unsigned count, hipPointer_attribute* attributes, void** data,
                                      hipDeviceptr_t pointer) {
  HIPPORT_NEEDS(attributes, data);
  for (unsigned i = 0; i < count; ++i) {
    const hipError_t error = attribute_for(__builtin_return_address(0), data[i], attributes[i], pointer);
    if (error != hipSuccess) return error;
  }
  return hipSuccess;
}
