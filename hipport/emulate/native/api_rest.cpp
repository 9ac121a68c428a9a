// SPDX-License-Identifier: MIT
// Functions of AMD's library that the CPU target has as templates, by other names or not at all: a program that calls one
// of them must be loaded all the same.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>

#include "loaded.h"

#define C_NAME(name) asm(#name)

using hipport::cpu::unsupported;

hipError_t emulated_reserve(void** address, size_t size, size_t alignment, void* wanted, unsigned long long flags)
    C_NAME(hipMemAddressReserve);
hipError_t emulated_reserve(void** address, size_t size, size_t alignment, void* wanted, unsigned long long flags) {
  return hipMemAddressReserve(address, size, alignment, wanted, flags);
}
hipError_t emulated_open_memory(void** pointer, hipIpcMemHandle_t handle, unsigned flags) C_NAME(hipIpcOpenMemHandle);
hipError_t emulated_open_memory(void** pointer, hipIpcMemHandle_t handle, unsigned flags) {
  return hipIpcOpenMemHandle(pointer, handle, flags);
}
hipError_t emulated_choose(int* device, const void* wanted) C_NAME(hipChooseDeviceR0600);
hipError_t emulated_choose(int* device, const void* wanted) {
  HIPPORT_NEEDS(device, wanted);
  return hipGetDevice(device);
}
hipError_t emulated_choose_old(int* device, const void* wanted) C_NAME(hipChooseDevice);
hipError_t emulated_choose_old(int* device, const void* wanted) { return emulated_choose(device, wanted); }
hipError_t emulated_choose_oldest(int* device, const void* wanted) C_NAME(hipChooseDeviceR0000);
hipError_t emulated_choose_oldest(int* device, const void* wanted) { return emulated_choose(device, wanted); }

// Host code of older clangs converts _Float16 with these.
float emulated_from_half(unsigned short bits) C_NAME(__gnu_h2f_ieee);
float emulated_from_half(unsigned short bits) { return __half2float(__ushort_as_half(bits)); }
unsigned short emulated_to_half(float value) C_NAME(__gnu_f2h_ieee);
unsigned short emulated_to_half(float value) { return __half_as_ushort(__float2half(value)); }
// There are no precompiled headers of HIP: run-time compilation reads them from their folder.
void emulated_headers(const char** content, unsigned* size) C_NAME(__hipGetPCH);
void emulated_headers(const char** content, unsigned* size) { *content = nullptr, *size = 0; }

#define REFUSE(Status, refusal, name)      \
  Status refused_##name(...) C_NAME(name); \
  Status refused_##name(...) { return unsupported(#name, refusal); }

// What AMD's tracers call, to be told of each call of HIP.
REFUSE(hipError_t, hipErrorNotSupported, hipRegisterTracerCallback)
REFUSE(hipError_t, hipErrorNotSupported, hipRegisterApiCallback)
REFUSE(hipError_t, hipErrorNotSupported, hipRemoveApiCallback)
REFUSE(hipError_t, hipErrorNotSupported, hipInitActivityCallback)
REFUSE(hipError_t, hipErrorNotSupported, hipEnableActivityCallback)
REFUSE(hipError_t, hipErrorNotSupported, hipRegisterActivityCallback)
REFUSE(hipError_t, hipErrorNotSupported, hipRemoveActivityCallback)
