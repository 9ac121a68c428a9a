// SPDX-License-Identifier: MIT
// Reads a kernel's parameters from its demangled name: `void sum<float>(float const*, float*, int)`.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace hipport::trace {

// Return the types in the last pair of parentheses; none if there is no such pair, as in an `extern "C"` name.
inline std::vector<std::string> parameter_types(const std::string& signature) {
  std::vector<std::string> types;
  int depth = 0;
  size_t end = signature.rfind(')');
  if (end == std::string::npos) return types;
  for (size_t i = end; i-- > 0;) {
    const char c = signature[i];
    if (c == ')' || c == '>') ++depth;
    if (depth == 0 && (c == ',' || c == '(')) {
      const size_t start = c == ',' ? i + 2 : i + 1;  // skips the ", " between types
      if (start < end) types.insert(types.begin(), signature.substr(start, end - start));
      end = i;
      if (c == '(') break;
    } else if (c == '(' || c == '<') {
      --depth;
    }
  }
  return types;
}

// Return the size of a built-in type in bytes, 0 for any other type.
inline size_t builtin_size(const std::string& type) {
  static const std::map<std::string, size_t> sizes = {
      {"bool", 1},  {"char", 1},         {"signed char", 1}, {"unsigned char", 1},     {"short", 2},
      {"int", 4},   {"unsigned int", 4}, {"long", 8},        {"unsigned long", 8},     {"unsigned short", 2},
      {"float", 4}, {"double", 8},       {"long long", 8},   {"unsigned long long", 8}};
  const auto found = sizes.find(type);
  return found == sizes.end() ? 0 : found->second;
}

}  // namespace hipport::trace
