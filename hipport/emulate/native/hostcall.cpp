// SPDX-License-Identifier: MIT
#include "hostcall.h"

#include "allowed_memory.h"

#include "wave.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>

namespace hipport::emulate {
namespace {

constexpr size_t kPackets = 1024;  // a power of two; a wavefront waits for a free one
constexpr unsigned kHeapBytes = 131072;
constexpr unsigned kPrintBytes = 4 << 20;

// The layouts of the device library's hostcall.
struct Header {
  uint64_t next, active;
  uint32_t service;
  std::atomic<uint32_t> control;  // bit 0: waits for an answer
};
struct Payload {
  uint64_t slots[64][8];
};
// The part of `amd_signal_t` that the device writes to. Without a mailbox it raises no interrupt.
struct alignas(64) Doorbell {
  int64_t kind = 1, value = 0;
  uint64_t mailbox = 0, others[5] = {};
};
struct Buffer {
  Header* headers;
  Payload* payloads;
  Doorbell* doorbell;
  uint64_t free;  // numbers of packets, with a tag in the upper bits
  std::atomic<uint64_t> ready;
  uint64_t mask;
};

enum Service : uint32_t { kCall = 1, kPrint = 2, kMemory = 3 };

const char* take_text(const uint64_t*& at, const uint64_t* end) {
  const auto* const text = reinterpret_cast<const char*>(at);
  const size_t room = size_t(end - at) * 8, size = strnlen(text, room);
  if (size == room) return at = end, "";
  at += (size + 8) / 8;
  return text;
}

template <typename T>
std::string shown(const std::string& form, const std::vector<int>& stars, T value) {
  const auto print = [&](char* to, size_t size) {
    if (stars.size() == 1) return std::snprintf(to, size, form.c_str(), stars[0], value);
    if (stars.size() == 2) return std::snprintf(to, size, form.c_str(), stars[0], stars[1], value);
    return std::snprintf(to, size, form.c_str(), value);
  };
  const int size = print(nullptr, 0);
  std::string text(size_t(std::max(size, 0)) + 1, '\0');
  print(text.data(), text.size());
  text.pop_back();
  return text;
}

// Return the text of printf(): a word for each number, and words with the characters of each string.
std::string formatted(const char* format, const uint64_t* at, const uint64_t* end) {
  std::string text;
  while (*format != '\0') {
    if (*format != '%' || format[1] == '%') {
      text += *format;
      format += *format == '%' ? 2 : 1;
      continue;
    }
    const size_t length = strcspn(format, "diouxXfFeEgGaAcspn");
    if (format[length] == '\0' || at == end) break;
    const std::string form(format, length + 1);
    format += length + 1;
    std::vector<int> stars;
    for (auto left = std::count(form.begin(), form.end(), '*'); left > 0 && at != end; --left)
      stars.push_back(int(*at++));
    if (at == end) break;
    switch (form.back()) {
      case 's': text += shown(form, stars, take_text(at, end)); break;
      case 'n': ++at; break;
      case 'p': text += shown(form, stars, reinterpret_cast<const void*>(*at++)); break;
      default:
        if (std::strchr("diouxXc", form.back()) != nullptr)
          text += shown(form, stars, *at++);
        else
          text += shown(form, stars, std::bit_cast<double>(*at++));
    }
  }
  return text;
}

int print(bool is_error, const char* format, const uint64_t* at, const uint64_t* end) {
  const std::string text = formatted(format, at, end);
  std::fwrite(text.data(), 1, text.size(), is_error ? stderr : stdout);
  return int(text.size());
}

// Answers requests. A message is sent in parts: each has flags (1: first, 2: last), its number of words in bits 5 to 7,
// and the number of the message above them.
class Host {
 public:
  Host() {
    for (size_t i = 1; i < kPackets; ++i) headers_[i].next = i == 1 ? kPackets : i - 1;
    buffer_.headers = headers_.get();
    buffer_.payloads = payloads_.get();
    buffer_.doorbell = &doorbell_;
    buffer_.free = kPackets - 1;
    buffer_.mask = kPackets - 1;
  }

  Buffer& buffer() { return buffer_; }

  // Let kernels access what they read and write of this.
  void allow() const {
    allow_memory(this, sizeof *this);
    allow_memory(headers_.get(), kPackets * sizeof(Header));
    allow_memory(payloads_.get(), kPackets * sizeof(Payload));
  }

  void answer() {
    const std::lock_guard lock(mutex_);
    std::vector<uint64_t> waiting;
    for (uint64_t at = buffer_.ready.exchange(0, std::memory_order_acquire); at != 0; at = header(at).next)
      waiting.push_back(at);
    std::reverse(waiting.begin(), waiting.end());  // the newest is on top
    for (const uint64_t at : waiting) {
      for (uint64_t active = header(at).active; active != 0; active &= active - 1)
        answer(header(at).service, payloads_[at & buffer_.mask].slots[std::countr_zero(active)]);
      header(at).control.fetch_and(~1u, std::memory_order_release);
    }
  }

