#include <algorithm>
#include <cstdio>

#include "../kernels/next_token.cuh"
#include "engine.h"

namespace hipport_llm {

namespace {

// Positions of a head for which another block is worthwhile. (Measured on an H200.)
constexpr int kBlockPositions = 128;

// Returns how many blocks share the positions of one head: more for longer sequences, as long as blocks are idle.
int splits_for(int blocks, int heads, int longest) {
  return std::max(1, std::min({kMaxSplits, blocks / heads, (longest + kBlockPositions - 1) / kBlockPositions}));
}

// A generator with good mixing of consecutive seeds (Steele et al. 2014, splitmix64).
uint64_t mixed(uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

__global__ void read_kernel(const uint4* from, int64_t count, unsigned* never) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  unsigned all = 0;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += 4 * step) {
    uint4 values[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) values[j] = i + j * step < count ? __ldcs(from + i + j * step) : make_uint4(0, 0, 0, 0);
#pragma unroll
    for (int j = 0; j < 4; ++j) all ^= values[j].x ^ values[j].y ^ values[j].z ^ values[j].w;
  }
  if (all == 0x9e3779b9u) *never = all;  // keeps the compiler from removing the loads
}

void expect(bool holds, const std::string& what) {
  if (!holds) throw EngineError(what);
}

// The most tokens that go through a layer at once.
[[maybe_unused]] int most_tokens(const Shape& shape) { return std::max(Prefill::at_once(shape), kMaxBatch); }

NativeProducts native_products(const Shape& shape, const Traits& traits, uint64_t bytes) {
#if HIPPORT_LLM_NATIVE
  return {shape, traits, static_cast<int64_t>(bytes), most_tokens(shape)};
#else
  (void)shape;
  (void)traits;
  (void)bytes;
  return {};
#endif
}

// A part of the engine that only some models have, in general builds.
template <typename Part>
Part part_if(bool has, const Shape& shape, const Layers& layers, const NativeProducts& native) {
#if HIPPORT_LLM_GENERAL
  if (has) return {shape, layers, most_tokens(shape), native};
#else
  (void)has;
  (void)shape;
  (void)layers;
  (void)native;
#endif
  return {};
}

void expect_routing(const hipport_llm_config& c) {
  expect(c.expert_scores >= 0 && c.expert_scores <= 2, "there is no such kind of scores");
  const int groups = std::max(c.expert_groups, 1), chosen = std::max(c.expert_groups_chosen, 1);
  expect(c.expert_groups >= 0 && groups <= kMostGroups && c.experts % groups == 0,
         "experts must be in up to " + std::to_string(kMostGroups) + " groups of one size");
  expect(chosen <= groups && c.experts_chosen <= int64_t{c.experts} / groups * chosen,
         "the chosen groups have too few experts");
}

void expect_latents(const hipport_llm_config& c) {
  expect(c.latent_rank % 64 == 0 && c.query_rank >= 0 && c.query_rank % 64 == 0,
         "latent vectors must be multiples of 64 wide");
  for (const int width : {c.nope_width, c.rope_width, c.value_width})
    expect(width > 0 && width % 16 == 0, "parts of latent attention's heads must be multiples of 16 wide");
  expect(c.latent_rank <= kMostRank && c.rope_width <= kMostRope,
         "latent vectors are up to " + std::to_string(kMostRank) + " wide, and rotated parts of heads up to " +
             std::to_string(kMostRope));
  expect(int64_t{c.nope_width} + c.rope_width <= c.head_width && c.value_width <= c.head_width,
         "heads are narrower than what latent attention makes");
  expect(int64_t{c.heads} * c.value_width % 64 == 0, "the values of all heads must be a multiple of 64");
  expect(c.kv_heads == c.heads && c.qkv_bias == 0 && c.head_norms == 0,
         "latent attention has keys of each head, without biases and norms");
}

}  // namespace

#if HIPPORT_LLM_NATIVE_STEPS

DecodeStepKernel decode_step_kernel_for(int /*count*/, int head_width) {
  return head_width == 128 ? &decode_step_kernel<1, 128> : &decode_step_kernel<1, 64>;
}

#elif !HIPPORT_LLM_NATIVE

