// What the program is told.
#ifndef HIPPORT_P2P_OPTIONS_H
#define HIPPORT_P2P_OPTIONS_H

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace p2p {

enum class Way {
  kPeerCopy,  // what the runtime does for cudaMemcpyPeerAsync
  kKernel,    // a kernel on the source's device writes to the memory of the other
};

struct Options {
  Way way = Way::kPeerCopy;
  size_t bytes = size_t{256} << 20;
};

[[noreturn]] inline void usage() {
  std::fprintf(stderr, "usage: p2p [--way peer-copy|kernel] [--bytes N], N a multiple of 16\n");
  std::exit(2);
}

inline Way parse_way(const char* text) {
  if (std::strcmp(text, "peer-copy") == 0) return Way::kPeerCopy;
  if (std::strcmp(text, "kernel") == 0) return Way::kKernel;
  usage();
}

inline size_t parse_bytes(const char* text) {
  char* end = nullptr;
  const unsigned long long bytes = std::strtoull(text, &end, 10);
  if (*text == '-' || *end != '\0' || bytes == 0 || bytes % 16 != 0) usage();
  return bytes;
}

inline Options parse_options(int count, char** words) {
  Options options;
  for (int i = 1; i < count; i += 2) {
    if (i + 1 == count) usage();
    if (std::strcmp(words[i], "--way") == 0)
      options.way = parse_way(words[i + 1]);
    else if (std::strcmp(words[i], "--bytes") == 0)
      options.bytes = parse_bytes(words[i + 1]);
    else
      usage();
  }
  return options;
}

}  // namespace p2p

#endif
