// One decode step of a Llama model in one persistent kernel: up to 8 tokens through all layers.
//
// There is one block for each multiprocessor. All blocks go through these phases together, and pass vectors to each
// other between them:
//   RMSNorm, QKV, RoPE, cache write | attention | output projection, residual
//   | RMSNorm, gate and up, SwiGLU | down projection, residual
#ifndef HIPPORT_LLM_DECODE_STEP_CUH
#define HIPPORT_LLM_DECODE_STEP_CUH

#include "decode_inputs.cuh"
#include "single_token_attention.cuh"
#include "step_weights.cuh"

namespace hipport_llm {

struct DecodeStepArguments {
  Model model;
  Cache cache;
  Tokens tokens;
  Scratch scratch;
  Room room;
};

// A step, as run by the computing threads of a block.
template <int Count, int HeadWidth>
class DecodeStep {
 public:
  __device__ __forceinline__ DecodeStep(const DecodeStepArguments& arguments, StepStream& stream, uint8_t* shared)
      : arguments_(&arguments),
        stream_(stream),
        count_(Count == 1 ? 1 : arguments.tokens.count),
        vectors_(vectors_in(shared, arguments.room)),
        sums_(reinterpret_cast<float*>(shared + opaque(arguments.room.sums))),
        cursor_(thread_index() / kLanes),
        grid_(arguments.scratch.arrivals) {
    const Model& model = arguments.model;
    norm_.prepare(model.at(0, model.offsets.attention_norm), model.shape.width);
    state_.place(shared + opaque(arguments.room.state), model.shape, Count, arguments.cache.pages_per_sequence,
                 gridDim.x);
    state_.load(model, arguments.cache, arguments.tokens, arguments.scratch.residual, Count);
  }

  __device__ __forceinline__ void run() {
    const int phases = 4 * model().shape.layers + arguments_->tokens.want_logits;
#pragma unroll 1
    for (int i = 0; i < phases; ++i) {
      arguments_ = read_again(arguments_);
      const int layer = i / 4, layers = model().shape.layers;
      const Phase phase = layer == layers ? Phase::kHead : static_cast<Phase>(i % 4);
      StepRows matrix = rows_of(model(), phase, layer);
      if (phase == Phase::kQkv) prefetch_cache<HeadWidth>(model().shape, cache(), state_, count_, scratch(), layer);
      if (own_rows(matrix) > 0) {
        fetch(stream_, matrix);
        load_vectors(phase, layer);
        matrix = arrange(stream_, vectors_, matrix);
        arguments_ = read_again(arguments_);
        multiply(phase, layer, matrix);
      }
      arguments_ = read_again(arguments_);
      prepare_next(phase, layer);
      if (kPosted) {
        if (phase == Phase::kQkv)
          single_token_attention<HeadWidth>(model().shape, cache(), state_, scratch(), head_norms(model(), layer),
                                            layer, sums_);
        continue;
      }
      if (phase != Phase::kHead) grid_.sync();
      if (phase != Phase::kQkv) continue;
      decode_attention<HeadWidth>(model().shape, cache(), state_, count_, scratch(), layer, sums_);
      grid_.sync();
    }
  }

 private:
  // The vectors of one token go through mailboxes. Those of several go through memory, with a barrier after each phase.
  static constexpr bool kPosted = Count == 1;

  // The sequence number of this layer's hand-overs.
  __device__ unsigned number(int layer) const { return scratch().mailboxes.first + layer + 1; }

  __device__ __forceinline__ void load_vectors(Phase phase, int layer) {
    if constexpr (kPosted)
      receive_vectors(phase, layer);
    else
      load_vectors(phase);
  }

  __device__ __forceinline__ void receive_vectors(Phase phase, int layer) {
    const Shape& shape = model().shape;
    const Mailboxes& mailboxes = scratch().mailboxes;
    Number* values = vectors_.values;
    if (phase == Phase::kOut)
      receive_vector(mailboxes.attention, number(layer), shape.query_width(), values);
    else if (phase == Phase::kDown)
      receive_vector(mailboxes.hidden, number(layer), shape.hidden, values);
    else if (phase == Phase::kGateUp)
      norm_.receive(shape, mailboxes.middle, number(layer), values, sums_);
    else
      norm_.receive(shape, mailboxes.residual, number(layer) - 1, values, sums_);
  }

