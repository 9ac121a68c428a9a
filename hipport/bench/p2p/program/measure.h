// Times by the host's clock, which all devices share; batches are long enough that starting and waiting do not count.
#ifndef HIPPORT_P2P_MEASURE_H
#define HIPPORT_P2P_MEASURE_H

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "copy.cuh"

namespace p2p {

using Copy = std::pair<const Device*, const Device*>;  // from, to

constexpr int kBatches = 5;
constexpr double kBatchSeconds = 0.02;
constexpr int kMostCopies = 256;
constexpr size_t kSmallBytes = 16;
constexpr int kSmallCopies = 200;

inline double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Seconds in which each of the copies, all at once, is done `times` times.
inline double run(Way way, const std::vector<Copy>& copies, size_t bytes, int times) {
  const double started = seconds();
  for (int i = 0; i < times; ++i)
    for (const Copy& copy : copies) {
      CUDA_CHECK(cudaSetDevice(copy.first->index));
      start_copy(way, *copy.first, *copy.second, bytes);
    }
  for (const Copy& copy : copies) CUDA_CHECK(cudaStreamSynchronize(copy.first->stream));
  return seconds() - started;
}

// Bytes a second of all copies together, the median of some batches.
inline double bandwidth(Way way, const std::vector<Copy>& copies, size_t bytes) {
  run(way, copies, bytes, 1);
  const double one = run(way, copies, bytes, 1);
  const int times = std::max(1, std::min(kMostCopies, static_cast<int>(kBatchSeconds / one)));
  std::vector<double> rates;
  for (int i = 0; i < kBatches; ++i)
    rates.push_back(static_cast<double>(copies.size()) * bytes * times / run(way, copies, bytes, times));
  return median(rates);
}

// Seconds from starting a small copy to knowing that it is done.
inline double latency(Way way, const Copy& copy) {
  std::vector<double> times;
  for (int i = 0; i < kSmallCopies; ++i) times.push_back(run(way, {copy}, kSmallBytes, 1));
  return median(times);
}

// Ends the program if a copy does not arrive as it was sent.
inline void check(Way way, const Copy& copy, size_t bytes) {
  const uint32_t seed = 1 + 31 * copy.first->index + 1009 * copy.second->index;
  fill(*copy.first, bytes, seed);
  poison(*copy.second, bytes);
  run(way, {copy}, bytes, 1);
  const unsigned long long wrong = count_wrong(*copy.second, bytes, seed);
  if (wrong == 0) return;
  std::fprintf(stderr, "a copy from GPU %d to GPU %d arrived with %llu of %zu words wrong\n", copy.first->index,
               copy.second->index, wrong, bytes / 4);
  std::exit(1);
}

}  // namespace p2p

#endif
