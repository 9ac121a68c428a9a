// Multiplies stages of matrices in the formats of model files with a vector on NVIDIA's matrix units.
//
// An instruction multiplies 16 rows with eight columns, of which one vector fills one. Instead of eight copies of it, each of
// four groups of weights has two columns, for even and odd pairs (native_vector.cuh): a lane brings the vector's part for
// one column, and zeros for the others. Lane 4g + t gets both sums of group t, and multiplies them with its scale.
#ifndef HIPPORT_LLM_NATIVE_UNITS_CUH
#define HIPPORT_LLM_NATIVE_UNITS_CUH

#include "native_stream.cuh"
#include "native_vector.cuh"
#include "tile_matvec.cuh"

#if !defined(__HIP_PLATFORM_AMD__)

namespace hipport_llm {

// What pairs hold instead of their codes: code * unit + bias.
struct PairForm {
  float bias, unit;
};

// The pairs of eight codes: of codes i and i + 4 each. Even pairs have one form, odd ones another or the same.
template <typename Codes>
struct UnitPairs {
  static constexpr PairForm kEven = {0.0f, 1.0f}, kOdd = {0.0f, 1.0f};

  __device__ static void decode(const StoredCodes<Codes, 1>& stored, Pair (&pairs)[4]) {
#if HIPPORT_LLM_BF16
    float codes[8];
    stored.decode(0, codes);
#pragma unroll
    for (int i = 0; i < 4; ++i) pairs[i] = pair_of(codes[i], codes[i + 4]);
#else
#pragma unroll
    for (int i = 0; i < 4; ++i) pairs[i] = CodePairs<Codes>::at(stored.low, stored.high[0], i);
#endif
  }
};

// Codes of 4 to 6 bits in the fraction of 1024 or, with bfloat16, of 128. In that of 1024, odd pairs stay where they are in
// a word, in sixteens.
template <int Zero>
struct SmallUnitPairs {
#if HIPPORT_LLM_BF16
  static constexpr bool kSixteens = false;
  static constexpr uint32_t kBase = 0x43004300u;
  static constexpr PairForm kEven = {128.0f + Zero, 1.0f}, kOdd = kEven;
#else
  static constexpr bool kSixteens = true;
  static constexpr uint32_t kBase = 0x64006400u;
  static constexpr PairForm kEven = {1024.0f + Zero, 1.0f}, kOdd = {1024.0f + 16 * Zero, 16.0f};
#endif

  // `Upper` is the place of the bits above the lower four; `upper` has those of all pairs, pair i's `i * Bits` further up.
  template <uint32_t Upper, int Bits>
  __device__ static void decode(uint32_t word, uint32_t upper, Pair (&pairs)[4]) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const bool sixteens = kSixteens && i % 2 == 1;
      pairs[i] =
          sixteens ? above<0x000f000fu << 4, kBase>(word >> 4 * (i - 1)) : above<0x000f000fu, kBase>(word >> 4 * i);
      if constexpr (Upper == 0) continue;
      const int down = i * Bits - (sixteens ? 4 : 0);
      const uint32_t moved = down >= 0 ? upper >> down : upper << -down;
      pairs[i] = as_pair(bits_of(pairs[i]) | (moved & (sixteens ? Upper << 4 : Upper)));
    }
  }

 private:
  __device__ static uint32_t bits_of(Pair pair) { return *reinterpret_cast<const uint32_t*>(&pair); }
};

template <int Zero>
struct UnitPairs<FourBitCodes<Zero>> : SmallUnitPairs<Zero> {
  __device__ static void decode(const StoredCodes<FourBitCodes<Zero>, 1>& stored, Pair (&pairs)[4]) {
    SmallUnitPairs<Zero>::template decode<0, 0>(stored.low[0], 0, pairs);
  }
};

template <int Zero>
struct UnitPairs<FiveBitCodes<Zero>> : SmallUnitPairs<Zero> {
  __device__ static void decode(const StoredCodes<FiveBitCodes<Zero>, 1>& stored, Pair (&pairs)[4]) {
    const uint32_t high = stored.high[0], upper = (high & 15u) << 4 | (high & 240u) << 16;
    SmallUnitPairs<Zero>::template decode<0x00100010u, 1>(stored.low[0], upper, pairs);
  }
};

template <>
struct UnitPairs<SixBitCodes> : SmallUnitPairs<32> {
  __device__ static void decode(const StoredCodes<SixBitCodes, 1>& stored, Pair (&pairs)[4]) {
    const uint32_t high = stored.high[0], upper = (high & 255u) << 4 | (high & 0xff00u) << 12;
    SmallUnitPairs<32>::decode<0x00300030u, 2>(stored.low[0], upper, pairs);
  }
};

#if !HIPPORT_LLM_BF16

template <>
struct UnitPairs<ByteCodes> {
  static constexpr PairForm kEven = {1024.0f + 128, 1.0f}, kOdd = kEven;