DecodeStepKernel decode_step_kernel_for(int count, int head_width) {
  const bool wide = head_width == 128;
  switch (count) {
    case 1: return wide ? &decode_step_kernel<1, 128> : &decode_step_kernel<1, 64>;
    case 2: return wide ? &decode_step_kernel<2, 128> : &decode_step_kernel<2, 64>;
    case 4: return wide ? &decode_step_kernel<4, 128> : &decode_step_kernel<4, 64>;
    default: return wide ? &decode_step_kernel<8, 128> : &decode_step_kernel<8, 64>;
  }
}

#endif

Shape shape_of(const hipport_llm_config& c) {
  expect(c.layers > 0 && c.vocabulary > 0 && c.max_positions > 0 && c.max_sequences > 0,
         "a model without layers, words or room");
  expect(c.width > 0 && c.width % 64 == 0 && c.width <= kMaxWidth, "the width must be a multiple of 64 up to 8192");
  expect(c.hidden > 0 && c.hidden % 64 == 0, "the feed-forward width must be a multiple of 64");
  for (const int columns : {c.width, c.hidden, c.heads * c.head_width})
    expect(columns % kTileColumns == 0, "widths must be multiples of " + std::to_string(kTileColumns));
  if (kGeneral)
    expect(c.head_width == HIPPORT_LLM_HEAD_WIDTH,
           "this engine was built for heads " + std::to_string(HIPPORT_LLM_HEAD_WIDTH) + " wide");
  else
    expect(c.head_width == 64 || c.head_width == 128, "heads must be 64 or 128 wide");
  expect(c.kv_heads > 0 && c.heads > 0 && c.heads % c.kv_heads == 0, "heads must be a multiple of the key-value heads");
  expect(c.max_tokens > 0, "a step needs at least one token");
  return {c.layers, c.width, c.hidden, c.heads, c.kv_heads, c.head_width, c.vocabulary, c.max_positions, c.epsilon};
}

Traits traits_of(const hipport_llm_config& c) {
  const Traits traits(c);
  expect(kGeneral || !traits.general(), "this engine was not built for models that differ so much from Llama");
  expect(c.activation >= 0 && c.activation <= 2, "there is no such activation");
  expect(c.experts >= 0 && c.experts <= kMostExperts, "there can be 512 experts");
  expect(c.experts == 0 || (c.experts_chosen > 0 && c.experts_chosen <= std::min(c.experts, kMostChosen)),
         "a token needs at least one expert, and takes at most " + std::to_string(kMostChosen));
  for (const int window : traits.windows) expect(window >= 0, "a window is less than 0");
  for (const int hidden : {c.dense_hidden, c.shared_hidden})
    expect(hidden >= 0 && hidden % 64 == 0, "feed-forward widths must be multiples of 64");
  expect(c.dense == nullptr || c.experts == 0 || c.dense_hidden > 0, "dense layers need a width");
  expect_routing(c);
  expect(c.latent_rank >= 0, "a latent vector is less than 0 wide");
  if (c.latent_rank > 0) expect_latents(c);
  return traits;
}

