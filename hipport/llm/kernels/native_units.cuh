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

// Pair i of eight codes, codes i and i + 4, in the form of even or of odd pairs.
template <typename Codes>
struct UnitPairs {
  static constexpr PairForm kEven = {0.0f, 1.0f}, kOdd = {0.0f, 1.0f};

  __device__ static Pair at(const StoredCodes<Codes, 1>& stored, int i) {
#if HIPPORT_LLM_BF16
    float codes[8];
    stored.decode(0, codes);
    return pair_of(codes[i], codes[i + 4]);
#else
    return CodePairs<Codes>::at(stored.low, stored.high[0], i);
#endif
  }
};

#if !HIPPORT_LLM_BF16

// Codes of 4 to 6 bits in the fraction of 1024, where they are in a word: in ones or in sixteens.
template <int Zero>
struct SmallUnitPairs {
  static constexpr PairForm kEven = {1024.0f + Zero, 1.0f}, kOdd = {1024.0f + 16 * Zero, 16.0f};

  __device__ static Pair low(uint32_t word, int i) {
    const uint32_t own = i < 2 ? word : word >> 8;
    return i % 2 == 0 ? above<0x000f000fu, 0x64006400u>(own) : above<0x00f000f0u, 0x64006400u>(own);
  }
};

template <int Zero>
struct UnitPairs<FourBitCodes<Zero>> : SmallUnitPairs<Zero> {
  __device__ static Pair at(const StoredCodes<FourBitCodes<Zero>, 1>& stored, int i) {
    return SmallUnitPairs<Zero>::low(stored.low[0], i);
  }
};

// Adds bits that a pair does not have yet.
template <uint32_t Mask>
__device__ inline Pair with_bits(Pair pair, uint32_t bits) {
  return as_pair(*reinterpret_cast<const uint32_t*>(&pair) | (bits & Mask));
}

template <int Zero>
struct UnitPairs<FiveBitCodes<Zero>> : SmallUnitPairs<Zero> {
  __device__ static Pair at(const StoredCodes<FiveBitCodes<Zero>, 1>& stored, int i) {
    const uint32_t high = stored.high[0], fifths = (high & 15u) << 4 | (high & 240u) << 16;
    const Pair low = SmallUnitPairs<Zero>::low(stored.low[0], i);
    return i % 2 == 0 ? with_bits<0x00100010u>(low, fifths >> i)
                      : with_bits<0x01000100u>(low, i == 1 ? fifths << 3 : fifths << 1);
  }
};

template <>
struct UnitPairs<SixBitCodes> : SmallUnitPairs<32> {
  __device__ static Pair at(const StoredCodes<SixBitCodes, 1>& stored, int i) {
    const uint32_t high = stored.high[0], upper = (high & 255u) << 4 | (high & 0xff00u) << 12;
    const Pair low = SmallUnitPairs<32>::low(stored.low[0], i);
    return i % 2 == 0 ? with_bits<0x00300030u>(low, upper >> 2 * i)
                      : with_bits<0x03000300u>(low, i == 1 ? upper << 2 : upper >> 2);
  }
};

template <>
struct UnitPairs<ByteCodes> {
  static constexpr PairForm kEven = {1024.0f + 128, 1.0f}, kOdd = kEven;

  __device__ static Pair at(const StoredCodes<ByteCodes, 1>& stored, int i) {
    return as_pair((byte_pair(stored.low[0], stored.low[1], i) & 0x00ff00ffu) ^ 0x64806480u);
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
      if (kQuarters == 1 || i < quarters) add_quarter(weights, block * kQuarters + i, i, products[i % 2]);
    const bool has = lane_ % 4 * Group < quarters * 32;
    const int column = block * kColumns + lane_ % 4 * Group;
    add_group(weights, 0, has, column, products[0].x + products[1].x, products[0].y + products[1].y, vector);
    add_group(weights, 1, has, column, products[0].z + products[1].z, products[0].w + products[1].w, vector);
  }

  // Writes the sums of 16 rows.
  __device__ void store(float* sums) const {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const float sum = sum_lanes<4>(totals_[i]);
      if (lane_ % 4 == 0) sums[i * kNativeRows + lane_ / 4] = sum;
    }
  }

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
    StoredCodes<Codes, 1> low, high;
    low.load(weights.octets[0], weights.rows[0], quarter * 4 + lane_ % 4);
    high.load(weights.octets[1], weights.rows[1], quarter * 4 + lane_ % 4);
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const uint2 x = *reinterpret_cast<const uint2*>(vectors_[place][i] + quarter * 64);
      multiply_add(products, {{Pairs::at(low, i), Pairs::at(low, i + 2)}, {Pairs::at(high, i), Pairs::at(high, i + 2)}},
                   as_pair(x.x), as_pair(x.y));
    }
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
