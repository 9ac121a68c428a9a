// SPDX-License-Identifier: MIT
// Writes x86-64 instructions, those that fuse.cpp needs: scalar ones here, vector ones in avx2.cpp and avx512.cpp.
#pragma once

#include "stored_values.h"
#include "vectors.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace hipport::emulate {

// A vector instruction that both instruction sets have: its prefix, opcode map and opcode, which they share, and whether
// AVX-512 says of its elements that they have 64 bits.
struct Vex {
  uint8_t prefix, map, opcode;  // prefix: 0 for none, 1 for 66, 2 for f3; map: 1 for 0f, 2 for 0f38, 3 for 0f3a
  bool wide = false;
};

// Which numbers a comparison is of.
enum class Numbers : uint8_t { kSigned, kUnsigned, kFloat };

// The lanes that machine code is for: all are active, some of them, or some of those of the first vector register.
enum class Lanes : uint8_t { kAll, kSome, kFirst };

// Vector registers have `width()` lanes of 32 bits. A wavefront is taken in parts ("chunks") of a register each. A mask says
// of each lane of a register whether it has it; it is in a register of its own kind, or in a vector register.
class Assembler {
 public:
  virtual ~Assembler() = default;
  // Return an assembler for an instruction set, which is not kNone.
  static std::unique_ptr<Assembler> make(VectorSet set);

  virtual unsigned width() const = 0;
  // Return the registers for values, and those for masks, if they are others. Register 15 is the assembler's own.
  virtual const std::vector<uint8_t>& value_registers() const = 0;
  virtual const std::vector<uint8_t>& mask_registers() const = 0;

  // to = first op second.
  virtual void vector(Vex op, unsigned to, unsigned first, unsigned second) = 0;
  virtual void vector(Vex op, unsigned to, unsigned first, At second) = 0;
  void vector(Vex op, unsigned to, unsigned first, unsigned second, uint8_t constant) {
    vector(op, to, first, second);
    bytes({constant});
  }
  // A shift by a constant: `which` is a part of the opcode.
  virtual void shift(Vex op, unsigned which, unsigned to, unsigned from, uint8_t count) = 0;
  // Conversions of unsigned integers; `to` is another register.
  virtual void from_unsigned(unsigned to, unsigned from) = 0;
  // value * 2 to the power of an integer. Changes the exponent and `other`; all registers differ.
  virtual void scale(unsigned to, unsigned value, unsigned exponent, unsigned other) = 0;
  // Take the odd lanes of another register.
  virtual void merge_odd(unsigned to, unsigned from, unsigned free_mask) = 0;
  // Set the zero flag if all lanes are 0.
  virtual void test_zero(unsigned vector) = 0;

  // Compare by a condition: of integers as vpcmpd numbers it, of floating-point numbers as vcmpps does.
  virtual void compare(Numbers numbers, uint8_t condition, unsigned mask, unsigned a, unsigned b) = 0;
  // to = first op second where the mask says so. The other: b there, and a elsewhere.
  virtual void merge(Vex op, unsigned to, unsigned first, unsigned second, unsigned mask) = 0;
  virtual void select(unsigned to, unsigned a, unsigned b, unsigned mask) = 0;
  // Add 1 in the lanes of a mask. Find those lanes of it that have 0.
  virtual void add_one(unsigned to, unsigned mask) = 0;
  virtual void find_zero(unsigned found, unsigned value, unsigned mask) = 0;
  // Add the lanes of another mask.
  virtual void join_masks(unsigned to, unsigned other) = 0;
  // Load a chunk of a mask of lanes that is in memory.
  virtual void load_mask(unsigned to, At mask, unsigned chunk) = 0;
  // Set rax to a mask.
  virtual void mask_to_rax(unsigned mask) = 0;
  // Masks of all lanes are collected in registers of their own, kMasks of them: put rax there, as a chunk.
  void collect(unsigned number, unsigned chunk) {
    if (chunk != 0) shift_left(kRax, uint8_t(width() * chunk));
    stored_.take(number);
    bytes({0x49, uint8_t(chunk == 0 ? 0x89 : 0x09), uint8_t(0xc0 | number)});
  }
  void load_collected(unsigned number) {
    stored_.release(number);
    bytes({0x4c, 0x89, uint8_t(0xc0 | number << 3)});
  }
  // Set the flags to "equal" if the first has all lanes.
  void test_collected(bool wide) {
    stored_.release(0);
    bytes({uint8_t(wide ? 0x49 : 0x41), 0x83, 0xf8, 0xff});
  }

  // Load what `store_active` needs for wavefronts with some lanes of the first register. Calls change it.
  virtual void begin_first(At active_mask) = 0;
  // Store to the active lanes of a chunk; not for kAll. `active_mask` and `active_lanes` are where the mask of active
  // lanes is, as bits and as words. Changes register 15.
  virtual void store_active(unsigned from, At row, unsigned chunk, Lanes active, At active_mask, At active_lanes) = 0;
  // Come before a jump to code of a compiler.
  virtual void end_vectors() {}