  __device__ __forceinline__ void load_vectors(Phase phase) {
    const Shape& shape = model().shape;
    Number* values = vectors_.values;
    if (phase == Phase::kOut)
      load_combined_attention(shape, scratch(), count_, values, room().stride);
    else if (phase == Phase::kDown)
      load_unchanged(scratch().hidden, shape.hidden, count_, values, room().stride);
    else
      norm_.load(shape, scratch().residual, count_, values, room().stride, sums_);
  }

  // Starts what does not depend on other blocks, before the barrier.
  __device__ __forceinline__ void prepare_next(Phase phase, int layer) {
    const Shape& shape = model().shape;
    if (phase == Phase::kOut)
      norm_.prepare(model().at(layer, model().offsets.mlp_norm), shape.width);
    else if (phase == Phase::kDown && layer + 1 < shape.layers)
      norm_.prepare(model().at(layer + 1, model().offsets.attention_norm), shape.width);
    else if (phase == Phase::kDown)
      norm_.prepare(reinterpret_cast<const uint8_t*>(model().final_norm), shape.width);
  }

  __device__ __forceinline__ void multiply(Phase phase, int layer, const StepRows& matrix) {
    const int stages = stages_of(matrix), at_once = room().sums_room / (stages * Count * kTileRows);
    for (int first = 0, all = own_rows(matrix); first < all; first += at_once) {
      const int rows = min(at_once, all - first), first_row = blockIdx.x + first * gridDim.x;
      multiply_rows<Count>(stream_, cursor_, matrix, first_row, rows, vectors_, sums_);
      block_sync();
      write_rows<Count>(sums_, stages, first_row, rows, [&](int row_tile, int token, int pair, float low, float high) {
        if (token < count_) write(phase, layer, row_tile, token, pair, low, high);
      });
      block_sync();
    }
  }

  // Whether this lane writes, of those that have the sums of a pair of rows.
  __device__ static bool writes() { return thread_index() % kLanes < 8; }

  // Writes the sums of rows `pair` and `pair` + 8 of a row of tiles.
  __device__ __forceinline__ void write(Phase phase, int layer, int row_tile, int token, int pair, float low,
                                        float high) {
    if (phase == Phase::kQkv)
      write_qkv(layer, row_tile, token, pair, low, high);
    else if (phase == Phase::kGateUp)
      write_hidden(layer, row_tile, token, pair, silu(low) * high);
    else if (phase == Phase::kHead)
      write_logits(row_tile, token, pair, low, high);
    else
      add_residual(phase, layer, row_tile, token, pair, low, high);
  }

  // Writes queries, keys and values; applies RoPE to queries and keys. Those that are to be normalized before, which only
  // steps of one token support, are just posted.
  __device__ __forceinline__ void write_qkv(int layer, int row_tile, int token, int pair, float low, float high) {
    constexpr int head_tiles = HeadWidth / kTileRows;
    const Shape& shape = model().shape;
    const int head = row_tile / head_tiles, first = row_tile % head_tiles * 8, dimension = first + pair;
    if (model().offsets.qkv_bias >= 0) {
      const Number* bias = reinterpret_cast<const Number*>(model().at(layer, model().offsets.qkv_bias));
      low += float_of(bias[row_tile * kTileRows + pair]);
      high += float_of(bias[row_tile * kTileRows + pair + 8]);
    }
    const bool plain = model().head_norms() && head < shape.heads + shape.kv_heads;
    if (!plain && head < shape.heads + shape.kv_heads) {
      const float2 rotation = state_.rotations[token * (HeadWidth / 2) + dimension];
      const float rotated = low * rotation.x - high * rotation.y;
      high = high * rotation.x + low * rotation.y;
      low = rotated;
    }
    if constexpr (kPosted) {
      const int start = head * HeadWidth + first;
      post_eights(scratch().mailboxes.qkv, number(layer), start, start + HeadWidth / 2, low, high);
      if (plain || head < shape.heads) return;
    }
    if (head >= shape.heads) {
      store_cached<HeadWidth>(cached(layer, token, head - shape.heads), dimension, low, high, writes());
    } else if (writes()) {
      Number* to = scratch().queries + token * shape.query_width() + head * HeadWidth + dimension;
      to[0] = number_of(low);
      to[HeadWidth / 2] = number_of(high);
    }
  }

  __device__ __forceinline__ void write_hidden(int layer, int row_tile, int token, int pair, float value) {
    if constexpr (kPosted)
      post_eight(scratch().mailboxes.hidden, number(layer), row_tile * 8, value);
    else if (writes())
      scratch().hidden[token * model().shape.hidden + row_tile * 8 + pair] = number_of(value);
  }

