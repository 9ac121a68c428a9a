// SPDX-License-Identifier: MIT
// Keywords of the kernel language, and the macros with which sources detect the platform.
#pragma once

#if !defined(__cplusplus)
#error "HIP is C++ on the CPU target: compile this C source as C++, or keep HIP out of it"
#endif

#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#if !defined(__GNUC__)
#error "hipport: the CPU target needs g++ or clang++"
#endif
#if !defined(__cplusplus) || __cplusplus < 201703L
#error "hipport: the CPU target needs -std=c++17 or later"
#endif

// Lanes of a wavefront: 64 on GCN and CDNA, 32 on RDNA. Set by `hipport build --wave-size` or by the gfx target.
#ifndef HIPPORT_WAVE_SIZE
#define HIPPORT_WAVE_SIZE 64
#endif
static_assert(HIPPORT_WAVE_SIZE == 32 || HIPPORT_WAVE_SIZE == 64, "wavefronts have 32 or 64 lanes");

// Functions of the runtime in which a call costs nothing beside what they do. `hipport build` compiles them once, into an
// object in the user's cache (HIPPORT_RUNTIME_OBJECT is 1), and units only call them (0). Without the macro each unit
// contains those that it uses. clang++ before 17 drops them after optimization only.
#if !defined(HIPPORT_RUNTIME_OBJECT)
#define HIPPORT_RUNTIME inline
#elif HIPPORT_RUNTIME_OBJECT
#define HIPPORT_RUNTIME __attribute__((used)) inline
#else
#define HIPPORT_RUNTIME __attribute__((gnu_inline, noinline)) inline
#endif

#define __HIPPORT_CPU__ 1
#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__ 1
#endif
#ifndef __HIP__
#define __HIP__ 1
#endif
#ifndef __HIPCC__
#define __HIPCC__ 1
#endif
// Device code and host code are compiled together. Without this macro, code inside a test for device code would
// silently be left out of kernels.
#ifndef __HIP_DEVICE_COMPILE__
#define __HIP_DEVICE_COMPILE__ 1
#endif
#define __AMDGCN_WAVEFRONT_SIZE HIPPORT_WAVE_SIZE
#ifndef __amdgcn_processor__
#define __amdgcn_processor__ "cpu"
#endif
// Thrust undefines __host__ where it is not set.
#define HIP_INCLUDE_HIP_AMD_DETAIL_HOST_DEFINES_H
#define HIP_VERSION_MAJOR 6
#define HIP_VERSION_MINOR 0
#define HIP_VERSION_PATCH 0
#define HIP_VERSION (HIP_VERSION_MAJOR * 10000000 + HIP_VERSION_MINOR * 100000 + HIP_VERSION_PATCH)

// `__noinline__` is not a macro because system headers write __attribute__((__noinline__)). `hipport build --target
// cpu` replaces the word in sources. A test includes all standard headers after these macros.
#define __host__
#define __device__
#define __global__
#define __constant__
#define __managed__ __attribute__((section("hipport_managed")))  // so that their addresses are known
#define __grid_constant__
#ifndef __forceinline__
#define __forceinline__ inline __attribute__((always_inline))
#endif
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
// For static shared memory that `hipport build --target cpu` did not translate: thread-local, because a block runs on
// one operating system thread.
#define __shared__ static thread_local

// HIP's macros for symbols. HIP_KERNEL_NAME lets a kernel's name contain commas.
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_SYMBOL(x) ::hipport::cpu::symbol(x)
#define HIP_DYNAMIC_SHARED(type, variable) auto& variable = ::hipport::cpu::dynamic_shared<type[]>();
#define HIP_DYNAMIC_SHARED_ATTRIBUTE

// `hipport build --sanitize` sets HIPPORT_CHECKS and replaces ThreadSanitizer's runtime by checks/runtime.cpp.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HIPPORT_ASAN 1
#endif
#if __has_feature(thread_sanitizer) && !HIPPORT_CHECKS
#define HIPPORT_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define HIPPORT_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__) && !HIPPORT_CHECKS
#define HIPPORT_TSAN 1
#endif
