// Functions, types and constants that the CPU target does not have.
#include <hip/hip_runtime.h>
#include <hip/hiprtc.h>

#include <cstdio>

int main() {
  int wrong = 0;
  hipMemPoolPtrExportData data = {};
  wrong += hipMemPoolExportPointer(&data, &wrong) != hipErrorNotSupported;
  wrong += hipGetLastError() != hipErrorNotSupported;
  for (int i = 0; i < 2; ++i) wrong += hipMemcpyBatchAsync(nullptr, nullptr, size_t(0)) != hipErrorNotSupported;
  wrong += hiprtcLinkCreate(0, nullptr, nullptr, nullptr) == HIPRTC_SUCCESS;
  std::printf("%d wrong\n", wrong);
}
