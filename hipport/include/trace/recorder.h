// SPDX-License-Identifier: MIT
// Records the memory that every kernel launch finds and leaves, for `hipport verify --trace`.
//
// The environment variable HIPPORT_TRACE names the output file. Fields of its lines are separated by tabs:
//   launch  NUMBER  KERNEL  GRID  BLOCK  SHARED_BYTES
// arg     INDEX   TYPE    VALUE       for pointers BUFFER+OFFSET, otherwise the bytes in hexadecimal
//   before  BUFFER  SIZE    HASH        a buffer that is new or has changed since the last launch
//   after   BUFFER  SIZE    HASH        a buffer that this launch has changed
//   end     NUMBER
// Buffers and launches are numbered from 1, in the order of allocation and of launch. If there is a file
// HIPPORT_TRACE.wanted with lines `LAUNCH before|after BUFFER`, the contents of these buffers are written to files
// HIPPORT_TRACE.LAUNCH.before|after.BUFFER.
#pragma once

#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace hipport::trace {

// Hashes in words of eight bytes; all pieces except the last must consist of whole words.
class Hash {
 public:
  void add(const char* data, size_t size) {
    for (; size >= sizeof(uint64_t); data += sizeof(uint64_t), size -= sizeof(uint64_t)) mix(data, sizeof(uint64_t));
    if (size > 0) mix(data, size);
  }
  uint64_t value() const { return state_; }

 private:
  void mix(const char* data, size_t size) {
    uint64_t word = 0;
    std::memcpy(&word, data, size);
    state_ = (state_ ^ word) * 0x9e3779b97f4a7c15u;
    state_ ^= state_ >> 29;
  }

  uint64_t state_ = 0xcbf29ce484222325u;
};

struct Argument {
  std::string type;  // C++ type as the demangler spells it
  bool is_pointer;
  const void* value;  // the pointer itself, or the address of the value
  size_t size;        // of the value in bytes; 0 if it is not recorded
};

struct Kernel {
  std::string name;
  unsigned grid[3], block[3];
  size_t shared_bytes;
  std::vector<Argument> arguments;
};

class Recorder {
 public:
  // Copy from a buffer to host memory; return false if that is impossible.
  using Read = bool (*)(void* to, const void* from, size_t size);

  // Return the recorder of this program; null unless a trace is requested.
  static Recorder* instance(Read read) {
    static Recorder* const only = create(read);
    return only;
  }

  void allocated(const void* address, size_t size) {
    std::lock_guard<std::mutex> lock(mutex_);
    buffers_[++allocations_] = {static_cast<const char*>(address), size, 0, false};
  }

