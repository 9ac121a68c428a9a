// SPDX-License-Identifier: MIT
// Memory of other programming interfaces, as files: what such a file holds is mapped. Semaphores of others and mipmapped
// arrays are refused as by ROCm on Linux.
#pragma once

#include "virtual_memory.h"
#include "arrays.h"

enum hipExternalMemoryHandleType {
  hipExternalMemoryHandleTypeOpaqueFd = 1,
  hipExternalMemoryHandleTypeOpaqueWin32 = 2,
  hipExternalMemoryHandleTypeOpaqueWin32Kmt = 3,
  hipExternalMemoryHandleTypeD3D12Heap = 4,
  hipExternalMemoryHandleTypeD3D12Resource = 5,
  hipExternalMemoryHandleTypeD3D11Resource = 6,
  hipExternalMemoryHandleTypeD3D11ResourceKmt = 7,
  hipExternalMemoryHandleTypeNvSciBuf = 8
};
using hipExternalMemoryHandleType_enum = hipExternalMemoryHandleType;
struct hipExternalMemoryHandleDesc {
  hipExternalMemoryHandleType type;
  union {
    int fd;
    struct {
      void* handle;
      const void* name;
    } win32;
    const void* nvSciBufObject;
  } handle;
  unsigned long long size;
  unsigned flags, reserved[16];
};
struct hipExternalMemoryBufferDesc {
  unsigned long long offset, size;
  unsigned flags, reserved[16];
};
struct hipExternalMemoryMipmappedArrayDesc {
  unsigned long long offset;
  hipChannelFormatDesc formatDesc;
  hipExtent extent;
  unsigned flags, numLevels;
};
using hipExternalMemoryHandleDesc_st = hipExternalMemoryHandleDesc;
using hipExternalMemoryBufferDesc_st = hipExternalMemoryBufferDesc;
using hipExternalMemoryMipmappedArrayDesc_st = hipExternalMemoryMipmappedArrayDesc;
using hipExternalMemory_t = void*;

enum hipExternalSemaphoreHandleType {
  hipExternalSemaphoreHandleTypeOpaqueFd = 1,
  hipExternalSemaphoreHandleTypeOpaqueWin32 = 2,
  hipExternalSemaphoreHandleTypeOpaqueWin32Kmt = 3,
  hipExternalSemaphoreHandleTypeD3D12Fence = 4,
  hipExternalSemaphoreHandleTypeD3D11Fence = 5,
  hipExternalSemaphoreHandleTypeNvSciSync = 6,
  hipExternalSemaphoreHandleTypeKeyedMutex = 7,
  hipExternalSemaphoreHandleTypeKeyedMutexKmt = 8,
  hipExternalSemaphoreHandleTypeTimelineSemaphoreFd = 9,
  hipExternalSemaphoreHandleTypeTimelineSemaphoreWin32 = 10
};
using hipExternalSemaphoreHandleType_enum = hipExternalSemaphoreHandleType;
struct hipExternalSemaphoreHandleDesc {
  hipExternalSemaphoreHandleType type;
  union {
    int fd;
    struct {
      void* handle;
      const void* name;
    } win32;
    const void* NvSciSyncObj;
  } handle;
  unsigned flags, reserved[16];
};
struct hipExternalSemaphoreSignalParams {
  struct {
    struct {
      unsigned long long value;
    } fence;
    union {
      void* fence;
      unsigned long long reserved;
    } nvSciSync;
    struct {
      unsigned long long key;
    } keyedMutex;
    unsigned reserved[12];
  } params;
  unsigned flags, reserved[16];
};
struct hipExternalSemaphoreWaitParams {
  struct {
    struct {
      unsigned long long value;
    } fence;
    union {
      void* fence;
      unsigned long long reserved;
    } nvSciSync;
    struct {
      unsigned long long key;
      unsigned timeoutMs;
    } keyedMutex;
    unsigned reserved[10];
  } params;
  unsigned flags, reserved[16];
};
using hipExternalSemaphoreHandleDesc_st = hipExternalSemaphoreHandleDesc;
using hipExternalSemaphoreSignalParams_st = hipExternalSemaphoreSignalParams;
using hipExternalSemaphoreWaitParams_st = hipExternalSemaphoreWaitParams;
using hipExternalSemaphore_t = void*;

