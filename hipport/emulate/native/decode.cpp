// SPDX-License-Identifier: MIT
#include "decode.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>

namespace hipport::emulate {
namespace {

std::vector<Slot> slots(std::string_view text) {
  std::vector<Slot> found;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const size_t colon = word.find(':');
    if (colon == word.npos || word.size() < colon + 4) {
      found.push_back({word, {}, 0, 0});
    } else {
      unsigned count = 0;
      for (const char digit : word.substr(colon + 3)) count = count * 10 + unsigned(digit - '0');
      found.push_back({{}, word.substr(0, colon), word[colon + 1], uint8_t(count)});
    }
  }
  return found;
}

// A line of a table: a format, one of its fields, or one of its opcodes.
struct Line {
  enum Kind : uint8_t { kFormat, kField, kOpcode } kind;
  std::string_view name, operands;
  uint32_t numbers[5];
};
#define FORMAT(name, bits, match, mask, low, width) {Line::kFormat, #name, "", {bits, match, mask, low, width}},
#define FIELD(format, name, low, width) {Line::kField, #name, "", {low, width}},
#define OPCODE(format, number, name, operands) {Line::kOpcode, #name, operands, {number}},
constexpr Line kGfx90a[] = {
#include "isa/gfx90a.inc"
};
constexpr Line kGfx942[] = {
#include "isa/gfx942.inc"
};
constexpr Line kGfx950[] = {
#include "isa/gfx950.inc"
};
constexpr Line kGfx1030[] = {
#include "isa/gfx1030.inc"
};
constexpr Line kGfx1100[] = {
#include "isa/gfx1100.inc"
};
constexpr Line kGfx1151[] = {
#include "isa/gfx1151.inc"
};
constexpr Line kGfx1201[] = {
#include "isa/gfx1201.inc"
};

struct Table {
  std::string_view name;
  unsigned generation;
  std::span<const Line> lines;
};
constexpr Table kTables[] = {{"gfx90a", 9, kGfx90a},    {"gfx942", 9, kGfx942},    {"gfx950", 9, kGfx950},
                             {"gfx1030", 10, kGfx1030}, {"gfx1100", 11, kGfx1100}, {"gfx1151", 11, kGfx1151},
                             {"gfx1201", 12, kGfx1201}};

void set_opcode_high(Format& format, unsigned at) {
  format.opcode_high = at;
  format.rows.resize(2 * format.rows.size());
}

std::unique_ptr<Processor> built(const Table& table) {
  auto processor = std::make_unique<Processor>(Processor{table.name, table.generation, {}});
  for (const Line& line : table.lines) {
    const uint32_t (&numbers)[5] = line.numbers;
    if (line.kind == Line::kFormat)
      processor->formats.push_back({line.name,
                                    numbers[0] / 8,
                                    numbers[1],
                                    numbers[2],
                                    numbers[3],
                                    numbers[4],
                                    {},
                                    std::vector<Row>(size_t(1) << numbers[4])});
    else if (line.kind == Line::kField && line.name == "opcode_high")
      set_opcode_high(processor->formats.back(), numbers[0]);
    else if (line.kind == Line::kField)
      processor->formats.back().fields[line.name] = {uint8_t(numbers[0]), uint8_t(numbers[1])};
    else
      processor->formats.back().rows[numbers[0]] = {line.name, slots(line.operands)};
  }
  return processor;
}

constexpr unsigned kLiteral = 255, kSdwa = 249, kDpp = 250, kDpp8 = 233, kDpp8Inactive = 234, kFirstVector = 256;

// Decodes a number in a 7, 8 or 9-bit source field.
Operand source(const Processor& processor, unsigned code, unsigned count) {
  Operand found{Bank::kScalar, uint8_t(count), uint16_t(code), 0};
  if (code >= kFirstVector) {
    found.bank = Bank::kVector;
    found.number = uint16_t(code - kFirstVector);
  } else if (code >= 128) {
    found.bank = code >= 235 && code <= 239   ? Bank::kSpecial
                 : code >= 251 && code <= 253 ? Bank::kSpecial
                                              : Bank::kConstant;
  } else if (code == 124 || code == 125) {  // m0, and the null register, which gfx9 lacks
    const bool is_m0 = processor.generation >= 11 ? code == 125 : code == 124;
    found.number = is_m0 ? kM0 : kNull;
  }
  return found;
}

std::string_view stripped(std::string_view name) {
  for (const std::string_view suffix : {"_e32", "_e64", "_dpp", "_sdwa"})
    if (name.size() > suffix.size() && name.substr(name.size() - suffix.size()) == suffix)
      return name.substr(0, name.size() - suffix.size());
  return name;
}

unsigned factor(std::string_view field, const Processor& processor) {
  if (field == "sbase") return 2;
  return field == "srsrc" && processor.generation < 12 ? 4 : 1;
}

class Decoder {
 public:
  Decoder(const Processor& processor, const uint8_t* bytes, size_t available)
      : processor_(processor), bytes_(bytes), available_(available) {}

