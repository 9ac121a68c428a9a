// SPDX-License-Identifier: MIT
// NCCL in one process: every operation and type, with one thread for all devices and with one for each.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <nccl.h>

#include <cstdio>
#include <thread>
#include <vector>

static int failures = 0;
static void expect(bool right, const char* what) {
  if (!right) std::printf("FAIL: %s\n", what);
  failures += !right;
}
#define CHECK(call) expect((call) == ncclSuccess, #call)

constexpr int ranks = 4;

// A device and its buffers, of which every element is a small number that depends on the rank.
template <typename T>
struct Rank {
  T *in, *out;
  cudaStream_t stream;
  Rank(int rank, int count) {
    cudaSetDevice(rank);
    cudaMallocManaged(&in, count * ranks * sizeof(T));
    cudaMallocManaged(&out, count * ranks * sizeof(T));
    cudaStreamCreate(&stream);
    for (int i = 0; i < count * ranks; ++i) in[i] = T(float(value(rank, i))), out[i] = T(0.0f);
  }
  ~Rank() {
    cudaFree(in);
    cudaFree(out);
    cudaStreamDestroy(stream);
  }
  static int value(int rank, int i) { return 1 + (rank + i) % 3; }
};

static float wanted(ncclRedOp_t operation, int i) {
  float result = Rank<float>::value(0, i);
  for (int rank = 1; rank < ranks; ++rank) {
    const float other = Rank<float>::value(rank, i);
    if (operation == ncclProd)
      result *= other;
    else if (operation == ncclMax || operation == ncclMin)
      result = (operation == ncclMax) == (other > result) ? other : result;
    else
      result += other;
  }
  return operation == ncclAvg ? result / ranks : result;
}

template <typename T, typename Call>
void in_group(std::vector<Rank<T>*>& all, Call call) {
  CHECK(ncclGroupStart());
  for (int rank = 0; rank < ranks; ++rank) CHECK(call(*all[rank], rank));
  CHECK(ncclGroupEnd());
}

template <typename T>
void reductions(ncclComm_t* comms, ncclDataType_t type, const char* name) {
  const int count = 5;
  const bool whole = type <= ncclUint64;
  std::vector<Rank<T>*> all;
  for (int rank = 0; rank < ranks; ++rank) all.push_back(new Rank<T>(rank, count));
  for (ncclRedOp_t operation : {ncclSum, ncclProd, ncclMax, ncclMin, ncclAvg}) {
    in_group<T>(all, [&](Rank<T>& one, int rank) {
      return ncclAllReduce(one.in, one.out, count, type, operation, comms[rank], one.stream);
    });
    bool right = true;
    for (int rank = 0; rank < ranks; ++rank)
      for (int i = 0; i < count; ++i) {
        const float result = whole ? float(int(wanted(operation, i))) : wanted(operation, i);
        right &= float(all[rank]->out[i]) == float(T(result));
      }
    if (!right) std::printf("all-reduce of %s, operation %d\n", name, int(operation));
    expect(right, "ncclAllReduce");
  }
  for (auto* one : all) delete one;
}

