// Assigns pages of the KV cache to sequences. Sequences with the same first tokens share pages.
#ifndef HIPPORT_LLM_PAGE_TABLE_H
#define HIPPORT_LLM_PAGE_TABLE_H

#include <array>
#include <list>
#include <map>
#include <utility>
#include <vector>

#include "../kernels/model.h"
#include "device.h"

namespace hipport_llm {

// A full page can be found by its tokens and those before it, and stays so after its sequence was released, until the
// memory is needed: the page that was released first is taken first. The table is kept on the host, and copied to the
// device when it changes.
class PageTable {
 public:
  // A page whose contents must be copied to another before that is written.
  struct Copy {
    int from, to;
  };

  PageTable() = default;
  PageTable(int sequences, int max_positions)
      : per_sequence_((max_positions + kPageTokens - 1) / kPageTokens),
        sequences_(sequences),
        pages_(static_cast<size_t>(sequences) * per_sequence_),
        device_(pages_.size(), "page tables") {
    for (int page = 0; page < count(); ++page) rest(page, idle_.end());
  }
  PageTable(const PageTable&) = delete;
  PageTable& operator=(const PageTable&) = delete;

  int per_sequence() const { return per_sequence_; }
  int count() const { return static_cast<int>(pages_.size()); }
  const int* device() const { return device_.get(); }

  // Assigns pages to a sequence for its first `end` positions, of which those from `first` on will be written: they are
  // not shared any more. Returns what is to be copied before.
  std::vector<Copy> reserve(int sequence, int first, int end, cudaStream_t stream);

  // Notes the tokens whose keys and values have been written from `position` on.
  void record(int sequence, int position, const int32_t* tokens, int count);

  // Gives a sequence without pages those that have the first of these tokens. Returns the number of their positions.
  int reuse(int sequence, const int32_t* tokens, int count, cudaStream_t stream);

  void release(int sequence);

 private:
  // Identifies a page together with all pages before it. A number is used once.
  using Entry = uint64_t;
  static constexpr Entry kNone = 0;
  using Key = std::pair<Entry, std::array<int32_t, kPageTokens>>;
  using Index = std::map<Key, int>;

  struct Page {
    int references = 0;
    Entry entry = kNone;            // kNone: the page is not in the index
    Index::iterator found;          // its place in the index
    std::list<int>::iterator idle;  // its place in idle_ if there are no references
  };

  struct Sequence {
    std::vector<int> pages;
    std::vector<int32_t> tokens;  // whose keys and values are in the pages; -1: unknown
    std::vector<Entry> chain;     // of the full pages: the entry with the same tokens, or kNone
  };

  int take();
  void rest(int page, std::list<int>::iterator before) { pages_[page].idle = idle_.insert(before, page); }
  void forget(int page);
  void add_full_page(Sequence& sequence);

  int per_sequence_ = 0;
  std::vector<Sequence> sequences_;
  std::vector<Page> pages_;
  std::list<int> idle_;  // without references, in the order in which they are taken
  Index index_;
  Entry last_entry_ = kNone;
  Buffer<int> device_;
};

}  // namespace hipport_llm

#endif
