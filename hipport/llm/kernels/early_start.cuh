// Kernels that NVIDIA's GPUs may start before the one ahead of them in the stream has ended (programmatic dependent
// launch). The host launches them with launch_early (early_launch.h).
#ifndef HIPPORT_LLM_EARLY_START_CUH
#define HIPPORT_LLM_EARLY_START_CUH

#include <cuda_runtime.h>

// Whether kernels start early: all GPUs that this is compiled for can do that.
#if !defined(__HIP_PLATFORM_AMD__) && defined(HIPPORT_LLM_HOPPER)
#define HIPPORT_LLM_EARLY_START 1
#else
#define HIPPORT_LLM_EARLY_START 0
#endif

namespace hipport_llm {

// Lets the next kernel start on free multiprocessors, and waits until all earlier kernels have ended. Called by all
// threads, before they read what these have written or write anything: what came before a kernel has ended only if
// each kernel waits. Before it, kernels load what nothing writes, such as weights.
__device__ __forceinline__ void await_previous_kernel() {
#if HIPPORT_LLM_EARLY_START
  asm volatile("griddepcontrol.launch_dependents;\ngriddepcontrol.wait;" ::: "memory");
#endif
}

#if HIPPORT_LLM_EARLY_START

// Kernels one after the other that do not read what each other writes run at the same time: the first lets the next start
// when it has waited itself, so that what all of them read is there; the others wait only before they end.
class SideBySide {
 public:
  // `first`: whether it is the first of them.
  __device__ explicit SideBySide(bool first) : first_(first) {}

  __device__ __forceinline__ void begin() const {
    if (first_) asm volatile("griddepcontrol.wait;" ::: "memory");
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  }
  __device__ __forceinline__ void end() const {
    if (!first_) asm volatile("griddepcontrol.wait;" ::: "memory");
  }

 private:
  bool first_;
};

#endif

}  // namespace hipport_llm

#endif
