// Kernels make themselves known: a file in kernels/ has a Registered for each version of its kernel.
#ifndef HIPPORT_KERNELS_REGISTRY_H
#define HIPPORT_KERNELS_REGISTRY_H

#include <cstdint>
#include <string>
#include <vector>

#include "../engine/device.h"
#include "hipport_kernels.h"

namespace hipport_llm {

// The arguments of a launch; asking for more than there are is an error.
class Launch {
 public:
  Launch(const hipport_kernel_arguments& arguments, cudaStream_t stream) : arguments_(arguments), stream_(stream) {}

  int block() const { return arguments_.block; }
  cudaStream_t stream() const { return stream_; }

  int size(int i) const {
    expect(i < arguments_.size_count, "sizes");
    if (arguments_.sizes[i] < INT32_MIN || arguments_.sizes[i] > INT32_MAX) throw EngineError("a size is too large");
    return static_cast<int>(arguments_.sizes[i]);
  }
  float number(int i) const {
    expect(i < arguments_.number_count, "numbers");
    return arguments_.numbers[i];
  }
  template <typename T>
  T* buffer(int i) const {
    expect(i < arguments_.buffer_count, "buffers");
    return static_cast<T*>(arguments_.buffers[i]);
  }

 private:
  static void expect(bool holds, const char* what) {
    if (!holds) throw EngineError(std::string("the kernel takes more ") + what);
  }

  hipport_kernel_arguments arguments_;
  cudaStream_t stream_;
};

// In a version's blocks: four wavefronts, whose size only the device code knows. The host compile has none: its
// kUnitThreads is not that of every GPU.
constexpr int32_t kFourWavefronts = 0;

struct Version {
  const char* kernel;
  int number;
  const char* what;
  std::vector<int32_t> blocks;
  void (*launch)(const Launch&);
};

// Those of this library. (Not inline: the linker makes one of the static variables of inline functions in all
// libraries of a process.)
std::vector<Version>& versions();

struct Registered {
  Registered(const char* kernel, int number, const char* what, std::vector<int32_t> blocks,
             void (*launch)(const Launch&)) {
    versions().push_back({kernel, number, what, std::move(blocks), launch});
  }
};

inline int blocks_for(int64_t count, int64_t each) { return static_cast<int>((count + each - 1) / each); }

}  // namespace hipport_llm

#endif
