// SPDX-License-Identifier: MIT
// RCCL: collective operations between devices of a process, and between processes.
#pragma once

#include "operations.h"

namespace hipport::cpu::ccl {

inline ncclResult_t join(ncclComm_t* made, const Address& address, int rank, int ranks) {
  const int connected = Communicator::connect(address, rank, ranks);
  if (connected < 0) return refuse(ncclSystemError, "the process that made the identifier cannot be reached");
  *made = new ncclComm(connected, address, rank, ranks);
  return ncclSuccess;
}
inline ncclResult_t connect(ncclComm_t* made, int ranks, const ncclUniqueId& id, int rank) {
  if (made == nullptr || ranks < 1 || rank < 0 || rank >= ranks)
    return refuse(ncclInvalidArgument, "no such rank, or no communicator");
  Address address;
  const Address fresh;
  std::memcpy(&address, id.internal, sizeof(address));
  if (std::memcmp(address.mark, fresh.mark, sizeof(fresh.mark)) != 0)
    return refuse(ncclInvalidArgument, "the identifier is not of ncclGetUniqueId");
  return join(made, address, rank, ranks);
}

// Split a communicator: a color below 0 leaves this rank out.
inline ncclResult_t split(ncclComm_t communicator, int color, int key, ncclComm_t* made) {
  if (communicator == nullptr || made == nullptr) return refuse(ncclInvalidArgument, "the communicator is null");
  *made = nullptr;
  Message message{{Kind::split}, {}};
  message.frame.number = communicator->next_number();
  message.frame.color = color;
  message.frame.key = key;
  if (const auto failed = communicator->send(message)) return failed;
  std::vector<char> data;
  if (const auto failed = communicator->receive_answer(message.frame.number, data)) return failed;
  if (color < 0) return ncclSuccess;
  Place place;
  std::memcpy(&place, data.data(), sizeof(place));
  Address address = communicator->address();
  address.group = place.group;
  return join(made, address, place.rank, place.size);
}

inline ncclResult_t collective(ncclComm_t communicator, hipStream_t stream, Kind kind, const void* from, void* to,
                               size_t count, ncclDataType_t type, ncclRedOp_t operation, int peer) {
  Operation one{communicator, stream, kind};
  one.from = from;
  one.to = to;
  one.bytes = count * bytes_of(type);
  one.type = type;
  one.operation = operation;
  one.peer = peer;
  return call(one);
}

inline size_t ranks_of(ncclComm_t communicator) {
  return communicator == nullptr ? 0 : static_cast<size_t>(communicator->size());
}
template <typename T>
ncclResult_t tell(const ncclComm* communicator, T* result, T (Communicator::*question)() const) {
  if (communicator == nullptr || result == nullptr) return refuse(ncclInvalidArgument, "the communicator is null");
  *result = (communicator->*question)();
  return ncclSuccess;
}

}  // namespace hipport::cpu::ccl

