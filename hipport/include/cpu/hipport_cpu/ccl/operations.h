// SPDX-License-Identifier: MIT
// RCCL's operations: each is sent to the hub, and its answer received; in a group all are sent first.
#pragma once

#include "../stream.h"
#include "communicator.h"

namespace hipport::cpu::ccl {

// An operation of one rank. `peer` is the root, the other rank, or whom the result is delivered to.
struct Operation {
  Communicator* communicator;
  hipStream_t stream;
  Kind kind;
  bool receives_message = false;
  const void* from = nullptr;
  void* to = nullptr;
  size_t bytes = 0;  // of `from`; for a message that is received, of `to`
  ncclDataType_t type = ncclInt8;
  ncclRedOp_t operation = ncclSum;
  int peer = everyone;
  uint64_t number = 0;

  // Send what this rank contributes.
  ncclResult_t start() {
    if (receives_message) return ncclSuccess;
    if (kind != Kind::message) number = communicator->next_number();
    const bool empty = kind == Kind::broadcast && peer != communicator->rank();
    Message message{{kind, type, operation, peer, empty ? 0 : bytes, number}, {}};
    const char* data = static_cast<const char*>(from);
    if (!empty) message.data.assign(data, data + bytes);
    if (const auto found = communicator->factors.find(operation); found != communicator->factors.end()) {
      const auto& factor = found->second;
      scale(type, factor.value.empty() ? factor.source : factor.value.data(), message.data);
      message.frame.operation = ncclSum;
    }
    return communicator->send(message);
  }
  // Receive the result.
  ncclResult_t finish() const {
    if (kind == Kind::message && !receives_message) return ncclSuccess;
    if (kind == Kind::reduce || kind == Kind::gather)
      if (peer >= 0 && peer != communicator->rank()) return ncclSuccess;
    std::vector<char> data;
    const ncclResult_t result =
        receives_message ? communicator->receive_from(peer, data) : communicator->receive_answer(number, data);
    if (result != ncclSuccess) return result;
    if (receives_message && data.size() != bytes) return ncclInvalidUsage;
    if (to != nullptr) std::memcpy(to, data.data(), data.size());
    return ncclSuccess;
  }
};

// What this thread has said went wrong, and the operations of the group that it has begun.
struct Thread {
  int depth = 0;
  std::vector<Operation> operations;
  ncclResult_t failed = ncclSuccess;
  std::string error;
  static Thread& here() {
    static thread_local Thread thread;
    return thread;
  }
};

inline ncclResult_t refuse(ncclResult_t result, const char* why) {
  Thread& thread = Thread::here();
  thread.error = why;
  if (thread.depth > 0) thread.failed = result;
  return result;
}

inline ncclResult_t run(std::vector<Operation> operations) {
  ncclResult_t result = ncclSuccess;
  for (Operation& one : operations)
    if (const auto failed = one.start()) result = failed;
  for (const Operation& one : operations)
    if (const auto failed = one.finish()) result = failed;
  if (result != ncclSuccess) Thread::here().error = "an operation failed: a rank has left, or called another one";
  return result;
}

// Run operations in the order of their stream, or record them, if it is being captured, on the first one's.
inline ncclResult_t submit(std::vector<Operation> operations) {
  if (operations.empty()) return ncclSuccess;
  const auto captured = std::find_if(operations.begin(), operations.end(),
                                     [](const Operation& one) { return capture_of(one.stream) != nullptr; });
  if (captured == operations.end()) return run(std::move(operations));
  enqueue(captured->stream, [operations] { static_cast<void>(run(operations)); }, hipGraphNodeTypeKernel);
  return ncclSuccess;
}

inline ncclResult_t call(Operation operation) {
  Communicator* communicator = operation.communicator;
  if (communicator == nullptr) return refuse(ncclInvalidArgument, "the communicator is null");
  const int peer = operation.peer;
  const bool known = operation.operation >= 0 &&
                     (operation.operation < ncclNumOps || communicator->factors.count(operation.operation) == 1);
  if (!known || bytes_of(operation.type) == 0) return refuse(ncclInvalidArgument, "no such type or operation");
  if (peer < apiece || peer >= communicator->size()) return refuse(ncclInvalidArgument, "no such rank");
  if (communicator->result() != ncclSuccess) return communicator->result();
  Thread& thread = Thread::here();
  if (thread.depth == 0) return submit({operation});
  thread.operations.push_back(operation);
  return ncclSuccess;
}

inline ncclResult_t end_group() {
  Thread& thread = Thread::here();
  if (thread.depth == 0) return refuse(ncclInvalidUsage, "ncclGroupEnd without ncclGroupStart");
  if (--thread.depth > 0) return ncclSuccess;
  std::vector<Operation> operations;
  operations.swap(thread.operations);
  const ncclResult_t failed = std::exchange(thread.failed, ncclSuccess);
  return failed != ncclSuccess ? failed : submit(std::move(operations));
}

// Send and receive messages in a group.
inline ncclResult_t exchange(hipStream_t stream, ncclDataType_t type, const std::vector<Operation>& messages) {
  Thread& thread = Thread::here();
  ++thread.depth;
  for (Operation one : messages) {
    one.stream = stream;
    one.type = type;
    static_cast<void>(call(one));
  }
  return end_group();
}
inline Operation sent(Communicator* communicator, const void* from, size_t bytes, int peer) {
  Operation result{communicator, nullptr, Kind::message};
  result.from = from;
  result.bytes = bytes;
  result.peer = peer;
  return result;
}
inline Operation received(Communicator* communicator, void* to, size_t bytes, int peer) {
  Operation result{communicator, nullptr, Kind::message, true};
  result.to = to;
  result.bytes = bytes;
  result.peer = peer;
  return result;
}

}  // namespace hipport::cpu::ccl
