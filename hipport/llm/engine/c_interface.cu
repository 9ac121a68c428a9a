// The C interface: turns exceptions into error codes and messages.
#include <algorithm>
#include <numeric>

#include "engine.h"

struct hipport_llm_engine {
  explicit hipport_llm_engine(const hipport_llm_config& config) : engine(config) {}

  hipport_llm::Engine engine;
  std::string error;
};

namespace {

// Of hipport_llm_open(), which has no engine to keep it.
thread_local std::string open_error;

template <typename Action>
int attempt(std::string& error, const Action& action) {
  try {
    action();
    return 0;
  } catch (const std::exception& exception) {
    error = exception.what();
    return 1;
  }
}

}  // namespace

extern "C" {

int hipport_llm_open(const hipport_llm_config* config, hipport_llm_engine** engine) {
  return attempt(open_error, [&] { *engine = new hipport_llm_engine(*config); });
}

void hipport_llm_close(hipport_llm_engine* engine) { delete engine; }

const char* hipport_llm_error(const hipport_llm_engine* engine) {
  return engine != nullptr ? engine->error.c_str() : open_error.c_str();
}

int hipport_llm_load(hipport_llm_engine* engine, const char* name, int32_t layer, const void* data, size_t bytes) {
  return attempt(engine->error, [&] { engine->engine.load(name, layer, data, bytes); });
}

int hipport_llm_load_native(hipport_llm_engine* engine, const char* name, int32_t layer, int32_t format, int32_t group,
                            const void* data, size_t bytes) {
  return attempt(engine->error, [&] { engine->engine.load_native(name, layer, format, group, data, bytes); });
}

int hipport_llm_prefill(hipport_llm_engine* engine, int32_t sequence, int32_t position, const int32_t* tokens,
                        int32_t count, float* logits) {
  return attempt(engine->error, [&] { engine->engine.prefill(sequence, position, tokens, count, logits); });
}

int hipport_llm_decode(hipport_llm_engine* engine, const int32_t* sequences, const int32_t* positions,
                       const int32_t* tokens, int32_t count, const hipport_llm_sampling* sampling, int32_t* next,
                       float* logits) {
  std::vector<int32_t> rows(std::max(count, 0));
  std::iota(rows.begin(), rows.end(), 0);
  hipport_llm_step_options options = {};
  options.logit_rows = rows.data();
  options.logit_count = logits != nullptr ? count : 0;
  return hipport_llm_decode_with(engine, sequences, positions, tokens, count, sampling, &options, next, logits);
}

int hipport_llm_decode_with(hipport_llm_engine* engine, const int32_t* sequences, const int32_t* positions,
                            const int32_t* tokens, int32_t count, const hipport_llm_sampling* sampling,
                            const hipport_llm_step_options* options, int32_t* next, float* logits) {
  return attempt(engine->error,
                 [&] { engine->engine.decode(sequences, positions, tokens, count, sampling, *options, next, logits); });
}

int hipport_llm_hidden(hipport_llm_engine* engine, int32_t sequence, int32_t position, const int32_t* tokens,
                       int32_t count, void* hidden) {
  return attempt(engine->error, [&] { engine->engine.hidden(sequence, position, tokens, count, hidden); });
}

int hipport_llm_reuse(hipport_llm_engine* engine, int32_t sequence, const int32_t* tokens, int32_t count,
                      int32_t* reused) {
  return attempt(engine->error, [&] { *reused = engine->engine.reuse(sequence, tokens, count); });
}

int hipport_llm_generate(hipport_llm_engine* engine, int32_t sequence, int32_t position, int32_t token, int32_t count,
                         int32_t* out) {
  return attempt(engine->error, [&] { engine->engine.generate(sequence, position, token, count, out); });
}

int hipport_llm_reset(hipport_llm_engine* engine, int32_t sequence) {
  return attempt(engine->error, [&] { engine->engine.reset(sequence); });
}

int hipport_llm_get_stats(hipport_llm_engine* engine, hipport_llm_stats* stats) {
  return attempt(engine->error, [&] { *stats = engine->engine.stats(); });
}

int hipport_llm_read_bandwidth(hipport_llm_engine* engine, double* bytes_per_second) {
  return attempt(engine->error, [&] { *bytes_per_second = engine->engine.read_bandwidth(); });
}

}  // extern "C"