  void freed(const void* address) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto at = buffers_.begin(); at != buffers_.end(); ++at)
      if (at->second.address == address) {
        buffers_.erase(at);
        return;
      }
  }

  // Run a launch to completion, and record what it changed.
  template <typename Run>
  void around(const Kernel& kernel, Run run) {
    std::lock_guard<std::mutex> lock(mutex_);
    ++launches_;
    write(kernel);
    look("before");
    run();
    look("after");
    std::fprintf(file_, "end\t%" PRIu64 "\n", launches_);
    std::fflush(file_);
  }

 private:
  struct Buffer {
    const char* address;
    size_t size;
    uint64_t hash;
    bool seen;
  };
  using Place = std::tuple<uint64_t, std::string, uint64_t>;
  static constexpr size_t piece = size_t(1) << 22;

  static Recorder* create(Read read) {
    const char* name = std::getenv("HIPPORT_TRACE");
    if (name == nullptr || *name == '\0') return nullptr;
    std::FILE* file = std::fopen(name, "w");
    if (file == nullptr) {
      std::fprintf(stderr, "hipport: cannot write the trace %s\n", name);
      std::exit(70);
    }
    auto* made = new Recorder(name, file, read);
    unsetenv("HIPPORT_TRACE");  // child processes would write to the same file
    return made;
  }

  Recorder(const char* name, std::FILE* file, Read read) : name_(name), file_(file), read_(read), staging_(piece) {
    std::FILE* const wanted = std::fopen((name_ + ".wanted").c_str(), "r");
    if (wanted == nullptr) return;
    uint64_t launch = 0, buffer = 0;
    for (char moment[8]; std::fscanf(wanted, "%" SCNu64 " %7s %" SCNu64, &launch, moment, &buffer) == 3;)
      wanted_.emplace_back(launch, moment, buffer);
    std::fclose(wanted);
  }

  void write(const Kernel& kernel) {
    std::string name = kernel.name;
    std::replace_if(name.begin(), name.end(), [](char c) { return c == '\t' || c == '\n'; }, ' ');
    const auto& [grid, block] = std::tie(kernel.grid, kernel.block);
    std::fprintf(file_, "launch\t%" PRIu64 "\t%s\t%u,%u,%u\t%u,%u,%u\t%zu\n", launches_, name.c_str(), grid[0], grid[1],
                 grid[2], block[0], block[1], block[2], kernel.shared_bytes);
    for (size_t i = 0; i < kernel.arguments.size(); ++i) {
      const Argument& argument = kernel.arguments[i];
      const std::string value = argument.is_pointer ? pointed_to(argument.value) : digits(argument);
      std::fprintf(file_, "arg\t%zu\t%s\t%s\n", i + 1, argument.type.c_str(), value.c_str());
    }
  }

  std::string pointed_to(const void* pointer) const {
    const char* address = static_cast<const char*>(pointer);
    for (const auto& [number, buffer] : buffers_)
      if (address >= buffer.address && address < buffer.address + buffer.size)
        return std::to_string(number) + "+" + std::to_string(address - buffer.address);
    return pointer == nullptr ? "null" : "elsewhere";
  }

  static std::string digits(const Argument& argument) {
    std::string text;
    char two[3];
    for (size_t i = 0; i < argument.size; ++i) {
      std::snprintf(two, sizeof two, "%02x", static_cast<const unsigned char*>(argument.value)[i]);
      text += two;
    }
    return text;
  }

  void look(const char* moment) {
    for (auto& [number, buffer] : buffers_) {
      const bool wanted = std::find(wanted_.begin(), wanted_.end(), Place(launches_, moment, number)) != wanted_.end();
      Hash hash;
      if (!scan(buffer, hash, wanted ? dump_name(moment, number) : "")) continue;
      if (buffer.seen && hash.value() == buffer.hash) continue;
      buffer.hash = hash.value();
      buffer.seen = true;
      std::fprintf(file_, "%s\t%" PRIu64 "\t%zu\t%016" PRIx64 "\n", moment, number, buffer.size, buffer.hash);
    }
    std::fflush(file_);
  }

  std::string dump_name(const char* moment, uint64_t number) const {
    return name_ + "." + std::to_string(launches_) + "." + moment + "." + std::to_string(number);
  }

  // Hash a buffer, and write it to the file `dump` unless that is empty.
  bool scan(const Buffer& buffer, Hash& hash, const std::string& dump) {
    std::FILE* const file = dump.empty() ? nullptr : std::fopen(dump.c_str(), "wb");
    bool read = true;
    for (size_t done = 0; read && done < buffer.size; done += piece) {
      const size_t size = std::min(piece, buffer.size - done);
      read = read_(staging_.data(), buffer.address + done, size);
      if (read) hash.add(staging_.data(), size);
      if (read && file != nullptr) std::fwrite(staging_.data(), 1, size, file);
    }
    if (file != nullptr) std::fclose(file);
    return read;
  }

  const std::string name_;
  std::FILE* const file_;
  const Read read_;
  std::vector<char> staging_;
  std::vector<Place> wanted_;
  std::map<uint64_t, Buffer> buffers_;
  uint64_t allocations_ = 0, launches_ = 0;
  std::mutex mutex_;
};

}  // namespace hipport::trace