Engine::Engine(const hipport_llm_config& config)
    : shape_(shape_of(config)),
      traits_(traits_of(config)),
      tensors_(shape_, traits_),
      native_(native_products(shape_, traits_, config.native_bytes)),
      experts_(part_if<Experts>(traits_.experts(), shape_, tensors_.layers(traits_), native_)),
      latents_(part_if<LatentAttention>(traits_.has_latents(), shape_, tensors_.layers(traits_), native_)),
      pages_(config.max_sequences, config.max_positions),
      launcher_(shape_, pages_.per_sequence(), config.max_tokens),
      prefill_(shape_, tensors_.layers(traits_), native_, experts_, latents_),
      batch_step_(shape_, tensors_.layers(traits_), std::min(config.max_tokens, config.max_sequences),
                  persistent_tokens() + 1, native_, experts_, latents_) {
  const size_t tokens = launcher_.max_tokens(), sequences = config.max_sequences;
  const size_t slots =
      std::max<size_t>(tokens, batch_step_.max_tokens() > 0 ? BatchStep::slots(batch_step_.max_tokens()) : 0);
  cache_ = Buffer<CacheUnit>(page_units() * pages_.count() * shape_.layers, "the cache of keys and values");
  residual_ = Buffer<float>(slots * shape_.width, "a step");
  queries_ = Buffer<Number>(tokens * shape_.query_width(), "a step");
  attention_ = Buffer<Number>(tokens * shape_.query_width() * kMaxSplits, "a step");
  attention_sum_ = Buffer<float2>(tokens * shape_.heads * kMaxSplits, "a step");
  hidden_ = Buffer<Number>(tokens * shape_.hidden, "a step");
  logits_ = Buffer<float>(slots * shape_.vocabulary, "logits");
  arrivals_ = Buffer<unsigned>(1, "a step");
  hipport_llm::expect(slots <= kMaxBatch, "a step takes at most " + std::to_string(kMaxBatch) + " tokens");
  inputs_ = Buffer<StepInputs>(1, "a step");
  out_ = Buffer<int>(std::max<size_t>(slots, shape_.max_positions), "tokens");
  seen_ = Buffer<uint8_t>(sequences * shape_.vocabulary, "the tokens of sequences");
  mailboxes_ = Buffer<uint64_t>(MailboxLayout(shape_).packets, "a step");
  missing_ = tensors_.names();
  if (kNative)
    for (const std::string& name : native_.weights().names()) missing_.push_back(name);
  check(cudaStreamCreate(&stream_), "creating a stream");
  check(cudaEventCreate(&started_), "creating an event");
  check(cudaEventCreate(&stopped_), "creating an event");
  seen_.clear(stream_, 0, seen_.count());
  mailboxes_.clear(stream_, 0, mailboxes_.count());
}

Engine::~Engine() {
  if (stream_ != nullptr) (void)cudaStreamDestroy(stream_);
  if (started_ != nullptr) (void)cudaEventDestroy(started_);
  if (stopped_ != nullptr) (void)cudaEventDestroy(stopped_);
}

void Engine::load(const char* name, int layer, const void* data, size_t bytes) {
  const Tensor tensor = tensors_.find(name, layer);
  if (static_cast<size_t>(tensor.bytes) != bytes)
    throw EngineError("'" + std::string(name) + "' has " + std::to_string(tensor.bytes) + " bytes, not " +
                      std::to_string(bytes));
  check(cudaMemcpy(tensor.at, data, bytes, cudaMemcpyHostToDevice), "copying weights to the device");
  mark_loaded(tensors_.full_name(name, layer));
}

void Engine::load_native(const char* name, int layer, int format, int group, const void* data, size_t bytes) {
  hipport_llm::expect(kNative, "this engine was not built for the formats of model files");
  native_.weights().load(name, layer, format, group, data, bytes);
#if HIPPORT_LLM_GENERAL
  if (std::string(name) == "latent_heads") latents_.divide_heads(layer, stream_);
#endif
  mark_loaded(NativeWeights::full_name(name, layer));
}

void Engine::mark_loaded(const std::string& name) {
  missing_.erase(std::remove(missing_.begin(), missing_.end(), name), missing_.end());
  if (missing_.empty() && kNativeSteps) launcher_.take(native_.weights());
}

void Engine::prefill(int sequence, int position, const int32_t* tokens, int count, float* logits) {
  expect(sequence, position, count);
  expect_tokens(tokens, count);
  reserve(sequence, position, position + count);
  start_clock();
  const bool chunks = count > Prefill::kWorthwhile || persistent_tokens() < 2;
  const int at_once = chunks ? prefill_.at_once() : launcher_.max_tokens();
  for (int first = 0; first < count; first += at_once) {
    const int some = std::min(at_once, count - first);
    float* wanted = first + some == count ? logits : nullptr;
    if (chunks)
      prefill_chunk(sequence, position + first, tokens + first, some, wanted);
    else
      prefill_step(sequence, position + first, tokens + first, some, wanted);
  }
  stop_clock();
  pages_.record(sequence, position, tokens, count);
}

// Assigns pages for the positions up to `end`, of which those from `first` on will be written.
void Engine::reserve(int sequence, int first, int end) {
  const int64_t units = page_units(), layer = units * pages_.count();
  for (const PageTable::Copy& copy : pages_.reserve(sequence, first, end, stream_))
    for (int i = 0; i < shape_.layers; ++i)
      check(cudaMemcpyAsync(cache_.get() + i * layer + copy.to * units, cache_.get() + i * layer + copy.from * units,
                            units * sizeof(CacheUnit), cudaMemcpyDeviceToDevice, stream_),
            "copying a page of the cache");
}

