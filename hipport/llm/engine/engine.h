// A model on the device, with the prefill and decode steps that it runs.
#ifndef HIPPORT_LLM_ENGINE_H
#define HIPPORT_LLM_ENGINE_H

#include <string>
#include <vector>

#include "../kernels/sampling.cuh"
#include "batch_step.h"
#include "decode_launch.h"
#include "experts.h"
#include "hipport_llm.h"
#include "latent_attention.h"
#include "logit_changer.h"
#include "mailbox_layout.h"
#include "native_products.h"
#include "page_table.h"
#include "prefill.h"
#include "tensors.h"

namespace hipport_llm {

// Throws EngineError for what this engine cannot run.
Shape shape_of(const hipport_llm_config& config);
Traits traits_of(const hipport_llm_config& config);

// What the host gives a step.
struct StepInputs {
  int tokens[kMaxBatch], positions[kMaxBatch], sequences[kMaxBatch];
  Sampling sampling[kMaxBatch];
};

class Engine {
 public:
  explicit Engine(const hipport_llm_config& config);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  void load(const char* name, int layer, const void* data, size_t bytes);
  void load_native(const char* name, int layer, int format, int group, const void* data, size_t bytes);
  void prefill(int sequence, int position, const int32_t* tokens, int count, float* logits);
  void decode(const int32_t* sequences, const int32_t* positions, const int32_t* tokens, int count,
              const hipport_llm_sampling* sampling, const hipport_llm_step_options& options, int32_t* next,
              float* logits);
  void hidden(int sequence, int position, const int32_t* tokens, int count, void* hidden);
  int reuse(int sequence, const int32_t* tokens, int count);
  void generate(int sequence, int position, int32_t token, int count, int32_t* out);
  void reset(int sequence);
  hipport_llm_stats stats() const;
  double read_bandwidth();

 private:
  void expect(int sequence, int position, int count) const;
  void expect_tokens(const int32_t* tokens, int count) const;
  void expect_loaded() const;
  void mark_loaded(const std::string& name);
  void reserve(int sequence, int first, int end);
  void prefill_chunk(int sequence, int position, const int32_t* tokens, int count, float* logits);
  void prefill_step(int sequence, int position, const int32_t* tokens, int count, float* logits);
  Tokens upload(StepInputs& inputs, const int32_t* sequences, const int32_t* positions, const int32_t* tokens,
                int count);
  void step(Tokens tokens, int longest, bool want_logits);
  void advance(const Tokens& tokens, int longest);
  void run_batch_step(const Tokens& tokens);
  // For how many tokens at most the persistent kernel is used. Its tokens see all positions up to their own, and it
  // normalizes heads of one token only: where there are more, its blocks pass on parts of heads.
  int persistent_tokens() const;
  int max_tokens() const;
  void download_logits(const hipport_llm_step_options& options, float* logits);
  void pick(const Tokens& tokens, const Sampling* how, int step);
  void begin(const Tokens& tokens);
  Scratch scratch(int splits) const;
  Mailboxes mailboxes() const;
  NextTokens next() const;
  Cache cache() const;
  int64_t page_units() const;
  void start_clock();
  void stop_clock();

  Shape shape_;
  Traits traits_;
  Tensors tensors_;
  NativeProducts native_;
  Experts experts_;
  LatentAttention latents_;
  PageTable pages_;
  DecodeLauncher launcher_;
  Prefill prefill_;
  LogitChanger logit_changer_;
  BatchStep batch_step_;
  Buffer<CacheUnit> cache_;
  Buffer<Number> queries_, attention_, hidden_;
  Buffer<float> residual_, logits_;
  Buffer<float2> attention_sum_;
  Buffer<unsigned> arrivals_;
  Buffer<uint64_t> mailboxes_;
  Buffer<int> out_;
  Buffer<uint8_t> seen_;
  Buffer<StepInputs> inputs_;
  std::vector<std::string> missing_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t started_ = nullptr, stopped_ = nullptr;
  uint64_t steps_ = 0;
  unsigned hand_over_ = 1;  // the sequence number of the next step's first hand-over
  double seconds_ = 0.0;
};

}  // namespace hipport_llm

#endif