  std::vector<Decoded> run() {
    if (available_ < 4) return {};
    const uint32_t first = word(0);
    if (processor_.generation >= 11 && first >> 26 == 0b110010) return dual();
    for (const Format& format : processor_.formats) {
      if ((first & format.mask) != format.match) continue;
      return single(format);
    }
    return {};
  }

 private:
  uint32_t word(size_t at) const {
    uint32_t value;
    std::memcpy(&value, bytes_ + at, 4);
    return value;
  }

  std::vector<Decoded> single(const Format& format) {
    Decoded found;
    found.format = &format;
    if (format.size > available_) return {};
    found.code = word(0) | (format.size > 4 ? uint64_t(word(4)) << 32 : 0);
    found.third = format.size > 8 ? word(8) : 0;
    found.row = &format.rows[format.opcode(found.code)];
    if (found.row->name.empty()) return {};
    found.size = format.size;
    found.name = stripped(found.row->name);
    if (!extra_word(found) || !address_words(found)) return {};
    for (const Slot& slot : found.row->slots) found.operands.push_back(operand(found, slot));
    // With sdwa a comparison may write another mask than vcc.
    if (replaced_ == kSdwa && format.name == "VOPC" && extra_ >> 15 & 1)
      found.operands[0] = source(processor_, extra_ >> 8 & 0x7f, found.operands[0].count);
    vector_modifiers(found);
    return {found};
  }

  // Literals, and the words of dpp and sdwa, come after the instruction.
  bool extra_word(Decoded& found) {
    bool literal = false;
    unsigned special = 0;
    for (const Slot& slot : found.row->slots) {
      literal |= slot.word == "literal";
      if (slot.field.empty()) continue;
      const uint64_t number = found.get(slot.field);
      const unsigned width = found.format->fields.at(slot.field).width;
      const bool is_source =
          slot.field.find("src") != slot.field.npos && slot.field != "srsrc" && slot.field != "vsrc1";
      if (!is_source || width < 8) continue;
      literal |= number == kLiteral;
      if (slot.field == "src0" && (number == kSdwa || number == kDpp || number == kDpp8 || number == kDpp8Inactive))
        special = unsigned(number);
    }
    if (!literal && special == 0) return true;
    if (found.size + 4 > available_) return false;
    const uint32_t value = word(found.size);
    found.size += 4;
    if (literal) {
      found.has_literal = true;
      found.literal = value;
    } else {
      replaced_ = special;
      extra_ = value;
      lanes_word(found, special, value);
    }
    return true;
  }

  // The addresses of image instructions of gfx10 and gfx11 need not be in registers one after the other.
  bool address_words(Decoded& found) {
    if (found.format->name != "MIMG") return true;
    const unsigned count = unsigned(found.get("nsa"));
    if (found.size + 4 * count > available_) return false;
    for (unsigned i = 0; i < count; ++i, found.size += 4) found.addresses[i] = word(found.size);
    return true;
  }

  void lanes_word(Decoded& found, unsigned special, uint32_t value) {
    Modifiers& all = found.modifiers;
    if (special == kSdwa) {
      sdwa_word(found, value);
    } else if (special == kDpp) {
      Dpp& dpp = all.dpp;
      dpp.present = true;
      dpp.control = value >> 8 & 0x1ff;
      dpp.fetch_inactive = processor_.generation >= 10 && (value >> 18 & 1);
      dpp.bound_control = value >> 19 & 1;
      if (found.format->size == 4) {
        all.negate = uint8_t((value >> 20 & 1) | (value >> 22 & 1) << 1);
        all.absolute = uint8_t((value >> 21 & 1) | (value >> 23 & 1) << 1);
      }
      dpp.bank_mask = value >> 24 & 0xf;
      dpp.row_mask = value >> 28 & 0xf;
    } else {
      all.dpp.present = all.dpp.eight = true;
      all.dpp.fetch_inactive = special == kDpp8Inactive;
      all.dpp.selectors = value >> 8;
    }
  }

