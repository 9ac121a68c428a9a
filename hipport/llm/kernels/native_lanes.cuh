// Multiplies rows of matrices in the formats of model files with a vector on AMD GPUs, each lane its own weights.
//
// Of a stage a warp takes four quarters of 32 columns at a time, a block: lane 4g + t quarter t, of rows g of both octets,
// so that what a warp loads of an octet's plane is in one piece. A block of the next stage is loaded into the registers of
// one that has been multiplied, so that the loads of a whole stage are always on their way, as in matvec.cuh.
#ifndef HIPPORT_LLM_NATIVE_LANES_CUH
#define HIPPORT_LLM_NATIVE_LANES_CUH

#include "native_code_pairs.cuh"
#include "native_stream.cuh"
#include "native_vector.cuh"

#if defined(__HIP_PLATFORM_AMD__)

namespace hipport_llm {

constexpr int kBlockQuarters = 4, kStageBlocks = kStageQuarters / kBlockQuarters;

// A quarter of a row, in groups of at least `Group` columns: 16 or 32.
template <typename Format, int Group>
struct StoredQuarter {
  static constexpr int kGroups = 32 / Group;

  StoredCodes<typename Format::Codes, 4> codes;
  typename Format::Scales::Stored scales[kGroups];

  __device__ __forceinline__ void load(const NativeMatrix& matrix, const NativeRow& row, int quarter) {
    codes.load(matrix, row, quarter * 4);
#pragma unroll
    for (int i = 0; i < kGroups; ++i) scales[i] = Format::Scales::load(matrix, row, quarter * 32 + i * Group);
  }
};

// What was loaded, where it is used. Without it, AMD's compilers put bytes and halves of the next stage together in words,
// and so wait for its loads when those have only begun.
template <typename Stored>
__device__ __forceinline__ Stored arrived(Stored stored) {
  if constexpr (sizeof(Stored) % sizeof(int) == 0) {
    int words[sizeof(Stored) / sizeof(int)];
    memcpy(words, &stored, sizeof(Stored));
#pragma unroll
    for (int& word : words) word = opaque(word);
    memcpy(&stored, words, sizeof(Stored));
  }
  return stored;
}

// A lane's sums of rows g of both octets.
template <typename Format, int Group>
class LaneProducts {
 public:
  using Stored = StoredQuarter<Format, Group>;

  // Adds the products of quarter `quarter` of the vector.
  __device__ __forceinline__ void add(const Stored (&stored)[2], const NativeVector& vector, int quarter) {
#pragma unroll
    for (int i = 0; i < Stored::kGroups; ++i) add_group(stored, i, vector, quarter * 32 + i * Group);
  }

  __device__ __forceinline__ void store(float* sums, int lane) const {
    const float totals[2] = {low_, high_};
    store_totals(totals, sums, lane);
  }

 private:
  using Codes = typename Format::Codes;
  using Pairs = UnitPairs<Codes>;

  __device__ __forceinline__ void add_group(const Stored (&stored)[2], int group, const NativeVector& vector,
                                            int column) {
    const float2 all = vector_sums(vector, column);
    const float less = fmaf(Pairs::kEven.bias, all.x, Pairs::kOdd.bias / Pairs::kOdd.unit * all.y);
    float even[2] = {}, odd[2] = {};
#pragma unroll
    for (int j = 0; j < Group / 8; ++j) {
      const Eight x = load8(vector.values + column + j * 8);
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        Pair pairs[4];
        Pairs::decode(stored[i].codes.eighth(group * (Group / 8) + j), pairs);
        even[i] = dot2(pairs[2], x.pair(1), dot2(pairs[0], x.pair(0), even[i]));
        odd[i] = dot2(pairs[3], x.pair(3), dot2(pairs[1], x.pair(2), odd[i]));
      }
    }
    const float whole = all.x + all.y;
    low_ = scaled(stored[0].scales[group], fmaf(odd[0], 1.0f / Pairs::kOdd.unit, even[0]) - less, whole, low_);
    high_ = scaled(stored[1].scales[group], fmaf(odd[1], 1.0f / Pairs::kOdd.unit, even[1]) - less, whole, high_);
  }

  // `total` and a group, of which the codes' products are `sum`, and the vector's sum is `whole`.
  __device__ static float scaled(const typename Format::Scales::Stored& scales, float sum, float whole, float total) {
    const NativeScale own = Format::Scales::of(arrived(scales));
    total = fmaf(own.scale * pair_unit<Format>(), sum, total);
    return Format::Scales::kMinimums ? fmaf(-own.minimum, whole, total) : total;
  }

  __device__ static float2 vector_sums(const NativeVector& vector, int column) {
    const float2* own = vector.sums + column / NativeVector::kSumColumns;
    if constexpr (Group == 16) return own[0];
    const float4 both = *reinterpret_cast<const float4*>(own);
    return make_float2(both.x + both.z, both.y + both.w);
  }

