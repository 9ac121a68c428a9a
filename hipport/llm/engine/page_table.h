// Assigns pages of the KV cache to sequences.
#ifndef HIPPORT_LLM_PAGE_TABLE_H
#define HIPPORT_LLM_PAGE_TABLE_H

#include <vector>

#include "../kernels/model.h"
#include "device.h"

namespace hipport_llm {

// The table is kept on the host, and copied to the device when it changes.
class PageTable {
 public:
  PageTable() = default;
  PageTable(int sequences, int max_positions)
      : per_sequence_((max_positions + kPageTokens - 1) / kPageTokens),
        used_(sequences, 0),
        table_(static_cast<size_t>(sequences) * per_sequence_, 0),
        device_(table_.size(), "page tables") {
    for (int page = sequences * per_sequence_; page-- > 0;) free_.push_back(page);
  }

  int per_sequence() const { return per_sequence_; }
  int count() const { return static_cast<int>(table_.size()); }
  const int* device() const { return device_.get(); }

  // Assigns pages to a sequence for its first `positions` tokens.
  void reserve(int sequence, int positions, cudaStream_t stream) {
    int& used = used_[sequence];
    const int needed = (positions + kPageTokens - 1) / kPageTokens, before = used;
    const size_t row = static_cast<size_t>(sequence) * per_sequence_;
    for (; used < needed; ++used) {
      table_[row + used] = free_.back();
      free_.pop_back();
    }
    if (used > before) device_.upload(&table_[row + before], used - before, stream, row + before);
  }

  void release(int sequence) {
    const size_t row = static_cast<size_t>(sequence) * per_sequence_;
    for (int i = 0; i < used_[sequence]; ++i) free_.push_back(table_[row + i]);
    used_[sequence] = 0;
  }

 private:
  int per_sequence_ = 0;
  std::vector<int> used_, table_, free_;
  Buffer<int> device_;
};

}  // namespace hipport_llm

#endif
