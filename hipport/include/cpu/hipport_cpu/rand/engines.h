// SPDX-License-Identifier: MIT
// hipRAND's pseudo-random sequences, with rocRAND's seeding.
#pragma once

#include "../builtins.h"

#include <array>

namespace hipport::cpu::rand {

// Philox4x32-10: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (2011).
class Philox {
 public:
  using Four = std::array<uint32_t, 4>;

  static Four ten_rounds(Four counter, uint32_t key0, uint32_t key1) {
    for (int round = 0; round < 10; ++round, key0 += 0x9e3779b9, key1 += 0xbb67ae85) {
      const uint64_t a = uint64_t(0xd2511f53) * counter[0], b = uint64_t(0xcd9e8d57) * counter[2];
      counter = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ key0, static_cast<uint32_t>(b),
                 static_cast<uint32_t>(a >> 32) ^ counter[3] ^ key1, static_cast<uint32_t>(a)};
    }
    return counter;
  }

  // A subsequence has 4 * 2^64 numbers; its index is the upper half of the counter.
  void seed(uint64_t seed, uint64_t subsequence, uint64_t offset) {
    seed_ = seed;
    subsequence_ = subsequence;
    block_ = used_ = 0;
    discard(offset);
  }
  void discard_subsequence(uint64_t count) {
    subsequence_ += count;
    refill();
  }
  void discard(uint64_t count) {
    used_ += count & 3;
    const uint64_t blocks = count / 4 + used_ / 4;
    used_ %= 4;
    if (block_ + blocks < block_) ++subsequence_;
    block_ += blocks;
    refill();
  }
  uint32_t next() {
    const uint32_t value = numbers_[used_];
    if (++used_ == 4) {
      used_ = 0;
      if (++block_ == 0) ++subsequence_;
      refill();
    }
    return value;
  }

 private:
  void refill() {
    numbers_ = ten_rounds({static_cast<uint32_t>(block_), static_cast<uint32_t>(block_ >> 32),
                           static_cast<uint32_t>(subsequence_), static_cast<uint32_t>(subsequence_ >> 32)},
                          static_cast<uint32_t>(seed_), static_cast<uint32_t>(seed_ >> 32));
  }
  uint64_t seed_, subsequence_, block_;
  uint64_t used_;
  Four numbers_;
};

// The xorshift part of XORWOW is linear over bits: a step is a 160 x 160 bit matrix, and powers of it skip ahead.
class XorwowJumps {
 public:
  using Five = std::array<uint32_t, 5>;

  static Five step(Five x) {
    const uint32_t t = x[0] ^ (x[0] >> 2);
    return {x[1], x[2], x[3], x[4], (x[4] ^ (x[4] << 4)) ^ (t ^ (t << 1))};
  }

  // Skip 2^67 * count steps if `subsequences`, else `count` steps.
  static Five jump(Five x, uint64_t count, bool subsequences) {
    static const XorwowJumps& table = *new XorwowJumps;
    for (size_t bit = subsequences ? subsequence_log2 : 0; count != 0; ++bit, count >>= 1)
      if ((count & 1) != 0) x = times(table.powers_[bit], x);
    return x;
  }

 private:
  static constexpr size_t subsequence_log2 = 67;
  using Matrix = std::array<Five, 160>;  // the images of the unit vectors

  static Five times(const Matrix& matrix, const Five& x) {
    Five sum{};
    for (size_t bit = 0; bit < matrix.size(); ++bit)
      if ((x[bit / 32] >> (bit % 32) & 1) != 0)
        for (size_t i = 0; i < sum.size(); ++i) sum[i] ^= matrix[bit][i];
    return sum;
  }

  // powers_[i] is the matrix of 2^i steps.
  XorwowJumps() : powers_(subsequence_log2 + 64) {
    for (size_t bit = 0; bit < 160; ++bit) {
      Five one{};
      one[bit / 32] = uint32_t(1) << (bit % 32);
      powers_[0][bit] = step(one);
    }
    for (size_t power = 1; power < powers_.size(); ++power)
      for (size_t bit = 0; bit < 160; ++bit) powers_[power][bit] = times(powers_[power - 1], powers_[power - 1][bit]);
  }

  std::vector<Matrix> powers_;
};

