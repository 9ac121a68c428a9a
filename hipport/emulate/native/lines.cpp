// SPDX-License-Identifier: MIT
#include "lines.h"

#include <algorithm>
#include <cstring>

namespace hipport::emulate {
namespace {

// Thrown and caught in this file only.
struct Malformed {};

class Bytes {
 public:
  explicit Bytes(std::string_view all) : all_(all) {}
  size_t at() const { return at_; }
  bool done() const { return at_ >= all_.size(); }
  std::string_view take(uint64_t count) {
    if (count > all_.size() - at_) throw Malformed{};
    const std::string_view found = all_.substr(at_, count);
    at_ += count;
    return found;
  }
  uint64_t number(unsigned count) {
    uint64_t value = 0;
    std::memcpy(&value, take(count).data(), count);
    return value;
  }
  uint64_t unsigned_leb() {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const uint64_t byte = number(1);
      if (shift < 64) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }
  int64_t signed_leb() {
    int64_t value = 0;
    for (unsigned shift = 0;;) {
      const uint64_t byte = number(1);
      if (shift < 64) value |= int64_t((byte & 0x7f) << shift);
      shift += 7;
      if (byte >= 0x80) continue;
      return byte & 0x40 && shift < 64 ? int64_t(uint64_t(value) | ~uint64_t(0) << shift) : value;
    }
  }
  std::string_view text() {
    const size_t end = all_.find('\0', at_);
    if (end == all_.npos) throw Malformed{};
    const std::string_view found = take(end - at_);
    take(1);
    return found;
  }

 private:
  std::string_view all_;
  size_t at_ = 0;
};

std::string_view text_at(std::string_view section, uint64_t offset) {
  if (offset >= section.size()) throw Malformed{};
  Bytes bytes(section);
  bytes.take(offset);
  return bytes.text();
}

struct FileEntry {
  std::string path;
  uint64_t folder = 0;
};

bool is_header_of_compiler(std::string_view file) {
  return file.find("/include/hip/") != file.npos || file.find("/lib/clang/") != file.npos ||
         file.find("/amd_detail/") != file.npos;
}

}  // namespace

// The line program of one unit.
class LineProgram {
 public:
  LineProgram(const DebugSections& sections, Bytes bytes, unsigned word, LineTable& table)
      : sections_(sections), bytes_(bytes), word_(word), table_(table) {}

  void run() {
    header();
    while (!bytes_.done()) step();
  }

 private:
  void header() {
    version_ = unsigned(bytes_.number(2));
    if (version_ < 2 || version_ > 5) throw Malformed{};
    if (version_ == 5) bytes_.take(2);  // sizes of addresses and of segments
    const uint64_t length = bytes_.number(word_);
    const size_t start = bytes_.at();
    smallest_ = unsigned(bytes_.number(1));
    if (version_ >= 4) bytes_.take(1);
    bytes_.take(1);
    line_base_ = int8_t(bytes_.number(1));
    line_range_ = unsigned(bytes_.number(1));
    opcode_base_ = unsigned(bytes_.number(1));
    if (line_range_ == 0 || opcode_base_ == 0) throw Malformed{};
    for (unsigned i = 1; i < opcode_base_; ++i) lengths_.push_back(uint8_t(bytes_.number(1)));
    names();
    if (start + length < bytes_.at()) throw Malformed{};
    bytes_.take(start + length - bytes_.at());
  }

  void names() {
    std::vector<FileEntry> folders, files;
    if (version_ == 5) {
      folders = entries();
      files = entries();
    } else {
      folders.emplace_back();
      files.emplace_back();
      for (std::string_view name = bytes_.text(); !name.empty(); name = bytes_.text())
        folders.push_back({std::string(name)});
      for (std::string_view name = bytes_.text(); !name.empty(); name = bytes_.text()) {
        files.push_back({std::string(name), bytes_.unsigned_leb()});
        bytes_.unsigned_leb();
        bytes_.unsigned_leb();
      }
    }
    first_file_ = table_.files_.size();
    for (const FileEntry& file : files) {
      const std::string folder = file.folder != 0 && file.folder < folders.size() && file.path[0] != '/'
                                     ? folders[file.folder].path + "/"
                                     : "";
      table_.files_.push_back(folder + file.path);
    }
  }

  std::vector<FileEntry> entries() {
    std::vector<std::pair<uint64_t, uint64_t>> formats;
    for (uint64_t left = bytes_.number(1); left > 0; --left) {
      const uint64_t content = bytes_.unsigned_leb();
      formats.emplace_back(content, bytes_.unsigned_leb());
    }
    std::vector<FileEntry> all;
    for (uint64_t left = bytes_.unsigned_leb(); left > 0; --left) {
      FileEntry entry;
      for (const auto& [content, form] : formats) {
        const auto [text, number] = value(form);
        if (content == 1) entry.path = text;
        if (content == 2) entry.folder = number;
      }
      all.push_back(std::move(entry));
    }
    return all;
  }