inline ncclResult_t ncclGetVersion(int* version) {
  if (version == nullptr) return ncclInvalidArgument;
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}
inline ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  using namespace hipport::cpu::ccl;
  if (id == nullptr) return refuse(ncclInvalidArgument, "the identifier is null");
  const Address address = Hub::here().invite();
  if (address.port == 0) return refuse(ncclSystemError, "cannot listen on HIPPORT_RCCL_ADDRESS (127.0.0.1 unless set)");
  *id = {};
  std::memcpy(id->internal, &address, sizeof(address));
  return ncclSuccess;
}
inline ncclResult_t ncclCommInitRank(ncclComm_t* made, int ranks, ncclUniqueId id, int rank) {
  return hipport::cpu::ccl::connect(made, ranks, id, rank);
}
inline ncclResult_t ncclCommInitRankConfig(ncclComm_t* made, int ranks, ncclUniqueId id, int rank, ncclConfig_t*) {
  return hipport::cpu::ccl::connect(made, ranks, id, rank);
}
inline ncclResult_t ncclCommInitRankScalable(ncclComm_t* made, int ranks, int rank, int ids, ncclUniqueId* id,
                                             ncclConfig_t*) {
  if (ids < 1 || id == nullptr) return hipport::cpu::ccl::refuse(ncclInvalidArgument, "no identifier");
  return hipport::cpu::ccl::connect(made, ranks, id[0], rank);
}
inline ncclResult_t ncclCommInitAll(ncclComm_t* made, int devices, const int* list) {
  ncclUniqueId id;
  int before = 0;
  if (const auto failed = ncclGetUniqueId(&id)) return failed;
  static_cast<void>(hipGetDevice(&before));
  ncclResult_t result = ncclSuccess;
  for (int rank = 0; rank < devices && result == ncclSuccess; ++rank) {
    if (hipSetDevice(list == nullptr ? rank : list[rank]) != hipSuccess)
      result = hipport::cpu::ccl::refuse(ncclInvalidArgument, "no such device (HIPPORT_DEVICES is their number)");
    else
      result = ncclCommInitRank(&made[rank], devices, id, rank);
  }
  static_cast<void>(hipSetDevice(before));
  return result;
}
inline ncclResult_t ncclCommSplit(ncclComm_t communicator, int color, int key, ncclComm_t* made, ncclConfig_t*) {
  return hipport::cpu::ccl::split(communicator, color, key, made);
}
inline ncclResult_t ncclCommFinalize(ncclComm_t communicator) {
  return communicator == nullptr ? ncclInvalidArgument : communicator->result();
}
inline ncclResult_t ncclCommDestroy(ncclComm_t communicator) {
  delete communicator;
  return ncclSuccess;
}
inline ncclResult_t ncclCommAbort(ncclComm_t communicator) {
  if (communicator != nullptr) communicator->abort();
  delete communicator;
  return ncclSuccess;
}
inline ncclResult_t ncclCommGetAsyncError(ncclComm_t communicator, ncclResult_t* result) {
  return hipport::cpu::ccl::tell(communicator, result, &ncclComm::result);
}
inline ncclResult_t ncclCommCount(const ncclComm_t communicator, int* count) {
  return hipport::cpu::ccl::tell(communicator, count, &ncclComm::size);
}
inline ncclResult_t ncclCommCuDevice(const ncclComm_t communicator, int* device) {
  return hipport::cpu::ccl::tell(communicator, device, &ncclComm::device);
}
inline ncclResult_t ncclCommUserRank(const ncclComm_t communicator, int* rank) {
  return hipport::cpu::ccl::tell(communicator, rank, &ncclComm::rank);
}
inline const char* ncclGetErrorString(ncclResult_t result) {
  static const char* const texts[] = {"no error",
                                      "unhandled cuda error (run with NCCL_DEBUG=INFO for details)",
                                      "unhandled system error",
                                      "internal error",
                                      "invalid argument",
                                      "invalid usage",
                                      "remote process exited or there was a network error",
                                      "NCCL operation in progress"};
  return result >= 0 && result < ncclNumResults ? texts[result] : "unknown result code";
}
inline const char* ncclGetLastError(ncclComm_t) { return hipport::cpu::ccl::Thread::here().error.c_str(); }

// Memory need not be registered: these succeed and change nothing.
inline ncclResult_t ncclCommRegister(const ncclComm_t, void* memory, size_t, void** handle) {
  if (handle != nullptr) *handle = memory;
  return ncclSuccess;
}
inline ncclResult_t ncclCommDeregister(const ncclComm_t, void*) { return ncclSuccess; }
inline ncclResult_t ncclMemAlloc(void** memory, size_t size) {
  return hipMalloc(memory, size) == hipSuccess ? ncclSuccess : ncclUnhandledCudaError;
}
inline ncclResult_t ncclMemFree(void* memory) {
  return hipFree(memory) == hipSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

// Make an operation that multiplies each rank's elements by its `scalar` and adds them up.
inline ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t* made, void* scalar, ncclDataType_t type,
                                             ncclScalarResidence_t residence, ncclComm_t communicator) {
  using namespace hipport::cpu::ccl;
  if (made == nullptr || scalar == nullptr || communicator == nullptr || bytes_of(type) == 0)
    return refuse(ncclInvalidArgument, "no scalar, or no communicator");
  const int number = communicator->factors.empty() ? ncclNumOps : communicator->factors.rbegin()->first + 1;
  ncclComm::Factor factor{type, {}, scalar};
  const char* bytes = static_cast<const char*>(scalar);
  if (residence == ncclScalarHostImmediate) factor.value.assign(bytes, bytes + bytes_of(type));
  communicator->factors[number] = factor;
  *made = static_cast<ncclRedOp_t>(number);
  return ncclSuccess;
}
inline ncclResult_t ncclRedOpDestroy(ncclRedOp_t operation, ncclComm_t communicator) {
  if (communicator == nullptr || communicator->factors.erase(operation) == 0) return ncclInvalidArgument;
  return ncclSuccess;
}

