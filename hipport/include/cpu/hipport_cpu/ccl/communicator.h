// SPDX-License-Identifier: MIT
// A rank's side of a communicator: the connection to the hub, and what has arrived.
#pragma once

#include "hub.h"

#include <set>

namespace hipport::cpu::ccl {

class Communicator {
 public:
  // Connect to the hub and greet it; return the socket, or -1. The other ranks may connect later.
  static int connect(const Address& address, int rank, int size) {
    const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in place = as_socket_address(address.host, address.port);
    Greeting greeting{{}, address.group, rank, size};
    std::memcpy(greeting.secret, address.secret, sizeof(greeting.secret));
    if (made >= 0 && ::connect(made, reinterpret_cast<const sockaddr*>(&place), sizeof(place)) == 0 &&
        write_all(made, &greeting, sizeof(greeting)))
      return made;
    if (made >= 0) close(made);
    return -1;
  }
  Communicator(int made, const Address& address, int rank, int size)
      : socket_(made), address_(address), rank_(rank), size_(size), from_(static_cast<size_t>(size)) {
    hurry(made);
    hipGetDevice(&device_);
    const std::lock_guard<std::mutex> lock(registry().mutex);
    registry().all.insert(this);
    static const int once = std::atexit(at_exit);
    static_cast<void>(once);
  }

  ~Communicator() {
    const Message bye{{Kind::bye}, {}};
    if (result() == ncclSuccess) bye.write(socket_);
    forget();
  }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  int device() const { return device_; }
  const Address& address() const { return address_; }
  ncclResult_t result() const { return result_; }
  void abort() {
    result_ = ncclRemoteError;
    shutdown(socket_, SHUT_RDWR);
  }

  uint64_t next_number() { return ++operations_; }
  ncclResult_t send(const Message& message) {
    if (result_ == ncclSuccess && !message.write(socket_)) result_ = ncclRemoteError;
    return result_;
  }
  // Wait for the answer to a collective operation.
  ncclResult_t receive_answer(uint64_t number, std::vector<char>& data) {
    return receive(answers_[number], data, [&] { answers_.erase(number); });
  }
  ncclResult_t receive_from(int rank, std::vector<char>& data) {
    return receive(from_[static_cast<size_t>(rank)], data, [] {});
  }

  // The factors of operations that multiply first, by the numbers of the operations.
  struct Factor {
    ncclDataType_t type;
    std::vector<char> value;  // empty if it is read when the operation runs
    const void* source;
  };
  std::map<int, Factor> factors;

 private:
  // All communicators of this process.
  struct Registry {
    std::mutex mutex;
    std::set<Communicator*> all;
  };
  static Registry& registry() {
    static Registry* const made = new Registry;
    return *made;
  }
  // Leave the communicators that the program has not destroyed, and let other processes finish with the hub of this one.
  static void at_exit() {
    {
      const std::lock_guard<std::mutex> lock(registry().mutex);
      for (Communicator* one : registry().all) shutdown(one->socket_, SHUT_RDWR);
    }
    if (Hub::exists()) Hub::here().drain();
  }
  void forget() {
    const std::lock_guard<std::mutex> lock(registry().mutex);
    registry().all.erase(this);
    close(socket_);
  }

  // Read what arrives until something is in `queue`; return its first element.
  template <typename Taken>
  ncclResult_t receive(std::deque<std::vector<char>>& queue, std::vector<char>& data, Taken taken) {
    while (queue.empty()) {
      Message message;
      if (result_ != ncclSuccess) return result_;
      if (!message.read(socket_))
        result_ = ncclRemoteError;
      else if (message.frame.kind == Kind::failure)
        result_ = message.frame.peer == everyone ? ncclInvalidUsage : ncclRemoteError;
      else if (message.frame.kind == Kind::message)
        from_[static_cast<size_t>(message.frame.peer)].push_back(std::move(message.data));
      else
        answers_[message.frame.number].push_back(std::move(message.data));
    }
    data = std::move(queue.front());
    queue.pop_front();
    taken();
    return ncclSuccess;
  }

  int socket_;
  Address address_;
  int rank_, size_, device_ = 0;
  std::atomic<ncclResult_t> result_{ncclSuccess};
  uint64_t operations_ = 0;
  std::map<uint64_t, std::deque<std::vector<char>>> answers_;
  std::vector<std::deque<std::vector<char>>> from_;
};

}  // namespace hipport::cpu::ccl

// Programs may declare it as a structure.
struct ncclComm : hipport::cpu::ccl::Communicator {
  using Communicator::Communicator;
};