  void sdwa_word(Decoded& found, uint32_t value) {
    Modifiers& all = found.modifiers;
    Sdwa& sdwa = all.sdwa;
    sdwa.present = true;
    if (found.format->name != "VOPC") {
      sdwa.destination = value >> 8 & 7;
      sdwa.unused = value >> 11 & 3;
      all.clamp = value >> 13 & 1;
      all.output = value >> 14 & 3;
    }
    sdwa.source[0] = value >> 16 & 7;
    sdwa.source[1] = value >> 24 & 7;
    sdwa.sign[0] = value >> 19 & 1;
    sdwa.sign[1] = value >> 27 & 1;
    all.negate = uint8_t((value >> 20 & 1) | (value >> 28 & 1) << 1);
    all.absolute = uint8_t((value >> 21 & 1) | (value >> 29 & 1) << 1);
  }

  // The register of an operand that the word after the instruction holds.
  Operand replaced(const Slot& slot, const Operand& usual) const {
    if (slot.field == "src0") {
      const bool scalar = replaced_ == kSdwa && extra_ >> 23 & 1;
      if (scalar) return source(processor_, extra_ & 0xff, slot.count);
      return {Bank::kVector, slot.count, uint16_t(extra_ & 0xff), 0};
    }
    if (slot.field == "vsrc1" && replaced_ == kSdwa && extra_ >> 31 & 1)
      return source(processor_, usual.number, slot.count);
    return usual;
  }

  Operand operand(const Decoded& found, const Slot& slot) const {
    if (!slot.word.empty()) return word_operand(found, slot.word);
    const Field& field = found.format->fields.at(slot.field);
    const unsigned number = unsigned(found.get(slot.field)) * factor(slot.field, processor_);
    Operand usual{Bank::kVector, slot.count, uint16_t(number), 0};
    const bool accumulators = slot.bank == 'a';
    if (field.width == 9) {
      usual = source(processor_, number, slot.count);
    } else if (slot.bank == 's' || slot.bank == 't') {
      usual = source(processor_, number, slot.count);
    }
    if (replaced_ != 0) usual = replaced(slot, usual);
    if (usual.bank == Bank::kConstant && number == kLiteral) usual.literal = found.literal;
    if (usual.bank == Bank::kVector && (accumulators || is_accumulator(found, slot))) usual.number += kAccumulators;
    return usual;
  }

  // Bits of the encoding say which operands are AGPRs.
  bool is_accumulator(const Decoded& found, const Slot& slot) const {
    const std::string_view format = found.format->name;
    if (processor_.generation != 9) return false;
    if (format == "DS") return slot.field != "addr" && found.get("acc");
    if (format == "FLAT" || format == "GLOBAL" || format == "SCRATCH" || format == "MUBUF" || format == "MTBUF")
      return (slot.field == "data" || slot.field == "vdst" || slot.field == "vdata") && found.get("acc");
    if (format != "VOP3P" || found.name.find("mfma") == found.name.npos || found.name == "v_mfma_ld_scale_b32")
      return false;
    const uint64_t acc = found.get("acc");
    if (slot.field == "src0") return acc & 1;
    if (slot.field == "src1") return acc >> 1 & 1;
    if (slot.field == "src2" && found.name.find("smfmac") != found.name.npos) return false;  // indexes
    return found.get("acc_cd");
  }

  Operand word_operand(const Decoded& found, std::string_view word) const {
    if (word == "vcc") return {Bank::kScalar, 2, kVcc, 0};
    if (word == "vcc_lo") return {Bank::kScalar, 1, kVcc, 0};
    if (word == "exec") return {Bank::kScalar, 2, kExec, 0};
    if (word == "exec_lo") return {Bank::kScalar, 1, kExec, 0};
    if (word == "m0") return {Bank::kScalar, 1, kM0, 0};
    if (word == "literal") return {Bank::kConstant, 1, kLiteral, found.literal};
    return {};
  }

  void vector_modifiers(Decoded& found) const {
    const std::string_view format = found.format->name;
    Modifiers& all = found.modifiers;
    if (format == "VOP3") {
      bool writes_mask = false;
      for (const Slot& slot : found.row->slots) writes_mask |= slot.field == "sdst";
      if (!writes_mask) {
        all.absolute = uint8_t(found.get("abs"));
        all.select = uint8_t(found.get("op_sel"));
      }
      all.negate = uint8_t(found.get("neg"));
      all.output = uint8_t(found.get("omod"));
      all.clamp = found.get("clamp");
    } else if (format == "VOP3P" && found.name.find("mfma") == found.name.npos) {
      all.negate = uint8_t(found.get("neg"));
      all.negate_high = uint8_t(found.get("neg_hi"));
      all.select = uint8_t(found.get("op_sel"));
      all.select_high = uint8_t(found.get("op_sel_hi") | found.get("op_sel_hi2") << 2);
      all.clamp = found.get("clamp");
    }
  }