static void movements(ncclComm_t* comms) {
  const int count = 3, root = 2;
  std::vector<Rank<int>*> all;
  for (int rank = 0; rank < ranks; ++rank) all.push_back(new Rank<int>(rank, count));
  const auto value = Rank<int>::value;
  bool right = true;
  in_group<int>(all, [&](Rank<int>& one, int rank) {
    return ncclReduce(one.in, one.out, count, ncclInt, ncclSum, root, comms[rank], one.stream);
  });
  for (int i = 0; i < count; ++i) right &= all[root]->out[i] == wanted(ncclSum, i) && all[0]->out[i] == 0;
  expect(right, "ncclReduce");
  in_group<int>(all, [&](Rank<int>& one, int rank) {
    return ncclBroadcast(one.in, one.out, count, ncclInt, root, comms[rank], one.stream);
  });
  for (int i = 0; i < count; ++i) right &= all[1]->out[i] == value(root, i);
  expect(right, "ncclBroadcast");
  in_group<int>(all, [&](Rank<int>& one, int rank) {
    return ncclAllGather(one.in, one.out, count, ncclInt, comms[rank], one.stream);
  });
  for (int i = 0; i < count * ranks; ++i) right &= all[3]->out[i] == value(i / count, i % count);
  expect(right, "ncclAllGather");
  in_group<int>(all, [&](Rank<int>& one, int rank) {
    return ncclReduceScatter(one.in, one.out, count, ncclInt, ncclMax, comms[rank], one.stream);
  });
  for (int rank = 0; rank < ranks; ++rank)
    for (int i = 0; i < count; ++i) right &= all[rank]->out[i] == wanted(ncclMax, rank * count + i);
  expect(right, "ncclReduceScatter");
  // Each rank sends two messages to its neighbor, and receives two, larger than the buffers of a socket.
  const int large = 1 << 20;
  std::vector<Rank<int>*> big;
  for (int rank = 0; rank < ranks; ++rank) big.push_back(new Rank<int>(rank, large));
  CHECK(ncclGroupStart());
  for (int rank = 0; rank < ranks; ++rank)
    for (int part = 0; part < 2; ++part)
      CHECK(ncclSend(big[rank]->in + part, large, ncclInt, (rank + 1) % ranks, comms[rank], big[rank]->stream));
  for (int rank = 0; rank < ranks; ++rank)
    for (int part = 0; part < 2; ++part)
      CHECK(
          ncclRecv(big[rank]->out + part * large, large, ncclInt, (rank + 3) % ranks, comms[rank], big[rank]->stream));
  CHECK(ncclGroupEnd());
  for (int i = 0; i < 2 * large; ++i) right &= big[0]->out[i] == value(3, i < large ? i : i - large + 1);
  expect(right, "ncclSend and ncclRecv");
  for (auto* one : all) delete one;
  for (auto* one : big) delete one;
}

static void scaled(ncclComm_t* comms) {
  std::vector<Rank<float>*> all;
  ncclRedOp_t operations[ranks];
  for (int rank = 0; rank < ranks; ++rank) {
    all.push_back(new Rank<float>(rank, 1));
    float factor = rank;
    CHECK(ncclRedOpCreatePreMulSum(&operations[rank], &factor, ncclFloat, ncclScalarHostImmediate, comms[rank]));
  }
  in_group<float>(all, [&](Rank<float>& one, int rank) {
    return ncclAllReduce(one.in, one.out, 1, ncclFloat, operations[rank], comms[rank], one.stream);
  });
  const auto value = Rank<float>::value;
  expect(all[0]->out[0] == value(1, 0) + 2 * value(2, 0) + 3 * value(3, 0), "ncclRedOpCreatePreMulSum");
  for (int rank = 0; rank < ranks; ++rank) CHECK(ncclRedOpDestroy(operations[rank], comms[rank]));
  expect(ncclRedOpDestroy(operations[0], comms[0]) == ncclInvalidArgument, "destroyed twice");
  for (auto* one : all) delete one;
}

