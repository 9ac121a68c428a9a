// Functions, types and constants that the CPU target does not have.
#include <hip/hip_runtime.h>
#include <hip/hiprtc.h>

#include <cstdio>

int main() {
  int wrong = 0;
  hipGraphicsResource_t resource = {};
  wrong += hipGraphicsGLRegisterBuffer(&resource, 0, 0) != hipErrorNotSupported;
  wrong += hipGetLastError() != hipErrorNotSupported;
  for (int i = 0; i < 2; ++i) wrong += hipMemMapArrayAsync(nullptr, 0u, nullptr) != hipErrorNotSupported;
  wrong += hiprtcLinkCreate(0, nullptr, nullptr, nullptr) == HIPRTC_SUCCESS;
  std::printf("%d wrong\n", wrong);
}
