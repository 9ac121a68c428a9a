// Group normalization: what belongs to one group of channels of one image, all positions, gets mean 0 and variance 1,
// then a factor and a summand for each channel. With one group and one position an image is a row: LayerNorm.
#ifndef HIPPORT_LLM_NORMALIZE_CUH
#define HIPPORT_LLM_NORMALIZE_CUH

#include "coordinates.cuh"
#include "epilogue.cuh"
#include "reduction.cuh"

namespace hipport_llm {

// [image][position][channel]; `residual` is added beforehand, and `summed` gets the sum: both may be null.
struct Groups {
  const __half *input, *residual, *factors, *summands;
  __half *out, *summed;
  int positions, channels, groups;
  Merge<2> split;  // of a group's elements: position, channel
  float epsilon;

  __host__ __device__ int own() const { return channels / groups; }
  __host__ __device__ int elements() const { return positions * own(); }
};

// One group of one image.
class Group {
 public:
  __device__ Group(const Groups& all, int number)
      : all_(all), channel_(number % all.groups * all.own()), start_(number / all.groups * int64_t{all.positions}) {}

  __device__ float one(int i) const {
    const Found found = find(i);
    const float value = __half2float(all_.input[found.offset]);
    return all_.residual == nullptr ? value : value + __half2float(all_.residual[found.offset]);
  }
  __device__ void store_one(int i, float value, float mean, float scale) const {
    const Found found = find(i);
    all_.out[found.offset] = __float2half(fmaf((value - mean) * scale, __half2float(all_.factors[found.channel]),
                                               __half2float(all_.summands[found.channel])));
    if (all_.summed != nullptr) all_.summed[found.offset] = __float2half(value);
  }

  // Eight neighboring channels, where a group has a multiple of eight.
  __device__ void eight(int i, float (&values)[8]) const {
    const Found found = find(i);
#pragma unroll
    for (int j = 0; j < 8; ++j) values[j] = 0.0f;
    add_halves(values, load_halves(all_.input + found.offset, 8));
    if (all_.residual != nullptr) add_halves(values, load_halves(all_.residual + found.offset, 8));
  }
  // Before they are normalized.
  __device__ void store_sums(int i, float (&values)[8]) const {
    if (all_.summed != nullptr) Store{all_.summed + find(i).offset, 0}.write(values, 0, 0, 8);
  }
  __device__ void store_eight(int i, float (&values)[8], float mean, float scale) const {
    const Found found = find(i);
    float factors[8] = {}, summands[8] = {};
    add_halves(factors, load_halves(all_.factors + found.channel, 8));
    add_halves(summands, load_halves(all_.summands + found.channel, 8));
#pragma unroll
    for (int j = 0; j < 8; ++j) values[j] = fmaf((values[j] - mean) * scale, factors[j], summands[j]);
    Store{all_.out + found.offset, 0}.write(values, 0, 0, 8);
  }

 private:
  struct Found {
    int64_t offset;
    int channel;
  };

  __device__ Found find(int i) const {
    int at[2];
    all_.split(&i, at);
    const int channel = channel_ + at[1];
    return {(start_ + at[0]) * all_.channels + channel, channel};
  }

  const Groups& all_;
  int channel_;
  int64_t start_;  // in positions
};

__device__ inline float square_of(float x) { return x * x; }

// A thread for each group.
static __global__ void normalize_alone_kernel(Groups groups, int count) {
  const int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= count) return;
  const Group group(groups, number);
  const int elements = groups.elements();
  float sum = 0.0f, squares = 0.0f;
  for (int i = 0; i < elements; ++i) sum += group.one(i);
  const float mean = sum / static_cast<float>(elements);
  for (int i = 0; i < elements; ++i) squares += square_of(group.one(i) - mean);
  const float scale = rsqrtf(squares / static_cast<float>(elements) + groups.epsilon);
  for (int i = 0; i < elements; ++i) group.store_one(i, group.one(i), mean, scale);
}

// Mean and 1 / standard deviation, from the sum over `count` elements and a function that sums squared deviations.
template <typename Deviations>
__device__ inline float2 mean_and_scale(float sum, int count, float epsilon, float* shared, const Deviations& squares) {
  const float mean = reduce_block(sum, shared, Sum()) / static_cast<float>(count);
  const float variance = reduce_block(squares(mean), shared, Sum()) / static_cast<float>(count);
  return make_float2(mean, rsqrtf(variance + epsilon));
}

// A block for each group, an element at a time.
static __global__ void normalize_kernel(Groups groups) {
  __shared__ float shared[kLanes];
  const Group group(groups, blockIdx.x);
  const int count = groups.elements(), step = blockDim.x;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < count; i += step) sum += group.one(i);
  const float2 found = mean_and_scale(sum, count, groups.epsilon, shared, [&](float mean) {
    float squares = 0.0f;
    for (int i = threadIdx.x; i < count; i += step) squares += square_of(group.one(i) - mean);
    return squares;
  });
  for (int i = threadIdx.x; i < count; i += step) group.store_one(i, group.one(i), found.x, found.y);
}

// Elements that a thread keeps in registers; what does not fit is read again.
constexpr int kKept = 4;

// A block for each group, eight channels at a time: a group has a multiple of eight.
static __global__ void normalize_eight_kernel(Groups groups) {
  __shared__ float shared[kLanes];
  const Group group(groups, blockIdx.x);
  const int count = groups.elements(), step = blockDim.x * 8, first = threadIdx.x * 8;
  float kept[kKept][8], again[8], sum = 0.0f;
#pragma unroll
  for (int k = 0; k < kKept; ++k)
    if (first + k * step < count) {
      group.eight(first + k * step, kept[k]);
      group.store_sums(first + k * step, kept[k]);
#pragma unroll
      for (int j = 0; j < 8; ++j) sum += kept[k][j];
    }
  for (int i = first + kKept * step; i < count; i += step) {
    group.eight(i, again);
    group.store_sums(i, again);
#pragma unroll
    for (int j = 0; j < 8; ++j) sum += again[j];
  }
  const float2 found = mean_and_scale(sum, count, groups.epsilon, shared, [&](float mean) {
    float squares = 0.0f;
#pragma unroll
    for (int k = 0; k < kKept; ++k)
#pragma unroll
      for (int j = 0; j < 8; ++j)
        if (first + k * step < count) squares += square_of(kept[k][j] - mean);
    for (int i = first + kKept * step; i < count; i += step) {
      group.eight(i, again);
#pragma unroll
      for (int j = 0; j < 8; ++j) squares += square_of(again[j] - mean);
    }
    return squares;
  });
#pragma unroll
  for (int k = 0; k < kKept; ++k)
    if (first + k * step < count) group.store_eight(first + k * step, kept[k], found.x, found.y);
  for (int i = first + kKept * step; i < count; i += step) {
    group.eight(i, again);
    group.store_eight(i, again, found.x, found.y);
  }
}

}  // namespace hipport_llm

#endif