// Even and odd ranks, in reverse order; rank 3 is left out.
static void threads() {
  ncclUniqueId id;
  CHECK(ncclGetUniqueId(&id));
  int sums[ranks] = {}, sizes[ranks] = {};
  std::vector<std::thread> running;
  for (int rank = 0; rank < ranks; ++rank)
    running.emplace_back([&, rank] {
      Rank<int> mine(rank, 1);
      ncclComm_t all, part;
      CHECK(ncclCommInitRank(&all, ranks, id, rank));
      CHECK(ncclCommSplit(all, rank == 3 ? NCCL_SPLIT_NOCOLOR : rank % 2, -rank, &part, nullptr));
      expect((part == nullptr) == (rank == 3), "no color");
      mine.in[0] = rank + 1;
      if (part != nullptr) {
        int place;
        CHECK(ncclCommCount(part, &sizes[rank]));
        CHECK(ncclCommUserRank(part, &place));
        expect(place == (rank == 0 ? 1 : 0), "the order of the keys");
        CHECK(ncclAllReduce(mine.in, &mine.out[0], 1, ncclInt, ncclSum, part, mine.stream));
        sums[rank] = mine.out[0];
        CHECK(ncclCommDestroy(part));
      }
      CHECK(ncclCommDestroy(all));
    });
  for (auto& one : running) one.join();
  expect(sums[0] == 4 && sums[1] == 2 && sums[2] == 4 && sizes[0] == 2 && sizes[1] == 1, "ncclCommSplit");
}

static void mistakes(ncclComm_t* comms) {
  float data[2] = {};
  int rank, device;
  CHECK(ncclCommUserRank(comms[2], &rank));
  CHECK(ncclCommCuDevice(comms[2], &device));
  expect(rank == 2 && device == 2, "rank and device");
  expect(ncclBroadcast(data, data, 1, ncclFloat, ranks, comms[0], 0) == ncclInvalidArgument, "no such root");
  expect(ncclAllReduce(data, data, 1, ncclFloat, ncclSum, nullptr, 0) == ncclInvalidArgument, "no communicator");
  expect(ncclAllReduce(data, data, 1, ncclFloat, ncclNumOps, comms[0], 0) == ncclInvalidArgument, "no such operation");
  expect(ncclGroupEnd() == ncclInvalidUsage, "no group");
  ncclUniqueId wrong = {};
  ncclComm_t made;
  expect(ncclCommInitRank(&made, 1, wrong, 0) == ncclInvalidArgument, "no identifier");
  // Different operations.
  CHECK(ncclGroupStart());
  for (int i = 0; i < ranks; ++i) CHECK(ncclAllReduce(data, data, i == 0 ? 1 : 2, ncclFloat, ncclSum, comms[i], 0));
  expect(ncclGroupEnd() == ncclInvalidUsage, "different counts");
  ncclResult_t state;
  CHECK(ncclCommGetAsyncError(comms[1], &state));
  expect(state == ncclInvalidUsage, "ncclCommGetAsyncError");
}

static void a_rank_leaves() {
  ncclUniqueId id;
  ncclComm_t one, other;
  float data = 0;
  CHECK(ncclGetUniqueId(&id));
  CHECK(ncclCommInitRank(&one, 2, id, 0));
  CHECK(ncclCommInitRank(&other, 2, id, 1));
  CHECK(ncclCommAbort(other));
  expect(ncclAllReduce(&data, &data, 1, ncclFloat, ncclSum, one, 0) == ncclRemoteError, "a rank has left");
  CHECK(ncclCommAbort(one));
}

int main() {
  ncclComm_t comms[ranks];
  CHECK(ncclCommInitAll(comms, ranks, nullptr));
  reductions<signed char>(comms, ncclInt8, "int8");
  reductions<unsigned char>(comms, ncclUint8, "uint8");
  reductions<int>(comms, ncclInt32, "int32");
  reductions<unsigned>(comms, ncclUint32, "uint32");
  reductions<long long>(comms, ncclInt64, "int64");
  reductions<unsigned long long>(comms, ncclUint64, "uint64");
  reductions<__half>(comms, ncclFloat16, "float16");
  reductions<float>(comms, ncclFloat32, "float32");
  reductions<double>(comms, ncclFloat64, "float64");
  reductions<__nv_bfloat16>(comms, ncclBfloat16, "bfloat16");
  movements(comms);
  scaled(comms);
  threads();
  a_rank_leaves();
  mistakes(comms);
  for (ncclComm_t one : comms) CHECK(ncclCommDestroy(one));
  std::printf(failures == 0 ? "PASS\n" : "%d failures\n", failures);
  return failures != 0;
}
