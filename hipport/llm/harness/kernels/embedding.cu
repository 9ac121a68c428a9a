// Rows of a table, each plus a row of another table.
//
// sizes: rows, width. buffers: numbers [rows] of int, table, out [rows][width]; more numbers [rows] of int and a second
// table may be null.
#include "../../operators/epilogue.cuh"
#include "../registry.h"

namespace hipport_llm {

namespace {

struct Rows {
  const int* numbers;
  const __half* table;
  __half* out;
  const int* more_numbers;
  const __half* more;
  int rows, width;

  explicit Rows(const Launch& l)
      : numbers(l.buffer<int>(0)),
        table(l.buffer<__half>(1)),
        out(l.buffer<__half>(2)),
        more_numbers(l.buffer<int>(3)),
        more(l.buffer<__half>(4)),
        rows(l.size(0)),
        width(l.size(1)) {}

  // Up to eight columns of a row.
  __device__ void copy(int row, int column, int count) const {
    float values[8] = {};
    add_halves(values, load_halves(table + static_cast<int64_t>(numbers[row]) * width + column, count));
    if (more != nullptr)
      add_halves(values, load_halves(more + static_cast<int64_t>(more_numbers[row]) * width + column, count));
    Store{out, width}.write(values, row, column, count);
  }
};

__global__ void one_kernel(Rows rows) {
  const int64_t at = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at < static_cast<int64_t>(rows.rows) * rows.width)
    rows.copy(static_cast<int>(at / rows.width), static_cast<int>(at % rows.width), 1);
}

__global__ void eight_kernel(Rows rows) {
  const int column = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
  if (column < rows.width) rows.copy(blockIdx.y, column, min(8, rows.width - column));
}

void one(const Launch& launch) {
  const Rows rows(launch);
  one_kernel<<<blocks_for(static_cast<int64_t>(rows.rows) * rows.width, launch.block()), launch.block(), 0,
               launch.stream()>>>(rows);
}

void eight(const Launch& launch) {
  const Rows rows(launch);
  const dim3 grid(blocks_for(rows.width, launch.block() * 8), rows.rows);
  eight_kernel<<<grid, launch.block(), 0, launch.stream()>>>(rows);
}

const Registered v1("embedding", 1, "A thread for each element.", {64, 128, 256}, one);
const Registered v2("embedding", 2, "16 bytes a thread, and no divisions.", {64, 96, 128}, eight);

}  // namespace

}  // namespace hipport_llm
