// Brings the planes of a matrix from the order in files to that of NativeMatrix.
#ifndef HIPPORT_LLM_NATIVE_ORDER_CUH
#define HIPPORT_LLM_NATIVE_ORDER_CUH

#include "native_matrix.h"

namespace hipport_llm {

constexpr int kOrderThreads = 256;

// Grid: (the bytes of a row, rows). A row has pieces of `bytes`; in `from`, rows are one after the other.
static __global__ void __launch_bounds__(kOrderThreads)
    interleave_rows_kernel(const uint8_t* from, int pieces, int bytes, uint8_t* to) {
  const int row = blockIdx.y, i = blockIdx.x * kOrderThreads + threadIdx.x;
  if (i >= pieces * bytes) return;
  const int64_t place = NativeMatrix::place(row, i / bytes, pieces);
  to[place * bytes + i % bytes] = from[static_cast<int64_t>(row) * pieces * bytes + i];
}

}  // namespace hipport_llm

#endif