  __device__ static void decode(const StoredCodes<ByteCodes, 1>& stored, Pair (&pairs)[4]) {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      pairs[i] = as_pair((byte_pair(stored.low[0], stored.low[1], i) & 0x00ff00ffu) ^ 0x64806480u);
  }
};

#endif

// The products of a stage, of groups of at least `Group` columns: 16 or 32.
template <typename Format, int Group>
class NativeStageProducts {
 public:
  // Columns of a block, four groups.
  static constexpr int kColumns = 4 * Group, kQuarters = kColumns / 32;

  __device__ NativeStageProducts(const NativeVector& vector, int first_column, int lane)
      : sums_(vector.sums + (first_column + lane % 4 * Group) / NativeVector::kSumColumns), lane_(lane) {
    const uint8_t* own = reinterpret_cast<const uint8_t*>(vector.values + first_column) + lane % 4 * 16;
#pragma unroll
    for (int i = 0; i < kQuarters; ++i) {
      const int column = 2 * (Group == 32 ? i : 2 * i + lane % 4 / 2);
      vectors_[i][0] = lane / 4 == column ? own : vector.zeros;
      vectors_[i][1] = lane / 4 == column + 1 ? own + 8 : vector.zeros;
    }
  }

  // Adds the products of block `block`, of which `quarters` are there.
  __device__ __forceinline__ void add(const OctetLanes& weights, int block, int quarters) {
    const float2 vector = vector_sums(block, quarters);
    const float less = fmaf(Pairs::kEven.bias, vector.x, Pairs::kOdd.bias / Pairs::kOdd.unit * vector.y);
    float4 products[2] = {make_float4(-less, 0.0f, -less, 0.0f), make_float4(0.0f, 0.0f, 0.0f, 0.0f)};
#pragma unroll
    for (int i = 0; i < kQuarters; ++i)
      if (i < quarters) add_quarter(weights, block * kQuarters + i, i, products[i % 2]);
    const bool has = lane_ % 4 * Group < quarters * 32;
    const int column = block * kColumns + lane_ % 4 * Group;
    add_group(weights, 0, has, column, products[0].x + products[1].x, products[0].y + products[1].y, vector);
    add_group(weights, 1, has, column, products[0].z + products[1].z, products[0].w + products[1].w, vector);
  }

  __device__ void store(float* sums) const { store_totals(totals_, sums, lane_); }

 private:
  using Codes = typename Format::Codes;
  using Pairs = UnitPairs<Codes>;

  // Of this lane's group.
  __device__ __forceinline__ float2 vector_sums(int block, int quarters) const {
    const float2* own = sums_ + block * (kColumns / NativeVector::kSumColumns);
    if (lane_ % 4 * Group >= quarters * 32) return make_float2(0.0f, 0.0f);
    if constexpr (Group == 16) return own[0];
    const float4 both = *reinterpret_cast<const float4*>(own);
    return make_float2(both.x + both.z, both.y + both.w);
  }

  // `place`: of the quarter in its block.
  __device__ __forceinline__ void add_quarter(const OctetLanes& weights, int quarter, int place,
                                              float4& products) const {
    Pair low[4], high[4];
    load_pairs(weights, 0, quarter, low);
    load_pairs(weights, 1, quarter, high);
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const uint2 x = *reinterpret_cast<const uint2*>(vectors_[place][i] + quarter * 64);
      multiply_add(products, {{low[i], low[i + 2]}, {high[i], high[i + 2]}}, as_pair(x.x), as_pair(x.y));
    }
  }

  __device__ __forceinline__ void load_pairs(const OctetLanes& weights, int octet, int quarter,
                                             Pair (&pairs)[4]) const {
    StoredCodes<Codes, 1> codes;
    codes.load(weights.octets[octet], weights.rows[octet], quarter * 4 + lane_ % 4);
    Pairs::decode(codes, pairs);
  }

  __device__ __forceinline__ void add_group(const OctetLanes& weights, int i, bool has, int column, float even,
                                            float odd, const float2& vector) {
    const NativeScale own = has ? Format::scale(weights.octets[i], weights.rows[i], column) : NativeScale{0.0f, 0.0f};
    const float sum = fmaf(odd, 1.0f / Pairs::kOdd.unit, even);
    totals_[i] = fmaf(own.scale * kUnit, sum, totals_[i]);
    if constexpr (Format::Scales::kMinimums) totals_[i] = fmaf(-own.minimum, vector.x + vector.y, totals_[i]);
  }

#if HIPPORT_LLM_BF16
  static constexpr float kUnit = 1.0f;
#else
  static constexpr float kUnit = CodePairs<Codes>::kUnit;
#endif

  const uint8_t* vectors_[kQuarters][2];
  const float2* sums_;
  int lane_;
  float totals_[2] = {};
};

}  // namespace hipport_llm

#endif

#endif
