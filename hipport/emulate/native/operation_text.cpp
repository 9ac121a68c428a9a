// SPDX-License-Identifier: MIT
#include "operation_text.h"

#include "wave.h"

#include <cstdio>

namespace hipport::emulate {
namespace {

std::string text_of(const Operand& operand) {
  const auto range = [&](const std::string& letter, unsigned number) {
    if (operand.count <= 1) return letter + std::to_string(number);
    return letter + "[" + std::to_string(number) + ":" + std::to_string(number + operand.count - 1) + "]";
  };
  switch (operand.bank) {
    case Bank::kVector:
      return operand.number >= kAccumulators ? range("a", operand.number - kAccumulators) : range("v", operand.number);
    case Bank::kScalar:
      if (operand.number == kVcc) return operand.count == 2 ? "vcc" : "vcc_lo";
      if (operand.number == kExec) return operand.count == 2 ? "exec" : "exec_lo";
      if (operand.number == kM0) return "m0";
      if (operand.number == kNull) return "null";
      if (operand.number >= kTtmp && operand.number < kNull) return range("ttmp", operand.number - kTtmp);
      return range("s", operand.number);
    case Bank::kConstant: {
      char text[24];
      static const char* const numbers[] = {"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494"};
      if (operand.number >= 240 && operand.number <= 248) return numbers[operand.number - 240];
      if (operand.number >= 128 && operand.number <= 192) return std::to_string(operand.number - 128);
      if (operand.number >= 193 && operand.number <= 208) return std::to_string(192 - int(operand.number));
      std::snprintf(text, sizeof text, "0x%x", operand.literal);
      return text;
    }
    case Bank::kSpecial: return "special" + std::to_string(operand.number);
    default: return "";
  }
}

}  // namespace

std::string text_of(const Op& op) {
  std::string all = op.name;
  const char* separator = " ";
  for (unsigned i = 0; i < op.operand_count; ++i) {
    const std::string operand = text_of(op.operands[i]);
    if (operand.empty()) continue;
    all += separator + operand;
    separator = ", ";
  }
  return all;
}

}  // namespace hipport::emulate