inline ncclResult_t ncclReduce(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t operation,
                               int root, ncclComm_t c, hipStream_t stream) {
  using namespace hipport::cpu::ccl;
  if (root < 0) return refuse(ncclInvalidArgument, "no such rank");
  return collective(c, stream, Kind::reduce, from, to, count, type, operation, root);
}
inline ncclResult_t ncclAllReduce(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t operation,
                                  ncclComm_t c, hipStream_t stream) {
  using namespace hipport::cpu::ccl;
  return collective(c, stream, Kind::reduce, from, to, count, type, operation, everyone);
}
inline ncclResult_t ncclReduceScatter(const void* from, void* to, size_t count, ncclDataType_t type,
                                      ncclRedOp_t operation, ncclComm_t c, hipStream_t stream) {
  using namespace hipport::cpu::ccl;
  return collective(c, stream, Kind::reduce, from, to, count * ranks_of(c), type, operation, apiece);
}
inline ncclResult_t ncclAllGather(const void* from, void* to, size_t count, ncclDataType_t type, ncclComm_t c,
                                  hipStream_t stream) {
  using namespace hipport::cpu::ccl;
  return collective(c, stream, Kind::gather, from, to, count, type, ncclSum, everyone);
}
inline ncclResult_t ncclGather(const void* from, void* to, size_t count, ncclDataType_t type, int root, ncclComm_t c,
                               hipStream_t stream) {
  using namespace hipport::cpu::ccl;
  if (root < 0) return refuse(ncclInvalidArgument, "no such rank");
  return collective(c, stream, Kind::gather, from, to, count, type, ncclSum, root);
}
inline ncclResult_t ncclBroadcast(const void* from, void* to, size_t count, ncclDataType_t type, int root, ncclComm_t c,
                                  hipStream_t stream) {
  using namespace hipport::cpu::ccl;
  if (root < 0) return refuse(ncclInvalidArgument, "no such rank");
  return collective(c, stream, Kind::broadcast, from, to, count, type, ncclSum, root);
}
inline ncclResult_t ncclBcast(void* data, size_t count, ncclDataType_t type, int root, ncclComm_t c,
                              hipStream_t stream) {
  return ncclBroadcast(data, data, count, type, root, c, stream);
}
inline ncclResult_t ncclSend(const void* from, size_t count, ncclDataType_t type, int peer, ncclComm_t c,
                             hipStream_t stream) {
  using namespace hipport::cpu::ccl;
  return peer < 0 ? refuse(ncclInvalidArgument, "no such rank")
                  : exchange(stream, type, {sent(c, from, count * bytes_of(type), peer)});
}
inline ncclResult_t ncclRecv(void* to, size_t count, ncclDataType_t type, int peer, ncclComm_t c, hipStream_t stream) {
  using namespace hipport::cpu::ccl;
  return peer < 0 ? refuse(ncclInvalidArgument, "no such rank")
                  : exchange(stream, type, {received(c, to, count * bytes_of(type), peer)});
}
inline ncclResult_t ncclScatter(const void* from, void* to, size_t count, ncclDataType_t type, int root, ncclComm_t c,
                                hipStream_t stream) {
  using namespace hipport::cpu::ccl;
  if (c == nullptr || root < 0 || root >= c->size()) return refuse(ncclInvalidArgument, "no such rank");
  const size_t bytes = count * bytes_of(type);
  std::vector<Operation> messages{received(c, to, bytes, root)};
  for (int rank = 0; root == c->rank() && rank < c->size(); ++rank)
    messages.push_back(sent(c, static_cast<const char*>(from) + bytes * static_cast<size_t>(rank), bytes, rank));
  return exchange(stream, type, messages);
}
inline ncclResult_t ncclAllToAllv(const void* from, const size_t counts[], const size_t places[], void* to,
                                  const size_t to_counts[], const size_t to_places[], ncclDataType_t type, ncclComm_t c,
                                  hipStream_t stream) {
  using namespace hipport::cpu::ccl;
  if (c == nullptr) return refuse(ncclInvalidArgument, "the communicator is null");
  const size_t size = bytes_of(type);
  std::vector<Operation> messages;
  for (int rank = 0; rank < c->size(); ++rank) {
    messages.push_back(sent(c, static_cast<const char*>(from) + places[rank] * size, counts[rank] * size, rank));
    messages.push_back(received(c, static_cast<char*>(to) + to_places[rank] * size, to_counts[rank] * size, rank));
  }
  return exchange(stream, type, messages);
}
inline ncclResult_t ncclAllToAll(const void* from, void* to, size_t count, ncclDataType_t type, ncclComm_t c,
                                 hipStream_t stream) {
  std::vector<size_t> counts(hipport::cpu::ccl::ranks_of(c), count), places;
  for (size_t rank = 0; rank < counts.size(); ++rank) places.push_back(rank * count);
  return ncclAllToAllv(from, counts.data(), places.data(), to, counts.data(), places.data(), type, c, stream);
}

inline ncclResult_t ncclGroupStart() {
  ++hipport::cpu::ccl::Thread::here().depth;
  return ncclSuccess;
}
inline ncclResult_t ncclGroupEnd() { return hipport::cpu::ccl::end_group(); }
