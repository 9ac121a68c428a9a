// Launches a decode step: selects the kernel for the number of tokens, and divides its shared memory.
#ifndef HIPPORT_LLM_DECODE_LAUNCH_H
#define HIPPORT_LLM_DECODE_LAUNCH_H

#include <algorithm>

#include "../kernels/decode_step.cuh"
#include "device.h"

namespace hipport_llm {

inline int longest_vector(const Shape& shape) { return std::max({shape.width, shape.hidden, shape.query_width()}); }

// How a step for up to `count` tokens divides `limit` bytes of shared memory. If they are too few, `bytes` > `limit`.
inline Room room_for(const Shape& shape, int count, int pages_per_sequence, int blocks, int limit) {
  const auto aligned = [](int bytes) { return (bytes + 127) / 128 * 128; };
  Room room = {};
  room.stride = longest_vector(shape) + kVectorPadding;
  room.state = aligned(count * room.stride * 2);
  BlockState state;
  room.sums = room.state + aligned(state.place(nullptr, shape, count, pages_per_sequence, blocks));
  const int row = stages_of(column_tiles(longest_vector(shape))) * count * kTileRows * 4;
  const int attention = shape.head_width == 128 ? DecodeAttentionRoom<128>::bytes : DecodeAttentionRoom<64>::bytes;
  room.ring = room.sums + aligned(std::max(attention, row));
  // The remaining memory is used for the sums of more rows at once or, with bulk copies, for the ring.
  room.ring = std::min(std::max(room.ring, room.sums + aligned(8 * row)),
                       std::max(room.ring, (limit - kRingBytes) / 128 * 128));
  room.sums_room = (room.ring - room.sums) / 4;
  room.stages = kRingStages == 0 ? 0 : std::min(kRingStages, (limit - room.ring) / kStageBytes / kWarps * kWarps);
  room.bytes = kRingStages > 0 && room.stages < kWarps ? limit + 1 : room.ring + room.stages * kStageBytes;
  return room;
}

using DecodeStepKernel = void (*)(DecodeStepArguments);

inline DecodeStepKernel decode_step_kernel_for(int count, int head_width) {
  const bool wide = head_width == 128;
  switch (count) {
    case 1: return wide ? &decode_step_kernel<1, 128> : &decode_step_kernel<1, 64>;
    case 2: return wide ? &decode_step_kernel<2, 128> : &decode_step_kernel<2, 64>;
    case 4: return wide ? &decode_step_kernel<4, 128> : &decode_step_kernel<4, 64>;
    default: return wide ? &decode_step_kernel<8, 128> : &decode_step_kernel<8, 64>;
  }
}

#if HIPPORT_LLM_NATIVE

// There are no such kernels for matrices in the formats of model files.
class DecodeLauncher {
 public:
  DecodeLauncher() = default;
  DecodeLauncher(const Shape&, int, int max_tokens) : max_tokens_(std::min(max_tokens, kMaxTokens)) {
    cudaDeviceProp device;
    check(cudaGetDeviceProperties(&device, 0), "asking for the device's properties");
    blocks_ = device.multiProcessorCount;
  }

  int blocks() const { return blocks_; }
  int max_tokens() const { return max_tokens_; }

  void run(const Model&, const Cache&, const Tokens&, const Scratch&, cudaStream_t) const {
    throw EngineError("this build has no persistent kernel");
  }

 private:
  int blocks_ = 0;
  int max_tokens_ = 0;
};

#else

// The decode step's kernels for a model on a device, for 1, 2, 4 and 8 tokens.
class DecodeLauncher {
 public:
  DecodeLauncher() = default;
  DecodeLauncher(const Shape& shape, int pages_per_sequence, int max_tokens) : shape_(shape) {
    cudaDeviceProp device;
    check(cudaGetDeviceProperties(&device, 0), "asking for the device's properties");
    int limit = 0;
    check(cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), "asking for shared memory");
    limit = std::max(limit, static_cast<int>(device.sharedMemPerBlock)) - kStaticBytes;
    blocks_ = device.multiProcessorCount;
    for (int count = 1; count <= std::min(max_tokens, kMaxTokens); count *= 2) {
      const Room room = room_for(shape, count, pages_per_sequence, blocks_, limit);
      if (room.bytes > limit) break;
      allow(count, room.bytes);
      rooms_[index_of(count)] = room;
      max_tokens_ = count;
    }
    if (max_tokens_ == 0)
      throw EngineError("a vector of " + std::to_string(longest_vector(shape)) +
                        " elements does not fit into the device's " + std::to_string(limit) +
                        " bytes of shared memory");
  }

  int blocks() const { return blocks_; }
  int max_tokens() const { return max_tokens_; }

  void run(const Model& model, const Cache& cache, const Tokens& tokens, const Scratch& scratch,
           cudaStream_t stream) const {
    int count = 1;
    while (count < tokens.count) count *= 2;
    DecodeStepArguments arguments = {model, cache, tokens, scratch, rooms_[index_of(count)]};
    void* pointers[] = {&arguments};
    const DecodeStepKernel kernel = decode_step_kernel_for(count, shape_.head_width);
    check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), dim3(blocks_), dim3(kBlockThreads),
                                      pointers, arguments.room.bytes, stream),
          "launching a step");
  }

 private:
  // Statically declared shared memory of the kernels, and a reserve.
  static constexpr int kStaticBytes = 1024;

  static int index_of(int count) { return count == 1 ? 0 : count == 2 ? 1 : count == 4 ? 2 : 3; }

  void allow(int count, int bytes) const {
    const DecodeStepKernel kernel = decode_step_kernel_for(count, shape_.head_width);
    check(
        cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
        "asking for shared memory");
  }

  Shape shape_ = {};
  Room rooms_[4] = {};
  int blocks_ = 0;
  int max_tokens_ = 0;
};

#endif

}  // namespace hipport_llm

#endif
