// SPDX-License-Identifier: MIT
// Work-groups of a cooperative launch wait for each other by the global wave sync: barriers and semaphores.
#include <hip/hip_runtime.h>

#include <cstdio>

enum { kFirst = 0, kSecond = 1, kData = 2, kRelease = 3, kLock = 4, kBlocks = 5 };

struct Found {
  unsigned data, read, passed, locked, met;
};

__global__ void wait_for_each_other(Found* found) {
  const unsigned others = gridDim.x - 1;
  if (blockIdx.x == 0) {
    __builtin_amdgcn_ds_gws_init(others, kSecond);
    __builtin_amdgcn_ds_gws_init(0, kData);
    __builtin_amdgcn_ds_gws_init(0, kRelease);
    __builtin_amdgcn_ds_gws_init(1, kLock);
  }
  __builtin_amdgcn_ds_gws_barrier(others, kFirst);
  volatile Found* const all = found;
  if (blockIdx.x == others) {
    all->data = 42;
    __builtin_amdgcn_ds_gws_sema_br(others, kData);
  } else {
    __builtin_amdgcn_ds_gws_sema_p(kData);
    if (all->data == 42) atomicAdd(&found->read, 1u);
  }
  __builtin_amdgcn_ds_gws_sema_p(kLock);
  const unsigned before = all->locked;
  for (volatile int i = 0; i < 1000; ++i) {
  }
  all->locked = before + 1;
  __builtin_amdgcn_ds_gws_sema_v(kLock);
  for (int i = 0; i < 3; ++i) {
    atomicAdd(&found->met, 1u);
    __builtin_amdgcn_ds_gws_barrier(others, kSecond);
    if (atomicAdd(&found->met, 0u) < (i + 1) * gridDim.x) all->met = 1000;
    __builtin_amdgcn_ds_gws_barrier(others, kSecond);
  }
  if (blockIdx.x == 0) {
    while (atomicAdd(&found->passed, 0u) < others) __builtin_amdgcn_ds_gws_sema_release_all(kRelease);
  } else {
    __builtin_amdgcn_ds_gws_sema_p(kRelease);
    atomicAdd(&found->passed, 1u);
  }
}

int main() {
  Found* found;
  if (hipMallocManaged(&found, sizeof *found) != hipSuccess) return 1;
  *found = {};
  void* arguments[] = {&found};
  if (hipLaunchCooperativeKernel(reinterpret_cast<void*>(wait_for_each_other), kBlocks, 1, arguments, 0, 0) !=
      hipSuccess)
    return 1;
  if (hipDeviceSynchronize() != hipSuccess) return 1;
  printf("read %u, locked %u, met %u, passed %u\n", found->read, found->locked, found->met, found->passed);
}
