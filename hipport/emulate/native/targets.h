// SPDX-License-Identifier: MIT
// Code objects by the GPUs that they are for: the entries of a bundle, and clang's rules for which of them fits a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hipport::emulate {

// Code for a target such as "gfx90a:xnack-" or "gfx11-generic".
struct Entry {
  std::string target;
  const uint8_t* bytes;
  size_t size;
};

// Return the code objects for AMD GPUs in a bundle, or the one that the image is. Throws `Fault`.
std::vector<Entry> entries_of(const uint8_t* image);

// Return how well code fits a GPU, 0 if it does not run on it. Code for the processor itself fits better than code for
// its family. A feature that the GPU's target leaves open is best as GPUs have it at first: xnack off, sramecc on.
int fitness(const std::string& code, const std::string& gpu);

// Return the entry that fits a GPU best, or null. The first of equal ones.
const Entry* best_entry(const std::vector<Entry>& entries, const std::string& gpu);

// Return the GPU for which most images have code, of these the one whose code fits best, of these the first one that the
// emulator lists; "" if no image has code for any.
std::string best_gpu(const std::vector<std::vector<Entry>>& images);

// Return "gfx90a" for "gfx90a:xnack-".
std::string processor_of(const std::string& target);

// Return the targets as a list in a message.
std::string named(const std::vector<Entry>& entries);

}  // namespace hipport::emulate
