// hipRAND's sequences: Philox against the published vectors, all against rocRAND's own headers, which run here too.
#include <hip/hip_runtime.h>
#include <hiprand/hiprand.h>
#include <hiprand/hiprand_kernel.h>

// rocRAND's headers then take the members of vectors by their names.
#undef __HIP_PLATFORM_AMD__
#define FQUALIFIERS inline
#include <rocrand/rocrand_kernel.h>

#include <cstdio>
#include <vector>

static int wrong = 0;
#define EXPECT(what)                                 \
  do {                                               \
    if (!(what)) {                                   \
      std::printf("line %d: %s\n", __LINE__, #what); \
      ++wrong;                                       \
    }                                                \
  } while (0)

static bool near(double a, double b) { return std::fabs(a - b) <= 1e-5 * (1 + std::fabs(b)); }

// Random123's known answers for Philox4x32 with ten rounds.
static void known_answers() {
  using hipport::cpu::rand::Philox;
  const Philox::Four zeros = {0, 0, 0, 0}, ones = {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff};
  const Philox::Four pi = {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344};
  EXPECT((Philox::ten_rounds(zeros, 0, 0) == Philox::Four{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT((Philox::ten_rounds(ones, ~0u, ~0u) == Philox::Four{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT(
      (Philox::ten_rounds(pi, 0xa4093822, 0x299f31d0) == Philox::Four{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

template <typename Mine, typename Theirs>
static void same(unsigned long long seed, unsigned long long subsequence, unsigned long long offset) {
  Mine mine;
  Theirs theirs;
  hiprand_init(seed, subsequence, offset, &mine);
  rocrand_init(seed, subsequence, offset, &theirs);
  for (int i = 0; i < 9; ++i) EXPECT(hiprand(&mine) == rocrand(&theirs));
  skipahead(1234567891234ull, &mine);
  skipahead(1234567891234ull, &theirs);
  for (int i = 0; i < 3; ++i) EXPECT(hiprand_uniform(&mine) == rocrand_uniform(&theirs));
  for (int i = 0; i < 3; ++i) EXPECT(hiprand_uniform_double(&mine) == rocrand_uniform_double(&theirs));
  skipahead_sequence(5, &mine);
  skipahead_sequence(5ull, &theirs);
  for (int i = 0; i < 3; ++i) EXPECT(near(hiprand_normal(&mine), rocrand_normal(&theirs)));
  for (int i = 0; i < 3; ++i) EXPECT(near(hiprand_normal_double(&mine), rocrand_normal_double(&theirs)));
  EXPECT(near(hiprand_log_normal(&mine, 1, 2), rocrand_log_normal(&theirs, 1, 2)));
}

template <typename Mine, typename Theirs>
static void same_everywhere() {
  same<Mine, Theirs>(0, 0, 0);
  same<Mine, Theirs>(12345, 3, 7);
  same<Mine, Theirs>(0x1234567890ull, 1ull << 40, 0xfffffffffull);
}

// The host's generator goes on where it was, and its numbers are those of the device's first subsequence.
static void host(hiprandRngType_t type) {
  hiprandGenerator_t generator;
  EXPECT(hiprandCreateGenerator(&generator, type) == HIPRAND_STATUS_SUCCESS);
  EXPECT(hiprandSetPseudoRandomGeneratorSeed(generator, 42) == HIPRAND_STATUS_SUCCESS);
  std::vector<unsigned> first(10), all(20);
  EXPECT(hiprandGenerate(generator, first.data(), 10) == HIPRAND_STATUS_SUCCESS);
  EXPECT(hiprandGenerate(generator, first.data(), 10) == HIPRAND_STATUS_SUCCESS);
  EXPECT(hiprandSetPseudoRandomGeneratorSeed(generator, 42) == HIPRAND_STATUS_SUCCESS);
  EXPECT(hiprandGenerate(generator, all.data(), 20) == HIPRAND_STATUS_SUCCESS);
  for (int i = 0; i < 10; ++i) EXPECT(first[i] == all[10 + i]);
  constexpr int many = 20000;
  std::vector<float> numbers(many);
  std::vector<unsigned> counts(many);
  EXPECT(hiprandGenerateNormal(generator, numbers.data(), many - 1, 3, 2) == HIPRAND_STATUS_LENGTH_NOT_MULTIPLE);
  EXPECT(hiprandGenerateNormal(generator, numbers.data(), many, 3, 2) == HIPRAND_STATUS_SUCCESS);
  EXPECT(hiprandGeneratePoisson(generator, counts.data(), many, 70) == HIPRAND_STATUS_SUCCESS);
  double mean = 0, square = 0, arrivals = 0;
  for (int i = 0; i < many; ++i) {
    mean += numbers[i] / many;
    square += (numbers[i] - 3) * (numbers[i] - 3) / many;
    arrivals += double(counts[i]) / many;
  }
  EXPECT(std::fabs(mean - 3) < 0.06 && std::fabs(square - 4) < 0.2 && std::fabs(arrivals - 70) < 0.3);
  EXPECT(hiprandDestroyGenerator(generator) == HIPRAND_STATUS_SUCCESS);
}

__global__ void on_the_device(unsigned* to) {
  hiprandState_t state;
  hiprand_init(7, threadIdx.x, 0, &state);
  to[threadIdx.x] = hiprand(&state);
}

int main() {
  known_answers();
  same_everywhere<hiprandStatePhilox4_32_10_t, rocrand_state_philox4x32_10>();
  same_everywhere<hiprandStateXORWOW_t, rocrand_state_xorwow>();
  same_everywhere<hiprandStateMRG32k3a_t, rocrand_state_mrg32k3a>();
  for (auto type : {HIPRAND_RNG_PSEUDO_XORWOW, HIPRAND_RNG_PSEUDO_MRG32K3A, HIPRAND_RNG_PSEUDO_PHILOX4_32_10})
    host(type);
  unsigned numbers[64];
  on_the_device<<<1, 64>>>(numbers);
  rocrand_state_xorwow state;
  rocrand_init(7, 63, 0, &state);
  EXPECT(numbers[63] == rocrand(&state));
  hiprandGenerator_t generator;
  EXPECT(hiprandCreateGenerator(&generator, HIPRAND_RNG_QUASI_SOBOL32) == HIPRAND_STATUS_TYPE_ERROR);
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