// Writes keys and values like prefill(), and returns the normalized vectors that the head would be multiplied with.
void Engine::hidden(int sequence, int position, const int32_t* tokens, int count, void* hidden) {
  expect(sequence, position, count);
  expect_tokens(tokens, count);
  reserve(sequence, position, position + count);
  start_clock();
  for (int first = 0; first < count; first += prefill_.at_once()) {
    const int some = std::min(prefill_.at_once(), count - first);
    prefill_chunk(sequence, position + first, tokens + first, some, nullptr);
    prefill_.download_hidden(tensors_.model(), some,
                             static_cast<Number*>(hidden) + static_cast<int64_t>(first) * shape_.width, stream_);
  }
  stop_clock();
  pages_.record(sequence, position, tokens, count);
}

// Returns for how many of these tokens the cache has keys and values; the sequence, which must be empty, gets them.
int Engine::reuse(int sequence, const int32_t* tokens, int count) {
  expect(sequence, 0, count);
  expect_tokens(tokens, count);
  const int reused = pages_.reuse(sequence, tokens, count, stream_);
  if (reused == 0) return 0;
  std::vector<uint8_t> seen(shape_.vocabulary, 0);
  for (int i = 0; i < reused; ++i) seen[tokens[i]] = 1;
  seen_.upload(seen.data(), seen.size(), stream_, static_cast<size_t>(sequence) * shape_.vocabulary);
  check(cudaStreamSynchronize(stream_), "waiting for the device");
  return reused;
}

// Runs the prefill kernels for a chunk of a prompt.
void Engine::prefill_chunk(int sequence, int position, const int32_t* tokens, int count, float* logits) {
  const PromptChunk chunk = {position, count, pages_.device() + static_cast<int64_t>(sequence) * pages_.per_sequence()};
  prefill_.run(tensors_.model(), cache(), chunk, tokens, tensors_.embedding(),
               seen_.get() + static_cast<int64_t>(sequence) * shape_.vocabulary,
               logits != nullptr ? logits_.get() : nullptr, stream_);
  ++steps_;
  if (logits != nullptr) logits_.download(logits, shape_.vocabulary, stream_);
}

// Runs a decode step for a few tokens of a prompt.
void Engine::prefill_step(int sequence, int position, const int32_t* tokens, int count, float* logits) {
  std::vector<int32_t> sequences(count, sequence), positions(count);
  for (int i = 0; i < count; ++i) positions[i] = position + i;
  StepInputs inputs = {};
  const Tokens uploaded = upload(inputs, sequences.data(), positions.data(), tokens, count);
  begin(uploaded);
  step(uploaded, position + count, logits != nullptr);
  if (logits != nullptr)
    logits_.download(logits, shape_.vocabulary, stream_, static_cast<size_t>(count - 1) * shape_.vocabulary);
}

void Engine::decode(const int32_t* sequences, const int32_t* positions, const int32_t* tokens, int count,
                    const hipport_llm_sampling* sampling, const hipport_llm_step_options& options, int32_t* next,
                    float* logits) {
  hipport_llm::expect(count > 0 && count <= max_tokens(),
                      "a step takes 1 to " + std::to_string(max_tokens()) + " tokens");
  expect_tokens(tokens, count);
  int longest = 0;
  StepInputs inputs = {};
  for (int i = 0; i < count; ++i) {
    expect(sequences[i], positions[i], 1);
    longest = std::max(longest, positions[i] + 1);
    const hipport_llm_sampling& s = sampling[i];
    inputs.sampling[i] = {
        s.temperature, s.top_k, s.top_p, s.min_p, s.repetition_penalty, mixed(mixed(s.seed) + positions[i])};
    reserve(sequences[i], positions[i], positions[i] + 1);
  }
  if (options.starts != nullptr) LogitChanger::check_changes(options, count, shape_.vocabulary);
  for (int i = 0; i < options.logit_count; ++i)
    hipport_llm::expect(options.logit_rows[i] >= 0 && options.logit_rows[i] < count,
                        "logits of a token that is not there");
  start_clock();
  const Tokens uploaded = upload(inputs, sequences, positions, tokens, count);
  begin(uploaded);
  advance(uploaded, longest);
  if (logits != nullptr) download_logits(options, logits);
  if (options.starts != nullptr) logit_changer_.run(options, count, shape_.vocabulary, logits_.get(), stream_);
  pick(uploaded, inputs_.get()->sampling, 0);
  out_.download(next, count, stream_);
  stop_clock();
  for (int i = 0; i < count; ++i) pages_.record(sequences[i], positions[i], tokens + i, 1);
}

