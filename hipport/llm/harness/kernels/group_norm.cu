// Group normalization of [image][position][channel].
//
// sizes: images, positions, channels, groups. numbers: epsilon. buffers: input, out, factors [channel], summands
// [channel].
#include "../../operators/normalize.cuh"
#include "../registry.h"

namespace hipport_llm {

namespace {

Groups groups_of(const Launch& l) {
  const int channels = l.size(2), groups = l.size(3);
  if (channels % groups != 0) throw EngineError("the channels must be a multiple of the groups");
  return {l.buffer<__half>(0),
          nullptr,
          l.buffer<__half>(2),
          l.buffer<__half>(3),
          l.buffer<__half>(1),
          nullptr,
          l.size(1),
          channels,
          groups,
          Merge<2>{{Divisor(channels / groups)}},
          l.number(0)};
}

void alone(const Launch& launch) {
  const Groups groups = groups_of(launch);
  const int count = launch.size(0) * groups.groups;
  normalize_alone_kernel<<<blocks_for(count, launch.block()), launch.block(), 0, launch.stream()>>>(groups, count);
}

void block_a_group(const Launch& launch) {
  const Groups groups = groups_of(launch);
  normalize_kernel<<<launch.size(0) * groups.groups, launch.block(), 0, launch.stream()>>>(groups);
}

void eight_at_once(const Launch& launch) {
  const Groups groups = groups_of(launch);
  if (groups.own() % 8 != 0) return block_a_group(launch);
  normalize_eight_kernel<<<launch.size(0) * groups.groups, launch.block(), 0, launch.stream()>>>(groups);
}

const Registered v1("group_norm", 1, "A thread for each group, three times through memory.", {64, 256}, alone);
const Registered v2("group_norm", 2, "A block for each group: sums over its threads.", {64, 256, 1024}, block_a_group);
const Registered v3(
    "group_norm", 3,
    "Loads and stores of 16 bytes where groups are multiples of 8 channels; what fits stays in registers.",
    {64, 256, 512}, eight_at_once);

}  // namespace

}  // namespace hipport_llm
