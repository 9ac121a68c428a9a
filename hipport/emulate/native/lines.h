// SPDX-License-Identifier: MIT
// Source lines of machine code, from the section .debug_line (DWARF 2 to 5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hipport::emulate {

// The sections of a code object that hold line tables. Empty if it was compiled without -gline-tables-only or -g.
struct DebugSections {
  std::string_view line, line_strings, strings;
};

// Maps addresses to source lines. A table that cannot be read has no lines: debugging information is not needed to run.
class LineTable {
 public:
  LineTable() = default;
  explicit LineTable(const DebugSections& sections);

  // Return "file:line" of the instruction at an address, or an empty text.
  std::string at(uint64_t address) const;

 private:
  friend class LineProgram;
  struct Row {
    uint64_t address;
    uint32_t file, line;  // line 0: no instruction of this sequence follows
  };
  std::vector<std::string> files_;
  std::vector<Row> rows_;  // by address
};

}  // namespace hipport::emulate
