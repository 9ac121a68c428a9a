#include "logit_changer.h"

#include "../kernels/change_logits.cuh"

namespace hipport_llm {

namespace {

int words_of(int vocabulary) { return (vocabulary + 31) / 32; }

void expect(bool holds, const char* what) {
  if (!holds) throw EngineError(what);
}

template <typename T>
void put(Buffer<T>& buffer, const T* from, size_t count, cudaStream_t stream) {
  if (buffer.count() < count) buffer = Buffer<T>(2 * count, "changes of logits");
  if (count > 0) buffer.upload(from, count, stream);
}

}  // namespace

void LogitChanger::check_changes(const hipport_llm_step_options& options, int count, int vocabulary) {
  expect(options.starts != nullptr && options.mask_rows != nullptr, "changes of logits without their tokens");
  expect(options.starts[0] == 0, "the changes of logits do not begin with the first");
  for (int i = 0; i < count; ++i) {
    expect(options.starts[i] <= options.starts[i + 1], "the changes of logits are not in order");
    expect(options.mask_rows[i] >= -1 && options.mask_rows[i] < options.mask_count, "a mask of tokens is missing");
  }
  for (int i = 0; i < options.starts[count]; ++i)
    expect(options.tokens[i] >= 0 && options.tokens[i] < vocabulary, "a logit to change is not in the vocabulary");
}

void LogitChanger::run(const hipport_llm_step_options& options, int count, int vocabulary, float* logits,
                       cudaStream_t stream) {
  const int entries = options.starts[count];
  put(starts_, options.starts, count + 1, stream);
  put(mask_rows_, options.mask_rows, count, stream);
  put(tokens_, options.tokens, entries, stream);
  put(values_, options.values, entries, stream);
  put(masks_, options.masks, static_cast<size_t>(options.mask_count) * words_of(vocabulary), stream);
  const LogitChanges changes = {starts_.get(),    tokens_.get(), values_.get(),
                                mask_rows_.get(), masks_.get(),  words_of(vocabulary)};
  change_logits_kernel<<<count, kSampleThreads, 0, stream>>>(logits, vocabulary, changes);
  check(cudaGetLastError(), "changing logits");
}

}  // namespace hipport_llm
