// SPDX-License-Identifier: MIT
// Connects the ranks of communicators: a thread of the process that made their identifier. Ranks send their operations
// to it; it computes collective ones when all ranks have sent theirs, and passes messages on.
#pragma once

#include "elements.h"
#include "wire.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

namespace hipport::cpu::ccl {

// Messages for a rank, in order. They are kept until the rank reads them, so that no rank waits for another to read.
class Outbox {
 public:
  void put(Message message) {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.push_back(std::move(message));
    changed_.notify_one();
  }
  void close() {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
    changed_.notify_one();
  }
  // Write messages to the rank until the box is closed and empty.
  void deliver(int socket) {
    for (;;) {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [&] { return closed_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      const Message next = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      if (!next.write(socket)) return;
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Message> waiting_;
  bool closed_ = false;
};

// An operation that not all ranks have sent yet.
struct Pending {
  Frame frame;
  size_t arrived = 0;
  std::vector<std::vector<char>> parts;
  std::vector<Frame> frames;
};

// The ranks of one communicator.
struct Group {
  explicit Group(int ranks) : size(ranks), boxes(static_cast<size_t>(ranks)) {
    for (auto& box : boxes) box = std::make_unique<Outbox>();
  }
  void tell_all(const Message& message) {
    for (const auto& box : boxes) box->put(message);
  }
  int size;
  std::vector<std::unique_ptr<Outbox>> boxes;
  std::map<uint64_t, Pending> pending;
  bool failed = false;
  std::mutex mutex;
};

class Hub {
 public:
  // Return the hub of this process. It is never destroyed: its threads use it until the process ends.
  static Hub& here() {
    static Hub* const hub = new Hub;
    return *hub;
  }
  // Return whether this process has a hub.
  static bool exists() { return made(); }
  // Return the address of a new group; its port is 0 if the process cannot listen.
  Address invite() {
    const std::lock_guard<std::mutex> lock(mutex_);
    Address result = address_;
    result.group = ++groups_made_;
    return result;
  }
  // Wait until the ranks have left, for up to 10 seconds: those of a split communicator may need the hub longer than
  // its own process does.
  void drain() const {
    for (int i = 0; i < 1000 && connected_ > 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }

 private:
  static std::atomic<bool>& made() {
    static std::atomic<bool> value{false};
    return value;
  }

  Hub() {
    made() = true;
    std::random_device device;
    for (char& byte : address_.secret) byte = static_cast<char>(device());
    const char* host = std::getenv("HIPPORT_RCCL_ADDRESS");
    if (inet_pton(AF_INET, host == nullptr ? "127.0.0.1" : host, &address_.host) != 1)
      stop("HIPPORT_RCCL_ADDRESS is not an IPv4 address: %s", host);
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in place = as_socket_address(address_.host, 0);
    socklen_t length = sizeof(place);
    if (listener < 0 || bind(listener, reinterpret_cast<sockaddr*>(&place), length) != 0 ||
        listen(listener, 256) != 0 || getsockname(listener, reinterpret_cast<sockaddr*>(&place), &length) != 0)
      return;
    address_.port = place.sin_port;
    std::thread([this, listener] {
      for (;;) {
        const int rank = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
        if (rank >= 0) std::thread([this, rank] { serve(rank); }).detach();
      }
    }).detach();
  }

  std::shared_ptr<Group> group_of(const Greeting& greeting) {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto& found = groups_[greeting.group];
    if (found == nullptr) found = std::make_shared<Group>(greeting.size);
    return found->size == greeting.size ? found : nullptr;
  }

  void serve(int rank_socket) {
    Greeting greeting;
    const bool known = read_all(rank_socket, &greeting, sizeof(greeting)) &&
                       std::memcmp(greeting.secret, address_.secret, sizeof(greeting.secret)) == 0 &&
                       greeting.size > 0 && greeting.rank >= 0 && greeting.rank < greeting.size;
    const std::shared_ptr<Group> group = known ? group_of(greeting) : nullptr;
    if (group != nullptr) {
      ++connected_;
      hurry(rank_socket);
      Outbox& box = *group->boxes[static_cast<size_t>(greeting.rank)];
      std::thread writer([&] { box.deliver(rank_socket); });
      listen_to(rank_socket, greeting.rank, *group);
      box.close();
      writer.join();
      --connected_;
    }
    close(rank_socket);
  }

  void listen_to(int rank_socket, int rank, Group& group) {
    for (Message message; message.read(rank_socket);) {
      if (message.frame.kind == Kind::bye) return;
      const std::lock_guard<std::mutex> lock(group.mutex);
      if (message.frame.kind == Kind::message)
        pass_on(group, rank, std::move(message));
      else
        collect(group, rank, std::move(message));
    }
    Message failure{{Kind::failure}, {}};
    failure.frame.peer = rank;
    group.tell_all(failure);
  }

  static void pass_on(Group& group, int from, Message message) {
    if (message.frame.peer < 0 || message.frame.peer >= group.size) return;
    Outbox& box = *group.boxes[static_cast<size_t>(message.frame.peer)];
    message.frame.peer = from;
    box.put(std::move(message));
  }

  void collect(Group& group, int rank, Message message) {
    Pending& pending = group.pending[message.frame.number];
    if (pending.arrived == 0) {
      pending.frame = message.frame;
      pending.parts.resize(static_cast<size_t>(group.size));
      pending.frames.resize(static_cast<size_t>(group.size), message.frame);
    }
    const Frame &one = pending.frame, &other = message.frame;
    const bool sized = one.kind == Kind::broadcast || one.bytes == other.bytes;
    if (one.kind != other.kind || one.type != other.type || one.operation != other.operation ||
        one.peer != other.peer || !sized) {
      if (!group.failed)
        std::fprintf(stderr, "hipport: RCCL: the ranks do not call the same collective operation (number %llu)\n",
                     static_cast<unsigned long long>(one.number));
      group.failed = true;
      Message failure{{Kind::failure}, {}};
      failure.frame.peer = everyone;
      return group.tell_all(failure);
    }
    pending.frames[static_cast<size_t>(rank)] = other;
    pending.parts[static_cast<size_t>(rank)] = std::move(message.data);
    if (++pending.arrived < static_cast<size_t>(group.size)) return;
    finish(group, pending);
    group.pending.erase(pending.frame.number);
  }

  void finish(Group& group, const Pending& pending) {
    const Frame& frame = pending.frame;
    if (frame.kind == Kind::split) return split(group, pending);
    std::vector<char> result;
    if (frame.kind == Kind::reduce) result = reduced(frame.type, frame.operation, pending.parts);
    if (frame.kind == Kind::broadcast) result = pending.parts[static_cast<size_t>(frame.peer)];
    if (frame.kind == Kind::gather)
      for (const auto& part : pending.parts) result.insert(result.end(), part.begin(), part.end());
    const size_t size = static_cast<size_t>(group.size), part = result.size() / size;
    for (size_t rank = 0; rank < size; ++rank) {
      const bool to_all = frame.kind == Kind::broadcast || frame.peer < 0;
      if (!to_all && rank != static_cast<size_t>(frame.peer)) continue;
      if (frame.peer == apiece)
        answer(group, rank, frame,
               {result.begin() + static_cast<std::ptrdiff_t>(rank * part),
                result.begin() + static_cast<std::ptrdiff_t>((rank + 1) * part)});
      else
        answer(group, rank, frame, result);
    }
  }

  static void answer(Group& group, size_t rank, Frame frame, std::vector<char> data) {
    frame.bytes = data.size();
    group.boxes[rank]->put({frame, std::move(data)});
  }

  // Ranks of the same color become a communicator, in the order of their keys.
  void split(Group& group, const Pending& pending) {
    std::map<int, std::vector<size_t>> colors;
    for (size_t rank = 0; rank < pending.frames.size(); ++rank) colors[pending.frames[rank].color].push_back(rank);
    for (auto& [color, ranks] : colors) {
      std::stable_sort(ranks.begin(), ranks.end(),
                       [&](size_t a, size_t b) { return pending.frames[a].key < pending.frames[b].key; });
      const uint64_t made = invite().group;
      for (size_t i = 0; i < ranks.size(); ++i) {
        const Place place{made, static_cast<int>(i), static_cast<int>(ranks.size())};
        const char* bytes = reinterpret_cast<const char*>(&place);
        answer(group, ranks[i], pending.frame, {bytes, bytes + sizeof(place)});
      }
    }
  }

  std::mutex mutex_;
  Address address_;
  uint64_t groups_made_ = 0;
  std::map<uint64_t, std::shared_ptr<Group>> groups_;
  std::atomic<int> connected_{0};
};

}  // namespace hipport::cpu::ccl