  // The address of a token's key or value in the cache (`head` counts keys, then values).
  __device__ CacheUnit* cached(int layer, int token, int head) const {
    const int kv_heads = model().shape.kv_heads, position = state_.positions[token];
    const int* pages = state_.pages + token * cache().pages_per_sequence;
    const CachedHead<HeadWidth> own(cache(), pages, layer, kv_heads, head % kv_heads);
    return head < kv_heads ? own.key(position) : own.value(position);
  }

  __device__ __forceinline__ void add_residual(Phase phase, int layer, int row_tile, int token, int pair, float low,
                                               float high) {
    const int row = (row_tile - blockIdx.x) / gridDim.x;
    if (writes()) {
      float* own = state_.residual + (row * Count + token) * kTileRows + pair;
      low = own[0] += low;
      high = own[8] += high;
    }
    const int start = row_tile * kTileRows;
    if constexpr (kPosted) {
      const Mailboxes& mailboxes = scratch().mailboxes;
      post_eights(phase == Phase::kOut ? mailboxes.middle : mailboxes.residual, number(layer), start, start + 8, low,
                  high);
    } else if (writes()) {
      float* to = scratch().residual + token * model().shape.width + start + pair;
      to[0] = low;
      to[8] = high;
    }
  }

  __device__ __forceinline__ void write_logits(int row_tile, int token, int pair, float low, float high) {
    const int row = row_tile * kTileRows + pair, vocabulary = model().shape.vocabulary;
    if (!writes()) return;
    float* to = scratch().logits + static_cast<int64_t>(token) * vocabulary + row;
    if (row < vocabulary) to[0] = low;
    if (row + 8 < vocabulary) to[8] = high;
  }

  __device__ __forceinline__ const Model& model() const { return arguments_->model; }
  __device__ __forceinline__ const Cache& cache() const { return arguments_->cache; }
  __device__ __forceinline__ const Scratch& scratch() const { return arguments_->scratch; }
  __device__ __forceinline__ const Room& room() const { return arguments_->room; }

  const DecodeStepArguments* arguments_;
  StepStream& stream_;
  int count_;
  StepVectors vectors_;
  float* sums_;
  StageCursor cursor_;
  GridBarrier grid_;
  RmsNorm<Count> norm_;
  BlockState state_;
};

#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_BULK_COPIES

// Registers of a thread: the copying warps release most of theirs to the others, in groups of four warps.
constexpr int kCopyingRegisters = kNativeSteps ? 96 : 40;
constexpr int kComputingRegisters = kNativeSteps ? 200 : 232;
static_assert(kCopyingWarps == 4 && kWarps == 8, "64512 registers, of which a launch gives each thread 168");

__device__ inline void leave_registers() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)  // sm_90a
  shrink_registers<kCopyingRegisters>();
#endif
}

__device__ inline void take_registers() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  grow_registers<kComputingRegisters>();
#endif
}

// Called by the copying lanes: copies all weights of the step, in the order of their use.
__device__ __forceinline__ void produce(const Model& model, const Tokens& tokens, StepStream& stream) {
  const int layers = model.shape.layers;
#pragma unroll 1
  for (int i = 0; i < 4 * layers + tokens.want_logits; ++i) {
    const int layer = i / 4;
    stream.produce(rows_of(model, layer == layers ? Phase::kHead : static_cast<Phase>(i % 4), layer));
  }
}

#endif

template <int Count, int HeadWidth>
__global__ void __launch_bounds__(kBlockThreads, 1) decode_step_kernel(DecodeStepArguments arguments) {
  extern __shared__ __align__(128) uint8_t shared[];
#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_BULK_COPIES
  __shared__ StepStream::Barriers barriers;
  StepStream stream = stream_in(shared, arguments.room, &barriers);
  __syncthreads();
  if (threadIdx.x >= kThreads) {
    leave_registers();
    if (StepStream::copies()) produce(arguments.model, arguments.tokens, stream);
    return;
  }
  take_registers();
#elif HIPPORT_LLM_NATIVE_STEPS
  __shared__ StepMatrix matrices[kStepMatrices];
  StepStream stream(matrices);
#else
  StepStream stream;
#endif
  DecodeStep<Count, HeadWidth>(kernel_arguments(arguments), stream, shared).run();
}

}  // namespace hipport_llm

#endif