// XORWOW: Marsaglia, "Xorshift RNGs" (2003).
class Xorwow {
 public:
  void seed(uint64_t seed, uint64_t subsequence, uint64_t offset) {
    const uint32_t low = static_cast<uint32_t>(seed) ^ 0x2c7f967f,
                   high = static_cast<uint32_t>(seed >> 32) ^ 0xa03697cb;
    const uint32_t a = 1228688033 * low, b = 2073658381 * high;
    x_ = {123456789 + a, 362436069 ^ a, 521288629 + b, 88675123 ^ b, 5783321 + a};
    weyl_ = 6615241 + a + b;
    discard_subsequence(subsequence);
    discard(offset);
  }
  // A subsequence has 2^67 numbers, a multiple of the Weyl sequence's period, which is therefore unchanged.
  void discard_subsequence(uint64_t count) { x_ = XorwowJumps::jump(x_, count, true); }
  void discard(uint64_t count) {
    x_ = XorwowJumps::jump(x_, count, false);
    weyl_ += static_cast<uint32_t>(count) * weyl_step;
  }
  uint32_t next() {
    x_ = XorwowJumps::step(x_);
    weyl_ += weyl_step;
    return weyl_ + x_[4];
  }

 private:
  static constexpr uint32_t weyl_step = 362437;
  XorwowJumps::Five x_;
  uint32_t weyl_;
};

// MRG32k3a: L'Ecuyer, "Good parameters and implementations for combined multiple recursive generators" (1999).
class Mrg {
 public:
  static constexpr uint64_t m1 = 4294967087, m2 = 4294944443;

  void seed(uint64_t seed, uint64_t subsequence, uint64_t offset) {
    if (seed == 0) seed = 12345;
    const uint32_t x = static_cast<uint32_t>(seed) ^ 0x55555555, y = static_cast<uint32_t>(seed >> 32) ^ 0xaaaaaaaa;
    first_ = {multiply(x, seed, m1), multiply(y, seed, m1), multiply(x, seed, m1)};
    second_ = {multiply(y, seed, m2), multiply(x, seed, m2), multiply(y, seed, m2)};
    discard_subsequence(subsequence);
    discard(offset);
  }
  // A subsequence has 2^76 numbers, as in L'Ecuyer's streams and in rocRAND's tables; rocRAND's documentation says
  // 2^67.
  void discard_subsequence(uint64_t count) { jump(count, 76); }
  void discard_sequence(uint64_t count) { jump(count, 127); }
  void discard(uint64_t count) { jump(count, 0); }

  // Return a number from 1 to m1.
  uint32_t raw() {
    const uint64_t p = (1403580 * first_[1] + 810728 * (m1 - first_[0])) % m1;
    const uint64_t q = (527612 * second_[2] + 1370589 * (m2 - second_[0])) % m2;
    first_ = {first_[1], first_[2], p};
    second_ = {second_[1], second_[2], q};
    return static_cast<uint32_t>(p > q ? p - q : p + m1 - q);
  }
  uint32_t next() { return static_cast<uint32_t>((raw() - 1) * 1.000000048661607); }

 private:
  using Three = std::array<uint64_t, 3>;
  using Matrix = std::array<Three, 3>;

  static uint64_t multiply(uint64_t a, uint64_t b, uint64_t modulus) {
    return static_cast<uint64_t>(static_cast<unsigned __int128>(a) * b % modulus);
  }
  static Three times(const Matrix& a, const Three& x, uint64_t m) {
    Three result{};
    for (size_t row = 0; row < 3; ++row)
      for (size_t i = 0; i < 3; ++i) result[row] = (result[row] + multiply(a[row][i], x[i], m)) % m;
    return result;
  }
  static Matrix squared(const Matrix& a, uint64_t m) {
    Matrix result{};
    for (size_t row = 0; row < 3; ++row)
      for (size_t column = 0; column < 3; ++column)
        for (size_t i = 0; i < 3; ++i)
          result[row][column] = (result[row][column] + multiply(a[row][i], a[i][column], m)) % m;
    return result;
  }
  // Skip count * 2^log2 steps.
  void jump(uint64_t count, unsigned log2) {
    Matrix a{{{0, 1, 0}, {0, 0, 1}, {m1 - 810728, 1403580, 0}}}, b{{{0, 1, 0}, {0, 0, 1}, {m2 - 1370589, 0, 527612}}};
    for (unsigned bit = 0; bit < log2 + 64 && (bit < log2 || count >> (bit - log2) != 0); ++bit) {
      if (bit >= log2 && (count >> (bit - log2) & 1) != 0) {
        first_ = times(a, first_, m1);
        second_ = times(b, second_, m2);
      }
      a = squared(a, m1);
      b = squared(b, m2);
    }
  }

  Three first_, second_;
};

}  // namespace hipport::cpu::rand