  // VOPD: two instructions in one, as if each were encoded as VOP2.
  std::vector<Decoded> dual() {
    static const std::map<unsigned, std::string_view> names = {
        {0, "v_fmac_f32"},         {1, "v_fmaak_f32"},         {2, "v_fmamk_f32"},   {3, "v_mul_f32"},
        {4, "v_add_f32"},          {5, "v_sub_f32"},           {6, "v_subrev_f32"},  {7, "v_mul_legacy_f32"},
        {8, "v_mov_b32"},          {9, "v_cndmask_b32"},       {10, "v_max_f32"},    {11, "v_min_f32"},
        {12, "v_dot2acc_f32_f16"}, {13, "v_dot2acc_f32_bf16"}, {16, "v_add_nc_u32"}, {17, "v_lshlrev_b32"},
        {18, "v_and_b32"}};
    if (available_ < 8) return {};
    const uint64_t code = word(0) | uint64_t(word(4)) << 32;
    const auto bits = [code](unsigned low, unsigned width) { return unsigned(code >> low & ((1u << width) - 1)); };
    const unsigned vdst_x = bits(56, 8), vdst_y = bits(49, 7) << 1 | (~vdst_x & 1);
    struct Half {
      unsigned opcode, src0, vsrc1, vdst;
    } halves[2] = {{bits(22, 4), bits(0, 9), bits(9, 8), vdst_x}, {bits(17, 5), bits(32, 9), bits(41, 8), vdst_y}};
    bool literal = false;
    for (const Half& half : halves) literal |= half.src0 == kLiteral || half.opcode == 1 || half.opcode == 2;
    if (literal && available_ < 12) return {};
    std::vector<Decoded> both;
    for (const Half& half : halves) {
      const auto name = names.find(half.opcode);
      if (name == names.end()) return {};
      const bool renamed = processor_.generation >= 12 && (half.opcode == 10 || half.opcode == 11);
      const std::string_view newer = half.opcode == 10 ? "v_max_num_f32" : "v_min_num_f32";
      both.push_back(one_half(renamed ? newer : name->second, half.src0, half.vsrc1, half.vdst, literal ? word(8) : 0));
      both.back().size = literal ? 12 : 8;
      both.back().code = code;
    }
    return both;
  }

  Decoded one_half(std::string_view name, unsigned src0, unsigned vsrc1, unsigned vdst, uint32_t literal) const {
    static const Format format{"VOPD", 8, 0, 0, 0, 1, {}, {}};
    static const Row row{"v_dual", {}};
    Decoded found;
    found.format = &format;
    found.row = &row;
    found.name = name;
    const Operand first = source(processor_, src0, 1), second{Bank::kVector, 1, uint16_t(vsrc1), 0},
                  constant{Bank::kConstant, 1, kLiteral, literal};
    found.operands = {{Bank::kVector, 1, uint16_t(vdst), 0}, first};
    if (src0 == kLiteral) found.operands[1].literal = literal;
    if (name == "v_fmamk_f32") found.operands.push_back(constant);
    if (name != "v_mov_b32") found.operands.push_back(second);
    if (name == "v_fmaak_f32") found.operands.push_back(constant);
    if (name == "v_cndmask_b32") found.operands.push_back({Bank::kScalar, 1, kVcc, 0});
    return found;
  }

  const Processor& processor_;
  const uint8_t* bytes_;
  size_t available_;
  unsigned replaced_ = 0;
  uint32_t extra_ = 0;
};

}  // namespace

uint64_t Decoded::get(std::string_view name) const {
  const auto found = format->fields.find(name);
  if (found == format->fields.end()) return 0;
  const Field field = found->second;
  const uint64_t content = field.low >= 64 ? third >> (field.low - 64) : code >> field.low;
  return content & ((uint64_t(1) << field.width) - 1);
}

const Processor* find_processor(std::string_view name) {
  static std::mutex mutex;
  static std::map<std::string_view, std::unique_ptr<Processor>> known;  // as long as the program runs
  const std::lock_guard lock(mutex);
  for (const Table& table : kTables) {
    if (table.name != name) continue;
    std::unique_ptr<Processor>& found = known[table.name];
    if (found == nullptr) found = built(table);
    return found.get();
  }
  return nullptr;
}

std::vector<Decoded> decode(const Processor& processor, const uint8_t* bytes, size_t available) {
  return Decoder(processor, bytes, available).run();
}

}  // namespace hipport::emulate
