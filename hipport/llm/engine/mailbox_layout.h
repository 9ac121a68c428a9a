// Where the mailboxes of a decode step are in one array of packets.
#ifndef HIPPORT_LLM_MAILBOX_LAYOUT_H
#define HIPPORT_LLM_MAILBOX_LAYOUT_H

#include "../kernels/model.h"

namespace hipport_llm {

// Offsets in packets of two elements. All lengths are even, so that two packets can be read at once.
struct MailboxLayout {
  int64_t qkv, parts, attention, middle, hidden, residual, packets;

  explicit MailboxLayout(const Shape& shape) {
    qkv = 0;
    parts = qkv + shape.qkv_rows() / 2;
    attention = parts + static_cast<int64_t>(shape.heads) * kMaxSplits * (shape.head_width / 2 + 2);
    middle = attention + shape.query_width() / 2;
    hidden = middle + shape.width / 2;
    residual = hidden + shape.hidden / 2;
    packets = residual + shape.width / 2;
  }
};

}  // namespace hipport_llm

#endif
