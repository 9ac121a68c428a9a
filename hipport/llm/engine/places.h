// Where in one array of packets the blocks of a step hand their vectors to each other.
#ifndef HIPPORT_LLM_PLACES_H
#define HIPPORT_LLM_PLACES_H

#include "../kernels/model.h"

namespace hipport_llm {

// In packets of two elements. All lengths are even, so that two packets can be read at once.
struct MailPlaces {
  int64_t qkv, parts, attention, middle, hidden, residual, packets;

  explicit MailPlaces(const Shape& shape) {
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