  float low_ = 0.0f, high_ = 0.0f;
};

// A warp's stage and the one after it.
template <typename Format, int Group>
class NativeLaneStages {
 public:
  // Chooses the stage that is loaded next.
  __device__ __forceinline__ void aim(const NativeRowTiles& rows, int row_tile, int stage) {
    const OctetPair octets = rows.octets(row_tile);
    const int own = lane() / 4;
    weights_.octets[0] = octets.low.of->matrix;
    weights_.octets[1] = octets.high.of->matrix;
    weights_.rows[0] = NativeRow(weights_.octets[0], octets.low.number * kNativeRows + own);
    weights_.rows[1] = NativeRow(weights_.octets[1], octets.high.number * kNativeRows + own);
    first_ = stage * kStageQuarters;
    quarters_ = quarters_of(rows, stage);
  }

  // Loads one quarter again and again, which is in a cache.
  __device__ void aim_at_none() { quarters_ = 0; }

  __device__ __forceinline__ void load() {
#pragma unroll
    for (int block = 0; block < kStageBlocks; ++block) load(block);
  }

  // Multiplies the stage that is loaded, `quarters` from quarter `first` of a row on, and loads the next one.
  __device__ __forceinline__ void multiply(int first, int quarters, const NativeVector& vector, float* sums) {
    LaneProducts<Format, Group> products;
#pragma unroll
    for (int block = 0; block < kStageBlocks; ++block) {
      const int quarter = block * kBlockQuarters + lane() % 4;
      if (quarter < quarters) products.add(stored_[block], vector, first + quarter);
      load(block);
    }
    products.store(sums, lane());
  }

  __device__ int first() const { return first_; }
  __device__ int quarters() const { return quarters_; }

 private:
  __device__ static int lane() { return thread_index() % kLanes; }

  // Loads without a branch: behind one, the compiler no longer knows how many loads are on their way, and waits for all.
  __device__ __forceinline__ void load(int block) {
    const int quarter = block * kBlockQuarters + lane() % 4;
#pragma unroll
    for (int i = 0; i < 2; ++i)
      stored_[block][i].load(weights_.octets[i], weights_.rows[i], first_ + (quarter < quarters_ ? quarter : 0));
    keep_loads_in_order();
  }

  StoredQuarter<Format, Group> stored_[kStageBlocks][2];
  OctetLanes weights_;
  int first_, quarters_;
};

// Multiplies a warp's shares of rows that are stored alike: every kWarps-th from `first` on.
struct MultiplyRun {
  const NativeRowTiles& rows;
  int first_row, first, end, group_shift;
  const NativeVector& vector;
  float* sums;

  template <typename Format>
  __device__ __forceinline__ void operator()(Format) const {
    if (group_shift == 4)
      multiply<Format, 16>();
    else
      multiply<Format, 32>();
  }

 private:
  template <typename Format, int Group>
  __device__ __forceinline__ void multiply() const {
    const int stages = stages_of(rows);
    if (first >= end) return;
    int row = 0, stage = first;
    const auto find = [&](int step) {
      for (stage += step; stage >= stages; stage -= stages) ++row;
      return first_row + row * static_cast<int>(gridDim.x);
    };
    NativeLaneStages<Format, Group> weights;
    weights.aim(rows, find(0), stage);
    weights.load();
    for (int i = first; i < end; i += kWarps) {
      const int loaded = weights.first(), quarters = weights.quarters();
      if (i + kWarps < end)
        weights.aim(rows, find(kWarps), stage);
      else
        weights.aim_at_none();
      weights.multiply(loaded, quarters, vector, sums + i * kTileRows);
    }
  }
};

// The same in all lanes.
__device__ __forceinline__ int uniform(int value) {
#if defined(__AMDGCN__)
  return __builtin_amdgcn_readfirstlane(value);
#else
  return value;
#endif
}

__device__ __forceinline__ NativeKind kind_of(const NativeRowTiles& rows, int row_tile) {
  const NativeKind kind = rows.octets(row_tile).low.of->kind();
  return {uniform(kind.format), uniform(kind.group_shift)};
}

// Multiplies a warp's shares, rows that are stored alike at once. Writes `sums`, of 16 rows each.
template <int Count>
__device__ __forceinline__ void multiply_shares(NativeStream&, int next, const NativeRowTiles& rows, int first_row,
                                                int count, const NativeVector& vector, float* sums) {
  static_assert(Count == 1, "one vector");
  const int stages = stages_of(rows), step = gridDim.x;
  for (int row = 0, i = next; row * stages < count;) {
    const NativeKind kind = kind_of(rows, first_row + row * step);
    int end = row + 1;
    while (end * stages < count && kind_of(rows, first_row + end * step) == kind) ++end;
    visit_native(kind.format, MultiplyRun{rows, first_row, i, end * stages, kind.group_shift, vector, sums});
    while (i < end * stages) i += kWarps;
    row = end;
  }
}

}  // namespace hipport_llm

#endif

#endif