void Engine::download_logits(const hipport_llm_step_options& options, float* logits) {
  const size_t row = shape_.vocabulary;
  for (int i = 0; i < options.logit_count; ++i)
    logits_.download(logits + i * row, row, stream_, options.logit_rows[i] * row);
}

void Engine::generate(int sequence, int position, int32_t token, int count, int32_t* out) {
  expect(sequence, position, count);
  expect_tokens(&token, 1);
  reserve(sequence, position, position + count);
  start_clock();
  StepInputs inputs = {};
  const Tokens uploaded = upload(inputs, &sequence, &position, &token, 1);
  begin(uploaded);
  for (int i = 0; i < count; ++i) {
    advance(uploaded, position + i + 1);
    pick(uploaded, nullptr, i);
  }
  out_.download(out, count, stream_);
  stop_clock();
  if (count > 0) pages_.record(sequence, position, &token, 1);
  if (count > 1) pages_.record(sequence, position + 1, out, count - 1);
}

void Engine::reset(int sequence) {
  expect(sequence, 0, 0);
  pages_.release(sequence);
  seen_.clear(stream_, static_cast<size_t>(sequence) * shape_.vocabulary, shape_.vocabulary);
}

hipport_llm_stats Engine::stats() const {
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0), "asking for the device's properties");
  hipport_llm_stats stats = {};
  stats.device_bytes = tensors_.bytes() + native_.bytes() + cache_.bytes() + logits_.bytes() + seen_.bytes() +
                       prefill_.bytes() + batch_step_.bytes() + experts_.bytes() + latents_.bytes();
  const int chosen = traits_.choice.chosen;
  stats.token_bytes = tensors_.step_bytes(chosen) + native_.weights().step_bytes(chosen) + latents_.matrix_bytes();
  stats.steps = steps_;
  stats.step_seconds = seconds_;
  stats.blocks = launcher_.blocks();
  stats.max_tokens = max_tokens();
  std::snprintf(stats.device, sizeof(stats.device), "%s", device.name);
  return stats;
}

double Engine::read_bandwidth() {
  constexpr int tries = 5;
  const int64_t count = (kNative ? native_.weights().bytes() : tensors_.layer_bytes()) / 16;
  const uint8_t* from = kNative ? native_.weights().data() : tensors_.layers();
  double best = 0.0;
  for (int i = 0; i < tries; ++i) {
    const double before = seconds_;
    start_clock();
    read_kernel<<<launcher_.blocks() * 8, 512, 0, stream_>>>(reinterpret_cast<const uint4*>(from), count,
                                                             arrivals_.get());
    check(cudaGetLastError(), "reading memory");
    stop_clock();
    best = std::max(best, static_cast<double>(count) * 16.0 / (seconds_ - before));
    seconds_ = before;
  }
  return best;
}

void Engine::expect(int sequence, int position, int count) const {
  const int sequences = pages_.count() / pages_.per_sequence();
  hipport_llm::expect(
      sequence >= 0 && sequence < sequences,
      "there is no sequence " + std::to_string(sequence) + "; the engine was opened for " + std::to_string(sequences));
  hipport_llm::expect(position >= 0 && count >= 0 && position <= shape_.max_positions - count,
                      "position " + std::to_string(int64_t{position} + count) + " is beyond the " +
                          std::to_string(shape_.max_positions) + " that the engine was opened for");
}

void Engine::expect_tokens(const int32_t* tokens, int count) const {
  expect_loaded();
  for (int i = 0; i < count; ++i)
    hipport_llm::expect(
        tokens[i] >= 0 && tokens[i] < shape_.vocabulary,
        "there is no token " + std::to_string(tokens[i]) + " among " + std::to_string(shape_.vocabulary));
}

void Engine::expect_loaded() const {
  if (!missing_.empty())
    throw EngineError(std::to_string(missing_.size()) + " tensors have not been loaded, '" + missing_.front() +
                      "' for one");
}