namespace hipport::cpu {

// A mapped file. Buffers in it count as memory of the device until the import is destroyed.
struct ImportedMemory : Handled<ImportedMemory> {
  char* first;
  size_t size;
  std::vector<void*> buffers;
};

template <>
struct PointerArgument<ImportedMemory> : HandleArgument<ImportedMemory, hipErrorInvalidValue, hipErrorInvalidValue> {};

// Return what is wrong with a description; ROCm looks at its fields in this order.
inline hipError_t importable(const hipExternalMemoryHandleDesc* wanted) {
  if (wanted == nullptr || wanted->size == 0 || wanted->flags > 1) return hipErrorInvalidValue;
  if (wanted->type < hipExternalMemoryHandleTypeOpaqueFd || wanted->type > hipExternalMemoryHandleTypeNvSciBuf)
    return hipErrorInvalidValue;
  return wanted->type == hipExternalMemoryHandleTypeOpaqueFd ? hipSuccess : hipErrorNotSupported;
}

}  // namespace hipport::cpu

// As ROCm, the import takes the file: the program does not close it.
HIPPORT_RUNTIME hipError_t hipImportExternalMemory(hipExternalMemory_t* memory,
                                                   const hipExternalMemoryHandleDesc* wanted) {
  const hipError_t error = memory == nullptr ? hipErrorInvalidValue : hipport::cpu::importable(wanted);
  if (error != hipSuccess) return hipport::cpu::status(error);
  void* const first = mmap(nullptr, wanted->size, PROT_READ | PROT_WRITE, MAP_SHARED, wanted->handle.fd, 0);
  if (first == MAP_FAILED) return hipport::cpu::status(hipErrorInvalidValue);
  close(wanted->handle.fd);
  *memory = new hipport::cpu::ImportedMemory{{}, static_cast<char*>(first), wanted->size, {}};
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipExternalMemoryGetMappedBuffer(void** pointer, hipExternalMemory_t memory,
                                                            const hipExternalMemoryBufferDesc* wanted) {
  auto* const imported = static_cast<hipport::cpu::ImportedMemory*>(memory);
  HIPPORT_NEEDS(pointer, imported, wanted);
  if (wanted->flags != 0) return hipport::cpu::status(hipErrorInvalidValue);
  auto& all = *imported;
  if (wanted->offset > all.size || wanted->size > all.size - wanted->offset)
    return hipport::cpu::status(hipErrorInvalidValue);
  *pointer = all.first + wanted->offset;
  all.buffers.push_back(*pointer);
  hipport::cpu::Allocations::instance().add(*pointer, {wanted->size, hipMemoryTypeDevice, 0, [](void*) {}});
  return hipSuccess;
}
HIPPORT_RUNTIME hipError_t hipDestroyExternalMemory(hipExternalMemory_t memory) {
  auto* const all = static_cast<hipport::cpu::ImportedMemory*>(memory);
  HIPPORT_NEEDS(all);
  for (void* buffer : all->buffers) hipport::cpu::Allocations::instance().remove(buffer);
  munmap(all->first, all->size);
  delete all;
  return hipSuccess;
}

HIPPORT_RUNTIME hipError_t hipImportExternalSemaphore(hipExternalSemaphore_t* semaphore,
                                                      const hipExternalSemaphoreHandleDesc* wanted) {
  const bool valid = semaphore != nullptr && wanted != nullptr && wanted->handle.fd != 0 &&
                     wanted->type >= hipExternalSemaphoreHandleTypeOpaqueFd &&
                     wanted->type <= hipExternalSemaphoreHandleTypeTimelineSemaphoreWin32;
  return hipport::cpu::status(valid ? hipErrorNotSupported : hipErrorInvalidValue);
}
HIPPORT_RUNTIME hipError_t hipDestroyExternalSemaphore(hipExternalSemaphore_t) {
  return hipport::cpu::status(hipErrorInvalidValue);
}
HIPPORT_RUNTIME hipError_t hipSignalExternalSemaphoresAsync(const hipExternalSemaphore_t*,
                                                            const hipExternalSemaphoreSignalParams*, unsigned,
                                                            hipStream_t stream) {
  HIPPORT_NEEDS(stream);
  return hipport::cpu::status(hipErrorInvalidValue);
}
HIPPORT_RUNTIME hipError_t hipWaitExternalSemaphoresAsync(const hipExternalSemaphore_t*,
                                                          const hipExternalSemaphoreWaitParams*, unsigned,
                                                          hipStream_t stream) {
  HIPPORT_NEEDS(stream);
  return hipport::cpu::status(hipErrorInvalidValue);
}
