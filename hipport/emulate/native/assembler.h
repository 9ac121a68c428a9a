// SPDX-License-Identifier: MIT
// Writes x86-64 instructions with AVX-512, those that fuse.cpp needs. Vector operands are registers zmm0 to zmm31, or
// memory at one of the first eight registers plus a displacement.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <utility>
#include <vector>

namespace hipport::emulate {

// An instruction with 512-bit operands: its prefix, opcode map and opcode, and whether its elements have 64 bits.
struct Vex {
  uint8_t prefix, map, opcode;  // prefix: 0 for none, 1 for 66, 2 for f3; map: 1 for 0f, 2 for 0f38, 3 for 0f3a
  bool wide = false;
};

enum Register : uint8_t { kRax = 0, kRcx = 1, kRdx = 2, kRbx = 3, kRsp = 4, kRbp = 5, kRsi = 6, kRdi = 7 };

struct At {
  Register base;  // not rsp
  int32_t displacement;
};

class Assembler {
 public:
  void vector(Vex op, unsigned to, unsigned first, unsigned second, unsigned mask = 0) {
    evex(op, to, first, mask, second);
    bytes({uint8_t(0xc0 | (to & 7) << 3 | (second & 7))});
  }
  void vector(Vex op, unsigned to, unsigned first, At at, unsigned mask = 0) {
    evex(op, to, first, mask, at.base);
    memory(to, at);
  }
  void vector(Vex op, unsigned to, unsigned first, unsigned second, unsigned mask, uint8_t constant) {
    vector(op, to, first, second, mask);
    bytes({constant});
  }
  // A shift by a constant: `which` is a part of the opcode.
  void shift(Vex op, unsigned which, unsigned to, unsigned from, uint8_t count) {
    evex(op, which, to, 0, from);
    bytes({uint8_t(0xc0 | which << 3 | (from & 7)), count});
  }

  // The constant of an instruction whose operand is memory.
  void last_byte(uint8_t constant) { bytes({constant}); }

