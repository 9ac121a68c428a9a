// Launches a decode step: selects the kernel for the number of tokens, and divides its shared memory.
#ifndef HIPPORT_LLM_DECODE_LAUNCH_H
#define HIPPORT_LLM_DECODE_LAUNCH_H

#include <algorithm>

#include "../kernels/decode_step.cuh"
#include "device.h"
#include "native_step.h"

namespace hipport_llm {

inline int longest_vector(const Shape& shape) { return std::max({shape.width, shape.hidden, shape.query_width()}); }

// The stages of weights: how many a row of the longest vector's columns has, and their bytes in the ring.
struct StageShape {
  int row_stages, bytes;
};

// How a step for up to `count` tokens divides `limit` bytes of shared memory. If they are too few, `bytes` > `limit`.
inline Room room_for(const Shape& shape, int count, int pages_per_sequence, int blocks, const StageShape& stage,
                     int limit) {
  const auto aligned = [](int bytes) { return (bytes + 127) / 128 * 128; };
  Room room = {};
  room.stride = longest_vector(shape) + kVectorPadding;
  room.vector = aligned(count * room.stride * 2);
  room.state = room.vector + (kNativeSteps ? aligned(NativeVector::bytes(longest_vector(shape))) : 0);
  BlockState state;
  room.sums = room.state + aligned(state.place(nullptr, shape, count, pages_per_sequence, blocks));
  const int row = stage.row_stages * count * kTileRows * 4;
  const int attention = shape.head_width == 128 ? DecodeAttentionRoom<128>::bytes : DecodeAttentionRoom<64>::bytes;
  room.ring = room.sums + aligned(std::max(attention, row));
  // The remaining memory is used for the sums of more rows at once or, with bulk copies, for the ring.
  room.ring = std::min(std::max(room.ring, room.sums + aligned(8 * row)),
                       std::max(room.ring, (limit - kRingStages * stage.bytes) / 128 * 128));
  room.sums_room = (room.ring - room.sums) / 4;
  room.stages = kRingStages == 0 ? 0 : std::min(kRingStages, (limit - room.ring) / stage.bytes / kWarps * kWarps);
  room.stage_bytes = stage.bytes;
  room.bytes = kRingStages > 0 && room.stages < kWarps ? limit + 1 : room.ring + room.stages * stage.bytes;
  return room;
}

using DecodeStepKernel = void (*)(DecodeStepArguments);

// The kernel for `count` tokens, 1, 2, 4 or 8. engine.cu has it: a definition here would compile all kernels of steps
// in every unit that includes this.
DecodeStepKernel decode_step_kernel_for(int count, int head_width);

inline void allow_shared(DecodeStepKernel kernel, int bytes) {
  check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
        "asking for shared memory");
}

inline void launch_step(DecodeStepKernel kernel, int blocks, DecodeStepArguments arguments, cudaStream_t stream) {
  void* pointers[] = {&arguments};
  check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), dim3(blocks), dim3(kBlockThreads), pointers,
                                    arguments.room.bytes, stream),
        "launching a step");
}

#if HIPPORT_LLM_NATIVE

// The decode step's kernel for one token and matrices in the formats of model files, where this build has it.
class DecodeLauncher {
 public:
  DecodeLauncher() = default;
  DecodeLauncher(const Shape& shape, int pages_per_sequence, int max_tokens)
      : shape_(shape),
        pages_per_sequence_(pages_per_sequence),
        blocks_(processors()),
        max_tokens_(std::min(max_tokens, kMaxTokens)) {}

  // Called when all weights are loaded.
  void take(const NativeWeights& weights) {
#if HIPPORT_LLM_NATIVE_STEPS
    matrices_ = NativeStep(shape_, weights);
    if (!matrices_.streams()) return;
    const int limit = shared_limit();
    const int row_stages = (longest_vector(shape_) + kNativeStageColumns - 1) / kNativeStageColumns;
    room_ = room_for(shape_, 1, pages_per_sequence_, blocks_, {row_stages, matrices_.stage_bytes()}, limit);
    ready_ = room_.bytes <= limit;
    if (ready_) allow_shared(decode_step_kernel_for(1, shape_.head_width), room_.bytes);
#else
    (void)weights;
#endif
  }

  // Tokens that a step takes: none without the kernel, or where the matrices do not fit it.
  int step_tokens() const { return ready_ ? 1 : 0; }
  int blocks() const { return blocks_; }
  int max_tokens() const { return max_tokens_; }

  void run(Model model, const Cache& cache, const Tokens& tokens, const Scratch& scratch, cudaStream_t stream) const {
#if HIPPORT_LLM_NATIVE_STEPS
    model.native = matrices_.table();
    launch_step(decode_step_kernel_for(1, shape_.head_width), blocks_, {model, cache, tokens, scratch, room_}, stream);
#else
    (void)model, (void)cache, (void)tokens, (void)scratch, (void)stream;
    throw EngineError("this build has no persistent kernel");
#endif
  }

 private:
  Shape shape_ = {};
  int pages_per_sequence_ = 0, blocks_ = 0, max_tokens_ = 0;
  NativeStep matrices_;
  Room room_ = {};
  bool ready_ = false;
};

#else

// The decode step's kernels for a model on a device, for 1, 2, 4 and 8 tokens.
class DecodeLauncher {
 public:
  DecodeLauncher() = default;
  DecodeLauncher(const Shape& shape, int pages_per_sequence, int max_tokens) : shape_(shape), blocks_(processors()) {
    const int limit = shared_limit();
    const StageShape stage = {stages_of(column_tiles(longest_vector(shape))), kStageBytes};
    for (int count = 1; count <= std::min(max_tokens, kMaxTokens); count *= 2) {
      const Room room = room_for(shape, count, pages_per_sequence, blocks_, stage, limit);
      if (room.bytes > limit) break;
      allow_shared(decode_step_kernel_for(count, shape.head_width), room.bytes);
      rooms_[index_of(count)] = room;
      max_tokens_ = count;
    }
    if (max_tokens_ == 0)
      throw EngineError("a vector of " + std::to_string(longest_vector(shape)) +
                        " elements does not fit into the device's " + std::to_string(limit) +
                        " bytes of shared memory");
  }

  void take(const NativeWeights&) {}

  int step_tokens() const { return max_tokens_; }
  int blocks() const { return blocks_; }
  int max_tokens() const { return max_tokens_; }

  void run(const Model& model, const Cache& cache, const Tokens& tokens, const Scratch& scratch,
           cudaStream_t stream) const {
    int count = 1;
    while (count < tokens.count) count *= 2;
    launch_step(decode_step_kernel_for(count, shape_.head_width), blocks_,
                {model, cache, tokens, scratch, rooms_[index_of(count)]}, stream);
  }

 private:
  static int index_of(int count) { return count == 1 ? 0 : count == 2 ? 1 : count == 4 ? 2 : 3; }

  Shape shape_ = {};
  Room rooms_[4] = {};
  int blocks_ = 0;
  int max_tokens_ = 0;
};

#endif

}  // namespace hipport_llm

#endif
