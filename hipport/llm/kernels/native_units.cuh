// Multiplies stages of matrices in the formats of model files with a vector on NVIDIA's matrix units.
//
// An instruction multiplies 16 rows with eight columns, of which one vector fills one. Instead of eight copies of it, each of
// four groups of weights has two columns, for even and odd pairs (native_vector.cuh): a lane brings the vector's part for
// one column, and zeros for the others. Lane 4g + t gets both sums of group t, and multiplies them with its scale.
#ifndef HIPPORT_LLM_NATIVE_UNITS_CUH
#define HIPPORT_LLM_NATIVE_UNITS_CUH

#include "native_code_pairs.cuh"
#include "native_stream.cuh"
#include "native_vector.cuh"
#include "tile_matvec.cuh"

#if !defined(__HIP_PLATFORM_AMD__)

namespace hipport_llm {

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
