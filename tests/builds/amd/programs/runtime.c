/* A HIP runtime that has no GPU and says what programs hand it when they start. */
#include <stdio.h>

struct fat_binary {
  unsigned magic, version;
  const char* bundle;
  void* unused;
};

static void* module;

void** __hipRegisterFatBinary(const struct fat_binary* found) {
  printf("%x %u %.24s\n", found->magic, found->version, found->bundle);
  return &module;
}

void __hipRegisterFunction(void** into, const void* host, char* device, const char* name) { printf("%s\n", name); }

void __hipUnregisterFatBinary(void** from) { printf("%s\n", from == &module ? "end" : "other"); }

int __hipPushCallConfiguration() { return 0; }
int __hipPopCallConfiguration() { return 0; }
int hipLaunchKernel() { return 0; }
int hipMalloc() { return 2; }
int hipDeviceSynchronize() { return 0; }