  // Return where a constant is, once for each lane of a register; not for instructions with a constant of their own.
  At repeated(uint32_t value) { return pooled(std::vector<uint32_t>(width(), value)); }
  // Append the constants. Call at the end.
  void add_pool() {
    constexpr size_t alignment = 64;
    code_.resize((code_.size() + alignment - 1) / alignment * alignment);
    std::vector<size_t> places;
    for (const auto& one : pool_) {
      places.push_back(code_.size());
      for (const uint32_t word : one) number(word, 4);
    }
    for (const auto& [at, index] : uses_) write_32(at, uint32_t(places[index] - at - 4));
    uses_.clear();
  }

  // Scalar registers.
  void push(Register r) { bytes({uint8_t(0x50 + r)}); }
  void pop(Register r) { bytes({uint8_t(0x58 + r)}); }
  void move(Register to, Register from) { bytes({0x48, 0x89, uint8_t(0xc0 | from << 3 | to)}); }
  void constant(Register to, uint64_t value) {
    if (value >> 32 == 0) {
      bytes({uint8_t(0xb8 + to)});
      number(value, 4);
    } else {
      bytes({0x48, uint8_t(0xb8 + to)});
      number(value, 8);
    }
  }
  // What was stored last is still in a register: it is not loaded, since the host takes several cycles for that.
  void load_32(Register to, At at) {
    if (const int kept = stored_.find(at, 4); kept >= 0) return bytes({0x44, 0x89, kept_to(to, kept)});
    bytes({0x8b}), memory(to, at);
  }
  void load_64(Register to, At at) {
    if (const int kept = stored_.find(at, 8); kept >= 0) return bytes({0x4c, 0x89, kept_to(to, kept)});
    bytes({0x48, 0x8b}), memory(to, at);
  }
  void store_32(Register from, At at) {
    bytes({0x89}), memory(from, at), halves_.insert({at.base, at.displacement});
    if (const int kept = stored_.keep(at, 4); kept >= 0) bytes({0x41, 0x89, kept_from(from, kept)});
  }
  void store_64(Register from, At at) {
    bytes({0x48, 0x89}), memory(from, at);
    for (const int32_t half : {0, 4}) halves_.erase({at.base, at.displacement + half});
    if (const int kept = stored_.keep(at, 8); kept >= 0) bytes({0x49, 0x89, kept_from(from, kept)});
  }
  // Load 64 bits. The host is slow to load together what two stores have just written: then it is two loads. Changes rdx.
  void load_words(Register to, At at) {
    const At high{at.base, at.displacement + 4};
    if (!halves_.contains({at.base, at.displacement}) && !halves_.contains({high.base, high.displacement}))
      return load_64(to, at);
    load_32(kRdx, high);
    load_32(to, at);
    shift_left(kRdx, 32);
    bytes({0x48, 0x09, uint8_t(0xc0 | kRdx << 3 | to)});
  }
  // Forget which stores come before, where code begins, and where other code jumps to.
  void begin() { halves_.clear(), stored_.forget_all(); }
  // One of the host's operations with two registers.
  void compute(uint8_t operation, Register to, Register with, bool wide) {
    if (wide) bytes({0x48});
    bytes({operation, uint8_t(0xc0 | with << 3 | to)});
  }
  // Clear the lowest two bits.
  void clear_low_bits(Register of) { bytes({0x48, 0x83, uint8_t(0xe0 | of), 0xfc}); }
  void invert(Register to, bool wide) {
    if (wide) bytes({0x48});
    bytes({0xf7, uint8_t(0xd0 | to)});
  }
  // Make the carry flag of a byte that is 0 or 1; changes rdx.
  void carry_from(At at) { bytes({0x8a}), memory(kRdx, at), bytes({0x80, 0xc2, 0xff}); }
  // Store a condition as 0 or 1.
  void set(uint8_t condition, At at) {
    stored_.forget(at, 1);
    bytes({0x0f, uint8_t(0x90 | condition)}), memory(0, at);
  }
  void compare_byte(At at, uint8_t value) { bytes({0x80}), memory(7, at), bytes({value}); }
  void compare_32(At at, uint32_t value) { bytes({0x81}), memory(7, at), number(value, 4); }
  void reserve_stack(int8_t size) { bytes({0x48, 0x83, 0xec, uint8_t(size)}); }
  void release_stack(int8_t size) { bytes({0x48, 0x83, 0xc4, uint8_t(size)}); }
  void call(Register to) { stored_.forget_all(), bytes({0xff, uint8_t(0xd0 | to)}); }
  void jump(Register to) { bytes({0xff, uint8_t(0xe0 | to)}); }
  void leave() { bytes({0xc3}); }

