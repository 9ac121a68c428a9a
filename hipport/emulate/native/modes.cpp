// SPDX-License-Identifier: MIT
#include "modes.h"

#include <algorithm>
#include <cfenv>
#include <iterator>
#include <string_view>

namespace hipport::emulate {
namespace {

// Operations whose results are rounded, without the type that follows.
constexpr std::string_view kRounded[] = {
    "add",   "sub",        "subrev",       "mul",     "mul_legacy", "mul_dx9_zero",  "fma",         "fmac",  "fmaak",
    "fmamk", "fma_legacy", "fma_dx9_zero", "mad",     "mac",        "fmac_dx9_zero", "fmac_legacy", "madak", "madmk",
    "ldexp", "div_fmas",   "sqrt",         "fma_mix", "mad_mix",    "fma_mixlo",     "fma_mixhi"};
// Operations on numbers in floating point whose results are exact.
constexpr std::string_view kExact[] = {
    "min",        "max",        "min3",     "max3",    "med3",    "minmax",    "maxmin",         "minimum",
    "maximum",    "minimum3",   "maximum3", "min_num", "max_num", "min3_num",  "max3_num",       "med3_num",
    "minmax_num", "maxmin_num", "rndne",    "floor",   "ceil",    "trunc",     "fract",          "rcp",
    "rsq",        "exp",        "log",      "sin",     "cos",     "rcp_iflag", "minimummaximum", "maximumminimum"};

bool take(std::string_view& text, std::string_view start) {
  if (text.substr(0, start.size()) != start) return false;
  text.remove_prefix(start.size());
  return true;
}

template <size_t N>
bool is_one_of(std::string_view name, const std::string_view (&all)[N]) {
  return std::find(std::begin(all), std::end(all), name) != std::end(all);
}

uint8_t rounding_of(std::string_view type) {
  return type == "f32" ? kRoundsSingle : type == "f16" || type == "f64" ? kRoundsOthers : 0;
}

// Of v_cvt_RESULT_SOURCE. Results that are integers are rounded as the instruction says.
uint8_t conversion_use(std::string_view types) {
  const size_t end = types.find('_');
  if (end == types.npos) return 0;
  const std::string_view to = types.substr(0, end), from = types.substr(end + 1);
  const bool floats = rounding_of(to) != 0 || rounding_of(from) != 0;
  return floats ? uint8_t(kFlushes | rounding_of(to)) : 0;
}

}  // namespace

uint8_t mode_use(std::string_view name) {
  for (const std::string_view suffix : {"_e32", "_e64", "_dpp", "_sdwa"})
    if (name.size() > suffix.size() && name.substr(name.size() - suffix.size()) == suffix)
      name.remove_suffix(suffix.size());
  if (!take(name, "v_") && !take(name, "s_")) return 0;
  if (take(name, "cvt_")) return conversion_use(name);
  if (take(name, "cmp_") || take(name, "cmpx_"))
    return name.find("_f") != name.npos && name.find("class") == name.npos ? kFlushes : 0;
  take(name, "pk_");
  const size_t end = name.rfind('_');
  if (end == name.npos || rounding_of(name.substr(end + 1)) == 0) return 0;
  const std::string_view operation = name.substr(0, end), type = name.substr(end + 1);
  if (is_one_of(operation, kRounded)) return uint8_t(kFlushes | rounding_of(type));
  return is_one_of(operation, kExact) ? kFlushes : 0;
}

namespace {

// The directions of the mode register: nearest even, up, down, toward zero.
int direction(uint32_t field) {
  static constexpr int all[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  return all[field & 3];
}

class Rounding {
 public:
  explicit Rounding(int direction) : changes_(direction != FE_TONEAREST) {
    if (changes_) std::fesetround(direction);
  }
  ~Rounding() {
    if (changes_) std::fesetround(FE_TONEAREST);
  }
  Rounding(const Rounding&) = delete;
  Rounding& operator=(const Rounding&) = delete;

 private:
  bool changes_;
};

}  // namespace

const Op* run_in_mode(Wave& wave, const Op* op) {
  if (op->mode_use == 0) return op->current()(wave, op);
  Op moved = *op;
  moved.modified = true;
  if (op->mode_use & kFlushes) moved.modifiers.flush = uint8_t(~wave.mode >> 4 & 15);
  const unsigned field = op->mode_use & kRoundsSingle ? 0 : 2;
  const bool rounds = op->mode_use & (kRoundsSingle | kRoundsOthers);
  const Rounding rounding(rounds ? direction(wave.mode >> field) : FE_TONEAREST);
  const Op* const next = op->current()(wave, &moved);
  return next == &moved + 1 ? op + 1 : next;
}

}  // namespace hipport::emulate