// All inputs of a step are one copy, because each takes some microseconds. Those of unused slots are set, too.
Tokens Engine::upload(StepInputs& inputs, const int32_t* sequences, const int32_t* positions, const int32_t* tokens,
                      int count) {
  for (int i = 0; i < kMaxBatch; ++i) {
    inputs.tokens[i] = i < count ? tokens[i] : 0;
    inputs.positions[i] = i < count ? positions[i] : -1;
    inputs.sequences[i] = i < count ? sequences[i] : 0;
  }
  inputs_.upload(&inputs, 1, stream_);
  return {count, inputs_.get()->positions, inputs_.get()->sequences, true};
}

void Engine::begin(const Tokens& tokens) {
  const Scratch scratch = this->scratch(1);
  embed_tokens_kernel<<<tokens.count, kSampleThreads, 0, stream_>>>(next(), scratch, tokens, shape_);
  check(cudaGetLastError(), "starting a step");
}

void Engine::step(Tokens tokens, int longest, bool want_logits) {
  tokens.want_logits = want_logits;
  const int splits = splits_for(launcher_.blocks(), tokens.count * shape_.heads, longest);
  launcher_.run(tensors_.model(), cache(), tokens, scratch(splits), stream_);
  ++steps_;
  hand_over_ += shape_.layers + 1;
}

int Engine::persistent_tokens() const {
  if (kGeneral || traits_.limited()) return 0;
  return traits_.head_norms ? std::min(launcher_.step_tokens(), 1)
                            : std::min(launcher_.step_tokens(), BatchStep::kWorthwhile);
}

int Engine::max_tokens() const {
  const int persistent = persistent_tokens();
  return std::max(persistent > 1 ? launcher_.max_tokens() : persistent, batch_step_.max_tokens());
}

// Runs the step that is faster for so many tokens, or the only one that computes this model.
void Engine::advance(const Tokens& tokens, int longest) {
  if (tokens.count > persistent_tokens() && batch_step_.max_tokens() > 0)
    run_batch_step(tokens);
  else
    step(tokens, longest, true);
}

void Engine::run_batch_step(const Tokens& tokens) {
  const BatchTokens sequences = {tokens.positions, tokens.sequences, pages_.device(), pages_.per_sequence()};
  batch_step_.run({tensors_.model(), cache(), sequences, residual_.get(), logits_.get()}, tokens.count, stream_);
  ++steps_;
}

void Engine::pick(const Tokens& tokens, const Sampling* how, int step) {
  sample_kernel<<<tokens.count, kSampleThreads, 0, stream_>>>(next(), scratch(1), tokens, shape_, how, step);
  check(cudaGetLastError(), "picking tokens");
}

Scratch Engine::scratch(int splits) const {
  return {residual_.get(),      queries_.get(), attention_.get(),
          attention_sum_.get(), hidden_.get(),  logits_.get(),
          arrivals_.get(),      mailboxes(),    splits};
}

Mailboxes Engine::mailboxes() const {
  const MailboxLayout layout(shape_);
  uint64_t* at = mailboxes_.get();
  return {at + layout.qkv,      at + layout.parts, at + layout.attention, at + layout.middle, at + layout.hidden,
          at + layout.residual, hand_over_};
}

NextTokens Engine::next() const {
  StepInputs* inputs = inputs_.get();
  return {inputs->tokens, inputs->positions, out_.get(), seen_.get(), tensors_.embedding()};
}

int64_t Engine::page_units() const {
  if (traits_.has_latents()) return int64_t{kPageTokens} * cached_units(traits_.latent.cached());
  return int64_t{2} * shape_.kv_heads * kPageTokens * cached_units(shape_.head_width);
}

Cache Engine::cache() const {
  return {cache_.get(), page_units() * pages_.count(), pages_.device(), pages_.per_sequence()};
}

void Engine::start_clock() { check(cudaEventRecord(started_, stream_), "starting the clock"); }

void Engine::stop_clock() {
  float milliseconds = 0.0f;
  check(cudaEventRecord(stopped_, stream_), "stopping the clock");
  check(cudaStreamSynchronize(stream_), "waiting for the device");
  check(cudaEventElapsedTime(&milliseconds, started_, stopped_), "reading the clock");
  seconds_ += milliseconds / 1000.0;
}

}  // namespace hipport_llm