  // Mask registers.
  void load_mask(unsigned to, At at) { mask16(0x90, to, at); }
  void store_mask_32(unsigned from, At at) { bytes({0xc4, 0xe1, 0xf9, 0x91}), memory(from, at); }
  void store_mask_64(unsigned from, At at) { bytes({0xc4, 0xe1, 0xf8, 0x91}), memory(from, at); }
  void mask_to(unsigned from, Register to) { bytes({0xc5, 0xf8, 0x93, uint8_t(0xc0 | to << 3 | from)}); }
  void mask_from(Register from, unsigned to) { bytes({0xc5, 0xf8, 0x92, uint8_t(0xc0 | to << 3 | from)}); }
  void mask_or(unsigned to, unsigned a, unsigned b) { masks(0xc5, 0x45, to, a, b); }
  void mask_and(unsigned to, unsigned a, unsigned b) { masks(0xc5, 0x41, to, a, b); }
  void join_16(unsigned to, unsigned high, unsigned low) { masks(0xc5, 0x4b, to, high, low); }
  void join_32(unsigned to, unsigned high, unsigned low) {
    bytes({0xc4, 0xe1, uint8_t(0x80 | (~high & 15) << 3 | 4), 0x4b, uint8_t(0xc0 | to << 3 | low)});
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
  void load_32(Register to, At at) { bytes({0x8b}), memory(to, at); }
  void load_64(Register to, At at) { bytes({0x48, 0x8b}), memory(to, at); }
  void store_32(Register from, At at) { bytes({0x89}), memory(from, at), halves_.insert({at.base, at.displacement}); }
  void store_64(Register from, At at) {
    bytes({0x48, 0x89}), memory(from, at);
    for (const int32_t half : {0, 4}) halves_.erase({at.base, at.displacement + half});
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
  // Forget which stores come before.
  void begin() { halves_.clear(); }
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
  void set(uint8_t condition, At at) { bytes({0x0f, uint8_t(0x90 | condition)}), memory(0, at); }
  void compare_byte(At at, uint8_t value) { bytes({0x80}), memory(7, at), bytes({value}); }
  void compare_32(At at, uint32_t value) { bytes({0x81}), memory(7, at), number(value, 4); }
  void reserve_stack(int8_t size) { bytes({0x48, 0x83, 0xec, uint8_t(size)}); }
  void release_stack(int8_t size) { bytes({0x48, 0x83, 0xc4, uint8_t(size)}); }
  void call(Register to) { bytes({0xff, uint8_t(0xd0 | to)}); }
  void jump(Register to) { bytes({0xff, uint8_t(0xe0 | to)}); }
  void leave() { bytes({0xc3}); }

  void compare_rax(uint32_t value) { bytes({0x3d}), number(value, 4); }
  void shift_left(Register of, uint8_t count) { bytes({0x48, 0xc1, uint8_t(0xe0 | of), count}); }
  // Set the flags by whether a mask has any of the lowest 16 bits.
  void test_mask(unsigned mask) { bytes({0xc5, 0xf8, 0x98, uint8_t(0xc0 | mask << 3 | mask)}); }
  // Set the carry flag if all of the lowest 32 or 64 bits of a mask are set.
  void test_mask_full(unsigned mask, bool wide) {
    bytes({0xc4, 0xe1, uint8_t(wide ? 0xf8 : 0xf9), 0x98, uint8_t(0xc0 | mask << 3 | mask)});
  }
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
  void store_byte(At at, uint8_t value) { bytes({0xc6}), memory(0, at), bytes({value}); }
  // Operations on scalar registers with a constant of 32 bits, and with memory.
  void compute_constant(uint8_t operation, Register to, uint32_t value) {
    bytes({0x81, uint8_t(0xc0 | operation >> 3 << 3 | to)});
    number(value, 4);
  }
  void compute_with(uint8_t operation, Register to, At at, bool wide) {
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
  void land(size_t jump) {
    const uint32_t distance = uint32_t(code_.size() - jump);
    for (unsigned i = 0; i < 4; ++i) code_[jump - 4 + i] = uint8_t(distance >> (8 * i));
  }
  // A jump back to a place in the code.
  void jump_to(size_t place) {
    bytes({0xe9});
    number(uint32_t(place - code_.size() - 4), 4);
  }
  const std::vector<uint8_t>& code() const { return code_; }

 private:
  void bytes(std::initializer_list<uint8_t> all) { code_.insert(code_.end(), all); }
  void number(uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; ++i) code_.push_back(uint8_t(value >> (8 * i)));
  }
  void memory(unsigned field, At at) {
    bytes({uint8_t(0x80 | (field & 7) << 3 | at.base)});
    number(uint32_t(at.displacement), 4);
  }
  void mask16(uint8_t opcode, unsigned mask, At at) { bytes({0xc5, 0xf8, opcode}), memory(mask, at); }
  void masks(uint8_t start, uint8_t opcode, unsigned to, unsigned first, unsigned second) {
    bytes({start, uint8_t(0x80 | (~first & 15) << 3 | 4), opcode, uint8_t(0xc0 | to << 3 | second)});
  }
  // EVEX holds the upper bits of register numbers inverted.
  void evex(Vex op, unsigned field, unsigned first, unsigned mask, unsigned second) {
    const auto off = [](unsigned value, unsigned bit) { return unsigned(~value >> bit & 1); };
    bytes({0x62, uint8_t(off(field, 3) << 7 | off(second, 4) << 6 | off(second, 3) << 5 | off(field, 4) << 4 | op.map),
           uint8_t(unsigned(op.wide) << 7 | (~first & 15) << 3 | 4 | op.prefix),
           uint8_t(2 << 5 | off(first, 4) << 3 | mask), op.opcode});
  }

  std::vector<uint8_t> code_;
  std::set<std::pair<Register, int32_t>> halves_;  // where 32 bits were stored last
};

}  // namespace hipport::emulate
