// softmax(scale * queries keys^T) values for batches and heads.
//
// sizes: batch, heads, queries, keys, width (of a head, up to 128), query stride, key stride (from one position to the
// next, also of values), causal. numbers: scale. buffers: queries [batch][position][query stride], keys, values [batch]
// [position][key stride], out [batch][position][heads][width]; lengths [batch] of int, how many keys count, may be null.
#include "../../operators/tile_attention.cuh"
#include "../registry.h"
#include "../unit_launch.h"

namespace hipport_llm {

namespace {

struct Attention {
  const __half *queries, *keys, *values;
  __half* out;
  const int* lengths;
  int batch, heads, query_count, key_count, width;
  int64_t query_stride, key_stride;
  float scale;
  bool causal, by_eight;

  explicit Attention(const Launch& launch)
      : queries(launch.buffer<__half>(0)),
        keys(launch.buffer<__half>(1)),
        values(launch.buffer<__half>(2)),
        out(launch.buffer<__half>(3)),
        lengths(launch.buffer<int>(4)),
        batch(launch.size(0)),
        heads(launch.size(1)),
        query_count(launch.size(2)),
        key_count(launch.size(3)),
        width(launch.size(4)),
        query_stride(launch.size(5)),
        key_stride(launch.size(6)),
        scale(launch.number(0)),
        causal(launch.size(7) != 0),
        by_eight(width % 8 == 0 && query_stride % 8 == 0 && key_stride % 8 == 0) {
    if (width > 128) throw EngineError("heads may be 128 wide at most");
  }

  __device__ AttentionHead head(int number) const {
    const int64_t sequence = number / heads, column = static_cast<int64_t>(number % heads) * width;
    const int count = lengths == nullptr ? key_count : min(lengths[sequence], key_count);
    const int64_t out_stride = static_cast<int64_t>(heads) * width;
    const __half* first_key = keys + sequence * key_count * key_stride + column;
    const __half* first_value = values + sequence * key_count * key_stride + column;
    return {
        {bounded(query_count, width, query_stride), queries + sequence * query_count * query_stride + column, by_eight},
        {bounded(count, width, key_stride), first_key, by_eight},
        {bounded(count, width, key_stride), first_value, by_eight},
        {out + sequence * query_count * out_stride + column, out_stride},
        query_count,
        count,
        width,
        scale,
        causal};
  }

