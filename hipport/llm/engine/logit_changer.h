// Uploads the changes of a step's logits and launches the kernel that makes them.
#ifndef HIPPORT_LLM_LOGIT_CHANGER_H
#define HIPPORT_LLM_LOGIT_CHANGER_H

#include "device.h"
#include "hipport_llm.h"

namespace hipport_llm {

class LogitChanger {
 public:
  // Throws EngineError for changes of tokens that do not exist.
  static void check_changes(const hipport_llm_step_options& options, int count, int vocabulary);

  // Changes the logits of a step for `count` tokens. The stream must have finished the previous changes.
  void run(const hipport_llm_step_options& options, int count, int vocabulary, float* logits, cudaStream_t stream);

 private:
  Buffer<int> starts_, tokens_, mask_rows_;
  Buffer<float> values_;
  Buffer<uint32_t> masks_;
};

}  // namespace hipport_llm

#endif
