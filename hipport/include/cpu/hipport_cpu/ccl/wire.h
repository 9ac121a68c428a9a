// SPDX-License-Identifier: MIT
// Messages between the ranks of a communicator and the hub that connects them.
#pragma once

#include "types.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <random>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace hipport::cpu::ccl {

enum class Kind : uint32_t { reduce, gather, broadcast, split, message, failure, bye };
constexpr int everyone = -1;  // receives the result of a collective operation
constexpr int apiece = -2;    // each rank receives its part of the result

// What a rank asks for, or the hub answers; `bytes` bytes follow. The ranks' operations have equal fields except
// `bytes`, and the color and key of a split.
struct Frame {
  Kind kind;
  ncclDataType_t type = ncclInt8;
  ncclRedOp_t operation = ncclSum;
  int peer = everyone;  // the root; the other rank of a message; whom an operation delivers to
  uint64_t bytes = 0;
  uint64_t number = 0;  // of the collective operation
  int color = 0, key = 0;
};
struct Greeting {
  char secret[16];
  uint64_t group;
  int rank, size;
};
// A place in a new communicator.
struct Place {
  uint64_t group;
  int rank, size;
};

inline bool write_all(int socket, const void* data, size_t bytes) {
  for (const char* at = static_cast<const char*>(data); bytes > 0;) {
    const ssize_t written = send(socket, at, bytes, MSG_NOSIGNAL);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += written;
    bytes -= static_cast<size_t>(written);
  }
  return true;
}
inline bool read_all(int socket, void* data, size_t bytes) {
  for (char* at = static_cast<char*>(data); bytes > 0;) {
    const ssize_t got = recv(socket, at, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<size_t>(got);
  }
  return true;
}

// A frame and what follows it.
struct Message {
  Frame frame;
  std::vector<char> data;
  bool read(int socket) {
    if (!read_all(socket, &frame, sizeof(frame))) return false;
    data.resize(frame.bytes);
    return read_all(socket, data.data(), data.size());
  }
  bool write(int socket) const {
    return write_all(socket, &frame, sizeof(frame)) && write_all(socket, data.data(), data.size());
  }
};

// Where a hub listens, and what its ranks have to know: the content of a ncclUniqueId.
struct Address {
  char mark[8] = {'h', 'i', 'p', 'p', 'o', 'r', 't', '\0'};
  in_addr host{};
  in_port_t port = 0;
  char secret[16] = {};
  uint64_t group = 0;
};
static_assert(sizeof(Address) <= NCCL_UNIQUE_ID_BYTES, "it is part of the identifier");

inline void hurry(int socket) {
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}
inline sockaddr_in as_socket_address(in_addr host, in_port_t port) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_addr = host;
  result.sin_port = port;
  return result;
}

}  // namespace hipport::cpu::ccl
