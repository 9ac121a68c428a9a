#include "page_table.h"

#include <algorithm>

namespace hipport_llm {

std::vector<PageTable::Copy> PageTable::reserve(int sequence, int first, int end, cudaStream_t stream) {
  std::vector<int>& own = sequences_[sequence].pages;
  const int needed = (end + kPageTokens - 1) / kPageTokens;
  int changed = needed;
  std::vector<Copy> copies;
  for (int i = first / kPageTokens; i < std::min<int>(needed, own.size()); ++i) {
    const int page = own[i];
    if (pages_[page].references == 1) {
      forget(page);  // its contents will be others
      continue;
    }
    own[i] = take();
    --pages_[page].references;
    copies.push_back({page, own[i]});
    changed = std::min(changed, i);
  }
  changed = std::min<int>(changed, own.size());
  while (static_cast<int>(own.size()) < needed) own.push_back(take());
  if (changed < needed)
    device_.upload(&own[changed], needed - changed, stream, static_cast<size_t>(sequence) * per_sequence_ + changed);
  return copies;
}

void PageTable::record(int sequence, int position, const int32_t* tokens, int count) {
  Sequence& own = sequences_[sequence];
  own.tokens.resize(position, -1);
  own.chain.resize(std::min<size_t>(own.chain.size(), position / kPageTokens));
  for (int i = 0; i < count; ++i) {
    own.tokens.push_back(tokens[i]);
    if (own.tokens.size() % kPageTokens == 0) add_full_page(own);
  }
}

// Adds the sequence's last page, which has just become full, to the index.
void PageTable::add_full_page(Sequence& own) {
  const size_t number = own.tokens.size() / kPageTokens - 1;
  own.chain.resize(number, kNone);
  Key key = {number == 0 ? kNone : own.chain[number - 1], {}};
  std::copy(own.tokens.end() - kPageTokens, own.tokens.end(), key.second.begin());
  const bool known = std::find(key.second.begin(), key.second.end(), -1) == key.second.end();
  if (!known || (number > 0 && key.first == kNone)) {
    own.chain.push_back(kNone);
    return;
  }
  const auto [found, is_new] = index_.try_emplace(key, own.pages[number]);
  if (is_new) {
    Page& page = pages_[own.pages[number]];
    page.entry = ++last_entry_;
    page.found = found;
  }
  own.chain.push_back(pages_[found->second].entry);
}

int PageTable::reuse(int sequence, const int32_t* tokens, int count, cudaStream_t stream) {
  Sequence& own = sequences_[sequence];
  if (!own.pages.empty()) return 0;
  Key key = {kNone, {}};
  for (int i = 0; (i + 1) * kPageTokens <= count; ++i) {
    std::copy_n(tokens + i * kPageTokens, kPageTokens, key.second.begin());
    const auto found = index_.find(key);
    if (found == index_.end()) break;
    Page& page = pages_[found->second];
    if (page.references++ == 0) idle_.erase(page.idle);
    own.pages.push_back(found->second);
    own.chain.push_back(page.entry);
    key.first = page.entry;
  }
  const int positions = static_cast<int>(own.pages.size()) * kPageTokens;
  own.tokens.assign(tokens, tokens + positions);
  if (positions > 0)
    device_.upload(own.pages.data(), own.pages.size(), stream, static_cast<size_t>(sequence) * per_sequence_);
  return positions;
}

// Of a sequence the last pages are taken first, because without the ones before they cannot be found.
void PageTable::release(int sequence) {
  Sequence& own = sequences_[sequence];
  for (auto page = own.pages.rbegin(); page != own.pages.rend(); ++page)
    if (--pages_[*page].references == 0) rest(*page, pages_[*page].entry == kNone ? idle_.begin() : idle_.end());
  own = {};
}

// There is always an idle page, because there are as many pages as all sequences can have without sharing any.
int PageTable::take() {
  const int page = idle_.front();
  idle_.pop_front();
  forget(page);
  pages_[page].references = 1;
  return page;
}

// Removes a page from the index.
void PageTable::forget(int page) {
  if (pages_[page].entry == kNone) return;
  index_.erase(pages_[page].found);
  pages_[page].entry = kNone;
}

}  // namespace hipport_llm
