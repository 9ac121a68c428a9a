// SPDX-License-Identifier: MIT
// `cub::BlockScan` and `cub::WarpScan` with the scans that hipCUB's lack: `InclusiveScan` with an initial value, which
// these have since ROCm 7.0, and `ExclusiveScan` of a block without one.
#ifndef HIPPORT_COMPAT_CUB_SCANS_H
#define HIPPORT_COMPAT_CUB_SCANS_H

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP)

#include <hipcub/hipcub.hpp>
#include <rocprim/rocprim.hpp>

namespace hipport {
namespace compat {

// The parameters are hipCUB's; the last ones differ between its releases.
template <typename T, int X, ::hipcub::BlockScanAlgorithm Algorithm = ::hipcub::BLOCK_SCAN_RAKING, int Y = 1, int Z = 1,
          int... Rest>
class CubBlockScan : public ::hipcub::BlockScan<T, X, Algorithm, Y, Z, Rest...> {
  typedef ::hipcub::BlockScan<T, X, Algorithm, Y, Z, Rest...> Base;

 public:
  typedef typename Base::TempStorage TempStorage;

  __device__ inline CubBlockScan() : CubBlockScan(own_storage()) {}
  __device__ inline CubBlockScan(TempStorage& storage) : Base(storage), storage_(storage) {}

  using Base::ExclusiveScan;
  using Base::InclusiveScan;

  // As in CUB, an aggregate is without the initial value.
  template <int N, typename Op>
  __device__ inline void InclusiveScan(T (&input)[N], T (&output)[N], T initial, Op op, T& aggregate) {
    Base::InclusiveScan(input, output, op, aggregate);
    for (int i = 0; i < N; ++i) output[i] = op(initial, output[i]);
  }
  template <int N, typename Op>
  __device__ inline void InclusiveScan(T (&input)[N], T (&output)[N], T initial, Op op) {
    T aggregate;
    InclusiveScan(input, output, initial, op, aggregate);
  }

  // What the first thread gets is undefined.
  template <typename Op>
  __device__ inline void ExclusiveScan(T input, T& output, Op op, T& aggregate) {
    T sum;
    Base::InclusiveScan(input, sum, op, aggregate);
    output = of_thread_before(sum);
  }
  template <typename Op>
  __device__ inline void ExclusiveScan(T input, T& output, Op op) {
    T aggregate;
    ExclusiveScan(input, output, op, aggregate);
  }
  template <int N, typename Op>
  __device__ inline void ExclusiveScan(T (&input)[N], T (&output)[N], Op op, T& aggregate) {
    T sum = input[0];
    for (int i = 1; i < N; ++i) sum = op(sum, input[i]);
    T before;
    ExclusiveScan(sum, before, op, aggregate);
    for (int i = 0; i < N; ++i) {
      const T item = input[i];  // input and output may be the same
      output[i] = before;
      before = i == 0 && thread() == 0 ? item : op(before, item);
    }
  }
  template <int N, typename Op>
  __device__ inline void ExclusiveScan(T (&input)[N], T (&output)[N], Op op) {
    T aggregate;
    ExclusiveScan(input, output, op, aggregate);
  }

 private:
  static constexpr int Threads = X * Y * Z;
  static constexpr int Slots = int(sizeof(TempStorage) / sizeof(T));
  // Of the threads that exchange values by shuffles: rocPRIM's storage has at least a value for each wavefront.
  static constexpr int Width = Slots >= (Threads + 31) / 32 ? 32 : 64;
  static_assert(Slots >= (Threads + Width - 1) / Width, "hipCUB's storage is too small for a scan without a value");

  TempStorage& storage_;

  __device__ inline static TempStorage& own_storage() {
    HIPCUB_SHARED_MEMORY TempStorage storage;
    return storage;
  }
  __device__ inline static int thread() { return int((threadIdx.z * Y + threadIdx.y) * X + threadIdx.x); }

  __device__ inline T of_thread_before(const T& value) {
    T* last = reinterpret_cast<T*>(&storage_);  // of each group of threads
    __syncthreads();                            // the scan has read its storage
    if (thread() % Width == Width - 1) last[thread() / Width] = value;
    __syncthreads();
    const T before = ::rocprim::warp_shuffle_up(value, 1, Width);
    return thread() % Width == 0 && thread() != 0 ? last[thread() / Width - 1] : before;
  }
};

template <typename T, int... Rest>
class CubWarpScan : public ::hipcub::WarpScan<T, Rest...> {
  typedef ::hipcub::WarpScan<T, Rest...> Base;

 public:
  __device__ inline CubWarpScan(typename Base::TempStorage& storage) : Base(storage) {}

  using Base::InclusiveScan;

  template <typename Op>
  __device__ inline void InclusiveScan(T input, T& output, T initial, Op op, T& aggregate) {
    Base::InclusiveScan(input, output, op, aggregate);
    output = op(initial, output);
  }
  template <typename Op>
  __device__ inline void InclusiveScan(T input, T& output, T initial, Op op) {
    T sum;
    Base::InclusiveScan(input, sum, op);
    output = op(initial, sum);
  }
};

}  // namespace compat
}  // namespace hipport

// Beside those of hipCUB, so that `cub::`, its aliases and `using namespace cub` find them.
namespace hipcub {
using ::hipport::compat::CubBlockScan;
using ::hipport::compat::CubWarpScan;
}  // namespace hipcub

#endif

#endif
