// SPDX-License-Identifier: MIT
#include "vectors.h"

#include "assembler.h"
#include "wave.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace hipport::emulate {

VectorSet processor_vectors() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")) return VectorSet::kAvx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return VectorSet::kAvx2;
#endif
  return VectorSet::kNone;
}

VectorSet usual_vectors() {
  const char* const set = std::getenv("HIPPORT_VECTORS");
  const std::string_view name = set == nullptr ? "" : set;
  if (name.empty() || name == "avx512") return processor_vectors();
  if (name == "avx2") return std::min(VectorSet::kAvx2, processor_vectors());
  if (name == "none") return VectorSet::kNone;
  throw Fault("HIPPORT_VECTORS is " + std::string(name) + ", which is none of avx512, avx2 and none");
}

std::unique_ptr<Assembler> Assembler::make(VectorSet set) {
  return set == VectorSet::kAvx512 ? avx512_assembler() : avx2_assembler();
}

}  // namespace hipport::emulate
