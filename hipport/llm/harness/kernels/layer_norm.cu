// LayerNorm of rows, after another matrix has been added.
//
// sizes: rows, width. numbers: epsilon. buffers: input, out, factors [width], summands [width]; residual [rows][width], and
// summed [rows][width], which gets input + residual, may be null.
#include "../../operators/normalize.cuh"
#include "../registry.h"

namespace hipport_llm {

namespace {

// A row is an image with one position and one group.
Groups groups_of(const Launch& l) {
  const int width = l.size(1);
  return {l.buffer<__half>(0),
          l.buffer<__half>(4),
          l.buffer<__half>(2),
          l.buffer<__half>(3),
          l.buffer<__half>(1),
          l.buffer<__half>(5),
          1,
          width,
          1,
          Merge<2>{{Divisor(width)}},
          l.number(0)};
}

void alone(const Launch& launch) {
  normalize_alone_kernel<<<blocks_for(launch.size(0), launch.block()), launch.block(), 0, launch.stream()>>>(
      groups_of(launch), launch.size(0));
}

void block_a_row(const Launch& launch) {
  normalize_kernel<<<launch.size(0), launch.block(), 0, launch.stream()>>>(groups_of(launch));
}

void eight_at_once(const Launch& launch) {
  if (launch.size(1) % 8 != 0) return block_a_row(launch);
  normalize_eight_kernel<<<launch.size(0), launch.block(), 0, launch.stream()>>>(groups_of(launch));
}

const Registered v1("layer_norm", 1, "A thread for each row, three times through memory.", {64, 256}, alone);
const Registered v2("layer_norm", 2, "A block for each row: sums over its threads.", {64, 256, 1024}, block_a_row);
const Registered v3("layer_norm", 3, "Loads and stores of 16 bytes; the row stays in registers.", {64, 128, 256},
                    eight_at_once);

}  // namespace

}  // namespace hipport_llm