  std::pair<std::string_view, uint64_t> value(uint64_t form) {
    switch (form) {
      case 0x08: return {bytes_.text(), 0};
      case 0x1f: return {text_at(sections_.line_strings, bytes_.number(word_)), 0};
      case 0x0e: return {text_at(sections_.strings, bytes_.number(word_)), 0};
      case 0x0b: return {{}, bytes_.number(1)};
      case 0x05: return {{}, bytes_.number(2)};
      case 0x06: return {{}, bytes_.number(4)};
      case 0x07: return {{}, bytes_.number(8)};
      case 0x0f: return {{}, bytes_.unsigned_leb()};
      case 0x1e: return {bytes_.take(16), 0};
      case 0x09: return {bytes_.take(bytes_.unsigned_leb()), 0};
      default: throw Malformed{};
    }
  }

  void step() {
    const unsigned opcode = unsigned(bytes_.number(1));
    if (opcode >= opcode_base_) {
      const unsigned both = opcode - opcode_base_;
      address_ += uint64_t(both / line_range_) * smallest_;
      line_ += line_base_ + int(both % line_range_);
      return row();
    }
    switch (opcode) {
      case 0: return extended();
      case 1: return row();
      case 2: address_ += bytes_.unsigned_leb() * smallest_; return;
      case 3: line_ += bytes_.signed_leb(); return;
      case 4: file_ = bytes_.unsigned_leb(); return;
      case 8: address_ += uint64_t((255 - opcode_base_) / line_range_) * smallest_; return;
      case 9: address_ += bytes_.number(2); return;
      default:
        for (unsigned i = 0; i < lengths_[opcode - 1]; ++i) bytes_.unsigned_leb();
    }
  }

  void extended() {
    Bytes inside(bytes_.take(bytes_.unsigned_leb()));
    if (inside.done()) return;
    const uint64_t opcode = inside.number(1);
    if (opcode == 1) {
      table_.rows_.push_back({address_, 0, 0});
      address_ = 0;
      file_ = line_ = 1;
    } else if (opcode == 2) {
      address_ = inside.number(8);
    }
  }

  void row() {
    const uint64_t file = first_file_ + file_;
    // Instructions that belong to no line count as those of the line before.
    if (file < table_.files_.size() && line_ > 0) table_.rows_.push_back({address_, uint32_t(file), uint32_t(line_)});
  }

  const DebugSections& sections_;
  Bytes bytes_;
  const unsigned word_;
  LineTable& table_;
  unsigned version_ = 0, smallest_ = 1, line_range_ = 1, opcode_base_ = 1;
  int line_base_ = 0;
  std::vector<uint8_t> lengths_;
  size_t first_file_ = 0;
  uint64_t address_ = 0, file_ = 1;
  int64_t line_ = 1;
};

LineTable::LineTable(const DebugSections& sections) {
  try {
    for (Bytes bytes(sections.line); !bytes.done();) {
      uint64_t length = bytes.number(4);
      const unsigned word = length == 0xffffffff ? 8 : 4;
      if (word == 8) length = bytes.number(8);
      LineProgram(sections, Bytes(bytes.take(length)), word, *this).run();
    }
  } catch (const Malformed&) {
    rows_.clear();
  }
  // The end of a sequence comes before the start of another one at the same address.
  std::stable_sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) {
    return a.address != b.address ? a.address < b.address : a.line == 0 && b.line != 0;
  });
}

std::string LineTable::at(uint64_t address) const {
  const auto after = std::upper_bound(rows_.begin(), rows_.end(), address,
                                      [](uint64_t value, const Row& row) { return value < row.address; });
  if (after == rows_.begin() || (after - 1)->line == 0) return "";
  const auto text = [](const std::string& file, uint32_t line) { return file + ":" + std::to_string(line); };
  const Row& found = *(after - 1);
  const std::string& file = files_[found.file];
  if (!is_header_of_compiler(file)) return text(file, found.line);
  // The function was inlined: the line before is where it was called, or near.
  for (auto before = after - 1; before->line != 0; --before) {
    if (!is_header_of_compiler(files_[before->file]))
      return text(files_[before->file], before->line) + " (" + text(file.substr(file.rfind('/') + 1), found.line) + ")";
    if (before == rows_.begin()) break;
  }
  return text(file, found.line);
}

}  // namespace hipport::emulate