 private:
  Header& header(uint64_t at) { return headers_[at & buffer_.mask]; }

  void answer(uint32_t service, uint64_t* slot) {
    switch (service) {
      case kCall: {
        uint64_t results[2] = {};
        reinterpret_cast<void (*)(uint64_t*, const uint64_t*)>(slot[0])(results, slot + 1);
        std::copy_n(results, 2, slot);
        return;
      }
      case kPrint: return add_to_message(slot);
      case kMemory: return change_memory(slot);
      default: throw Fault("a kernel asks the host for a service that is not known: " + std::to_string(service));
    }
  }

  void add_to_message(uint64_t* slot) {
    const uint64_t flags = slot[0] & 3, words = slot[0] >> 5 & 7;
    if (flags & 1) {
      slot[0] = (slot[0] & 0xfe) | ++messages_ << 8;
      parts_[messages_].clear();
    }
    const uint64_t number = slot[0] >> 8;
    std::vector<uint64_t>& message = parts_[number];
    message.insert(message.end(), slot + 1, slot + 1 + words);
    if (!(flags & 2)) return;
    if (!message.empty()) {  // where to print to, the format, its arguments
      const uint64_t *at = message.data() + 1, *const end = message.data() + message.size();
      const char* const format = take_text(at, end);
      slot[0] = uint64_t(int64_t(print(message[0] & 1, format, at, end)));
    }
    parts_.erase(number);
  }

  // Free memory at an address, or allocate a number of bytes. The device library looks for the start of 2 MiB.
  static void change_memory(uint64_t* slot) {
    if (slot[0] != 0) return std::free(reinterpret_cast<void*>(slot[0]));
    const size_t unit = slot[1] >= (2u << 20) ? 2u << 20 : 4096;
    const size_t bytes = (slot[1] + unit - 1) / unit * unit;
    void* const memory = std::aligned_alloc(unit, bytes);
    allow_memory(memory, bytes);
    slot[0] = reinterpret_cast<uint64_t>(memory);
  }

  std::mutex mutex_;
  std::unique_ptr<Header[]> headers_{new Header[kPackets]()};
  std::unique_ptr<Payload[]> payloads_{new Payload[kPackets]};
  Doorbell doorbell_;
  Buffer buffer_{};
  uint64_t messages_ = 0;
  std::map<uint64_t, std::vector<uint64_t>> parts_;
};

std::atomic<Host*> made{nullptr};  // lives as long as the process: kernels may run until its end

}  // namespace

uint64_t hostcall_buffer() {
  static Host* const host = [] {
    Host* const host = new Host;
    host->allow();
    made = host;
    return host;
  }();
  return reinterpret_cast<uint64_t>(&host->buffer());
}

void answer_hostcalls() {
  Host* const host = made.load(std::memory_order_relaxed);
  if (host != nullptr && host->buffer().ready.load(std::memory_order_relaxed) != 0) host->answer();
}

uint64_t device_heap() {
  // All zero: it has no memory at first, and asks the host for some.
  static void* const heap = [] {
    void* const memory = std::aligned_alloc(4096, kHeapBytes);
    std::memset(memory, 0, kHeapBytes);
    allow_memory(memory, kHeapBytes);
    return memory;
  }();
  return reinterpret_cast<uint64_t>(heap);
}

void add_format(PrintFormats& formats, const std::string& text) {
  const size_t comma = text.find(',');
  size_t start = text.find(':');
  start = start == text.npos ? start : text.find(':', start + 1);
  if (comma == text.npos || start == text.npos || start > comma) return;
  formats[std::strtoull(text.c_str() + start + 1, nullptr, 16)] = text.substr(comma + 1);
}

PrintBuffer::PrintBuffer() : words_(2 + kPrintBytes / 4) {
  words_[1] = kPrintBytes;
  allow_memory(words_.data(), words_.size() * sizeof words_[0]);
}

void PrintBuffer::flush(const PrintFormats& formats) const {
  // Each message has a word with flags (1: to stderr, 2: a hash stands for the format) and its bytes, and its content.
  const size_t end = std::min<size_t>(words_[0] / 4, words_.size() - 2);
  for (size_t at = 0; at < end;) {
    const uint32_t head = words_[2 + at], bytes = head >> 2;
    if (bytes < 12 || at + bytes / 4 > end) return;
    std::vector<uint64_t> content((bytes - 4) / 8);
    std::memcpy(content.data(), &words_[3 + at], content.size() * 8);
    const uint64_t *from = content.data(), *const last = from + content.size();
    if (head & 2) {
      const auto found = formats.find(*from);
      if (found != formats.end()) print(head & 1, found->second.c_str(), from + 1, last);
    } else {
      const char* const format = take_text(from, last);
      print(head & 1, format, from, last);
    }
    at += bytes / 4;
  }
}

}  // namespace hipport::emulate