  __device__ HeadTask task(int number) const {
    const AttentionHead own = head(number);
    return {number / heads, number % heads, query_count, own.key_count, width, scale, causal, own.out};
  }
};

__device__ float score(const AttentionHead& head, int query, int key) {
  const int64_t from = query * head.queries.view.below.strides[0], to = key * head.keys.view.below.strides[0];
  float sum = 0.0f;
  for (int i = 0; i < head.width; ++i)
    sum = fmaf(__half2float(head.queries.data[from + i]), __half2float(head.keys.data[to + i]), sum);
  return sum * head.scale;
}

// A thread for each element of the result, which finds the scores twice.
__global__ void naive_kernel(Attention attention) {
  const int64_t at = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const AttentionHead head = attention.head(blockIdx.y);
  const int query = static_cast<int>(at / head.width), column = static_cast<int>(at % head.width);
  if (query >= head.query_count) return;
  const int end = head.causal ? min(head.key_count, query + 1) : head.key_count;
  float most = -INFINITY, all = 0.0f, sum = 0.0f;
  for (int key = 0; key < end; ++key) most = fmaxf(most, score(head, query, key));
  for (int key = 0; key < end; ++key) {
    const float weight = __expf(score(head, query, key) - most);
    all += weight;
    sum = fmaf(weight, __half2float(head.values.data[key * head.values.view.below.strides[0] + column]), sum);
  }
  float values[8] = {all > 0.0f ? sum / all : 0.0f};
  head.out.write(values, query, column, 1);
}

void naive(const Launch& launch) {
  const Attention a(launch);
  const dim3 grid(blocks_for(static_cast<int64_t>(a.query_count) * a.width, launch.block()), a.batch * a.heads);
  naive_kernel<<<grid, launch.block(), 0, launch.stream()>>>(a);
}

// Blocks: (queries, heads).
template <int HeadWidth>
__global__ void __launch_bounds__(kUnitThreads) tiles_kernel(Attention attention) {
#if !defined(__HIP_PLATFORM_AMD__)
  extern __shared__ __align__(128) uint8_t shared[];
#else
  __shared__ __align__(128) uint8_t shared[AttentionRoom<HeadWidth>::kBytes];
#endif
  const AttentionHead head = attention.head(blockIdx.y);
  attend_tile(head, AttentionRoom<HeadWidth>(shared), blockIdx.x * kBlockQueries);
}

template <int HeadWidth>
void launch_tiles(const Attention& a, cudaStream_t stream) {
  const dim3 grid(blocks_for(a.query_count, kBlockQueries), a.batch * a.heads);
  const auto kernel = &tiles_kernel<HeadWidth>;
  const int bytes = dynamic_bytes(kernel, AttentionRoom<HeadWidth>::kBytes);
  kernel<<<grid, unit_threads(), bytes, stream>>>(a);
}

void tiles(const Launch& launch) {
  const Attention attention(launch);
  attention.width > 64 ? launch_tiles<128>(attention, launch.stream()) : launch_tiles<64>(attention, launch.stream());
}

#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_WARPGROUPS

// Blocks: (queries, heads).
template <int HeadWidth>
__global__ void __launch_bounds__(BulkAttentionRoom<HeadWidth>::kThreads, 1)
    bulk_kernel(const __grid_constant__ AttentionMaps maps, Attention attention) {
  extern __shared__ __align__(1024) uint8_t dynamic[];
  using Room = BulkAttentionRoom<HeadWidth>;
  attend_bulk_tile<HeadWidth>(maps, attention.task(blockIdx.y), *reinterpret_cast<Room*>(dynamic),
                              blockIdx.x * Room::kQueries);
}

template <int HeadWidth>
void launch_bulk(const Attention& a, cudaStream_t stream) {
  using Room = BulkAttentionRoom<HeadWidth>;
  const auto map = [&](const __half* data, int positions, int64_t stride, int tile) {
    return head_map(data, a.batch, positions, a.heads, a.width, stride, tile);
  };
  const AttentionMaps maps = {map(a.queries, a.query_count, a.query_stride, Room::kGroupQueries),
                              map(a.keys, a.key_count, a.key_stride, Room::kKeys),
                              map(a.values, a.key_count, a.key_stride, Room::kKeys)};
  const dim3 grid(blocks_for(a.query_count, Room::kQueries), a.batch * a.heads);
  const auto kernel = &bulk_kernel<HeadWidth>;
  kernel<<<grid, Room::kThreads, dynamic_bytes(kernel, sizeof(Room)), stream>>>(maps, a);
}

void bulk(const Launch& launch) {
  const Attention attention(launch);
  if (!attention.by_eight)
    tiles(launch);
  else if (attention.width > 64)
    launch_bulk<128>(attention, launch.stream());
  else
    launch_bulk<64>(attention, launch.stream());
}

const Registered v3("attention", 3,
                    "Units of Hopper's warp groups; one warp copies; scores of the next keys are computed while values "
                    "are added.",
                    {BulkAttentionRoom<128>::kThreads}, bulk);

#endif

const Registered v1("attention", 1, "A thread for each element of the result, which computes its query's scores twice.",
                    {64, 128, 256}, naive);
const Registered v2("attention", 2,
                    "Tiles of queries and keys on matrix units, online softmax: a score is computed once, and kept in "
                    "registers only.",
                    {kFourWavefronts}, tiles);

}  // namespace

}  // namespace hipport_llm