  // Have memory loaded to the host's first cache, to be read or written soon. Any address will do.
  void prefetch(At at, bool to_write) { bytes({0x0f, uint8_t(to_write ? 0x0d : 0x18)}), memory(1, at); }
  void compare_rax(uint32_t value) { bytes({0x3d}), number(value, 4); }
  void shift_left(Register of, uint8_t count) { bytes({0x48, 0xc1, uint8_t(0xe0 | of), count}); }
  void multiply(Register to, Register with) { bytes({0x0f, 0xaf, uint8_t(0xc0 | to << 3 | with)}); }
  // A shift by a constant: `which` is 4 for left, 5 for right, 7 for right with sign.
  void shift(uint8_t which, Register of, uint8_t count, bool wide) {
    if (wide) bytes({0x48});
    bytes({0xc1, uint8_t(0xc0 | which << 3 | of), count});
  }
  void test(Register of, bool wide) {
    if (wide) bytes({0x48});
    bytes({0x85, uint8_t(0xc0 | of << 3 | of)});
  }
  void store_byte(At at, uint8_t value) { stored_.forget(at, 1), bytes({0xc6}), memory(0, at), bytes({value}); }
  // Operations on scalar registers with a constant of 32 bits, and with memory.
  void compute_constant(uint8_t operation, Register to, uint32_t value) {
    bytes({0x81, uint8_t(0xc0 | operation >> 3 << 3 | to)});
    number(value, 4);
  }
  void compute_with(uint8_t operation, Register to, At at, bool wide) {
    if (const int kept = stored_.find(at, wide ? 8 : 4); kept >= 0)
      return bytes({uint8_t(wide ? 0x4c : 0x44), operation, kept_to(to, kept)});
    if (wide) bytes({0x48});
    bytes({uint8_t(operation + 2)}), memory(to, at);
  }
  void compare_with(Register of, int8_t value, bool wide) {
    if (wide) bytes({0x48});
    bytes({0x83, uint8_t(0xf8 | of), uint8_t(value)});
  }
  void multiply_wide(Register to, Register with) { bytes({0x48, 0x0f, 0xaf, uint8_t(0xc0 | to << 3 | with)}); }
  void negate(Register of) { bytes({0x48, 0xf7, uint8_t(0xd8 | of)}); }
  void load_address_32(Register to, At at) { bytes({0x8d}), memory(to, at); }
  void load_address_64(Register to, At at) { bytes({0x48, 0x8d}), memory(to, at); }
  void move_if(uint8_t condition, Register to, Register from) {
    bytes({0x0f, uint8_t(0x40 | condition), uint8_t(0xc0 | to << 3 | from)});
  }
  // Bytes of rax to rbx.
  void set(uint8_t condition, Register to) { bytes({0x0f, uint8_t(0x90 | condition), uint8_t(0xc0 | to)}); }
  void compare_bytes(Register a, Register b) { bytes({0x38, uint8_t(0xc0 | b << 3 | a)}); }
  void extend_byte(Register of) { bytes({0x0f, 0xb6, uint8_t(0xc0 | of << 3 | of)}); }

  size_t jump() {
    bytes({0xe9});
    number(0, 4);
    return code_.size();
  }

  // A jump forward: `condition` is 5 for not equal, 7 for above. Returns what `land` needs.
  size_t jump_if(uint8_t condition) {
    bytes({0x0f, uint8_t(0x80 | condition)});
    number(0, 4);
    return code_.size();
  }
  void land(size_t jump) { stored_.forget_all(), write_32(jump - 4, uint32_t(code_.size() - jump)); }
  // A jump back to a place in the code.
  void jump_to(size_t place) {
    bytes({0xe9});
    number(uint32_t(place - code_.size() - 4), 4);
  }
  const std::vector<uint8_t>& code() const { return code_; }

 protected:
  void bytes(std::initializer_list<uint8_t> all) { code_.insert(code_.end(), all); }
  void memory(unsigned field, At at) {
    const bool is_pooled = at.base == kPool;
    bytes({uint8_t((is_pooled ? 5 : 0x80 | at.base) | (field & 7) << 3)});
    if (is_pooled) uses_.emplace_back(code_.size(), size_t(at.displacement));
    number(uint32_t(at.displacement), 4);
  }
  // Return where constants of a whole register are.
  At pooled(const std::vector<uint32_t>& words) {
    const auto [found, is_new] = pool_index_.emplace(words, int32_t(pool_.size()));
    if (is_new) pool_.push_back(words);
    return {kPool, found->second};
  }

 private:
  void number(uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; ++i) code_.push_back(uint8_t(value >> (8 * i)));
  }
  void write_32(size_t at, uint32_t value) {
    for (unsigned i = 0; i < 4; ++i) code_[at + i] = uint8_t(value >> (8 * i));
  }

  // The operands of an instruction with a register that keeps what was stored.
  static uint8_t kept_to(Register to, int kept) { return uint8_t(0xc0 | kept << 3 | to); }
  static uint8_t kept_from(Register from, int kept) { return uint8_t(0xc0 | from << 3 | kept); }

  std::vector<uint8_t> code_;
  StoredValues stored_;
  std::set<std::pair<Register, int32_t>> halves_;  // where 32 bits were stored last
  std::vector<std::vector<uint32_t>> pool_;
  std::map<std::vector<uint32_t>, int32_t> pool_index_;
  std::vector<std::pair<size_t, size_t>> uses_;  // places in the code that refer to constants, and which
};

// The implementations.
std::unique_ptr<Assembler> avx2_assembler();
std::unique_ptr<Assembler> avx512_assembler();

}  // namespace hipport::emulate
