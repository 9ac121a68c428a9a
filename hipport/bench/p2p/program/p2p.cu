// Measures copies between all pairs of GPUs, and within each, in one way; prints what it found as JSON.

#include <string>
#include <vector>

#include "measure.h"

namespace {

using p2p::Copy;
using p2p::Device;
using p2p::Options;
using p2p::Way;

// A square of JSON values, one for each pair; `null` until there is something to say.
class Matrix {
 public:
  explicit Matrix(size_t size) : size_(size), cells_(size * size, "null") {}

  void set(int from, int to, const std::string& value) { cells_[from * size_ + to] = value; }

  void set(int from, int to, double value) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.6g", value);
    set(from, to, std::string(text));
  }

  bool is_true(int from, int to) const { return cells_[from * size_ + to] == "true"; }

  std::string json() const {
    std::string text = "[";
    for (size_t i = 0; i < cells_.size(); ++i) {
      if (i % size_ == 0) text += i == 0 ? "[" : ", [";
      text += cells_[i] + (i % size_ == size_ - 1 ? "]" : ", ");
    }
    return text + "]";
  }

 private:
  size_t size_;
  std::vector<std::string> cells_;
};

struct Found {
  explicit Found(size_t size) : access(size), one_way(size), both_ways(size), latency(size) {}

  Matrix access, one_way, both_ways, latency;
};

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
  return out + "\"";
}

void measure_pair(const Options& options, const Device& from, const Device& to, Found* found) {
  const bool reached = found->access.is_true(from.index, to.index) && found->access.is_true(to.index, from.index);
  if (options.way == Way::kKernel && !reached) return;
  const Copy copy(&from, &to), back(&to, &from);
  p2p::check(options.way, copy, options.bytes);
  found->one_way.set(from.index, to.index, p2p::bandwidth(options.way, {copy}, options.bytes));
  found->latency.set(from.index, to.index, p2p::latency(options.way, copy));
  if (from.index >= to.index) return;
  const double both = p2p::bandwidth(options.way, {copy, back}, options.bytes);
  found->both_ways.set(from.index, to.index, both);
  found->both_ways.set(to.index, from.index, both);
}

// For all pairs before anything is measured: copies both ways at once need it of both.
void enable_access(const std::vector<Device>& devices, Found* found) {
  for (const Device& from : devices)
    for (const Device& to : devices) {
      const bool reached = from.index == to.index || p2p::enable_access(from.index, to.index);
      found->access.set(from.index, to.index, reached ? "true" : "false");
    }
}

void print_devices(const std::vector<Device>& devices) {
  std::printf("  \"devices\": [");
  for (const Device& device : devices)
    std::printf("%s\n    {\"name\": %s, \"architecture\": %s, \"bus\": %s, \"memory_rate\": %.6g}",
                device.index == 0 ? "" : ",", quoted(p2p::name_of(device.index)).c_str(),
                quoted(p2p::architecture_of(device.index)).c_str(), quoted(p2p::bus_of(device.index)).c_str(),
                p2p::memory_rate(device.index));
  std::printf("\n  ],\n");
}

void print(const Options& options, const std::vector<Device>& devices, const Found& found) {
  std::printf("{\n  \"bytes\": %zu,\n  \"small_bytes\": %zu,\n", options.bytes, p2p::kSmallBytes);
  print_devices(devices);
  std::printf("  \"access\": %s,\n  \"one_way\": %s,\n  \"both_ways\": %s,\n  \"latency\": %s\n}\n",
              found.access.json().c_str(), found.one_way.json().c_str(), found.both_ways.json().c_str(),
              found.latency.json().c_str());
}

std::vector<Device> open_devices(size_t bytes) {
  int count = 0;
  CUDA_CHECK(cudaGetDeviceCount(&count));
  std::vector<Device> devices(count);
  for (int i = 0; i < count; ++i) devices[i].open(i, bytes);
  return devices;
}

}  // namespace

int main(int count, char** words) {
  const Options options = p2p::parse_options(count, words);
  std::vector<Device> devices = open_devices(options.bytes);
  Found found(devices.size());
  enable_access(devices, &found);
  for (const Device& from : devices)
    for (const Device& to : devices) measure_pair(options, from, to, &found);
  print(options, devices, found);
  for (Device& device : devices) device.close();
}
