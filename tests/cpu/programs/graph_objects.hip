// Objects of the program that graphs keep alive, and operations on values in memory, in streams and as nodes of graphs.
#include <hip/hip_runtime.h>

#include "newer_hip.h"

#include <cstdio>

static int wrong = 0;
#define EXPECT(what)                                 \
  do {                                               \
    if (!(what)) {                                   \
      std::printf("line %d: %s\n", __LINE__, #what); \
      ++wrong;                                       \
    }                                                \
  } while (0)
#define OK(call) EXPECT((call) == hipSuccess)

static int destroyed = 0;
static void destroy(void* number) { destroyed += *static_cast<int*>(number); }

static void references() {
  int one = 1, ten = 10;
  hipUserObject_t first, second;
  OK(hipUserObjectCreate(&first, &one, destroy, 2, hipUserObjectNoDestructorSync));
  OK(hipUserObjectRelease(first, 1));
  OK(hipUserObjectRetain(first, 1));
  OK(hipUserObjectRelease(first, 1));
  EXPECT(destroyed == 0);
  OK(hipUserObjectRelease(first, 1));
  EXPECT(destroyed == 1);

  hipGraph_t graph, clone;
  hipGraphExec_t executable;
  OK(hipGraphCreate(&graph, 0));
  OK(hipUserObjectCreate(&first, &one, destroy, 1, hipUserObjectNoDestructorSync));
  OK(hipGraphRetainUserObject(graph, first, 1, hipGraphUserObjectMove));
  OK(hipUserObjectCreate(&second, &ten, destroy, 1, hipUserObjectNoDestructorSync));
  OK(hipGraphRetainUserObject(graph, second, 3, 0));
  OK(hipUserObjectRelease(second, 1));
  OK(hipGraphReleaseUserObject(graph, second, 2));
  EXPECT(hipGraphReleaseUserObject(graph, second, 2) == hipErrorInvalidValue);
  EXPECT(destroyed == 1);
  OK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  OK(hipGraphClone(&clone, graph));
  OK(hipGraphDestroy(graph));
  EXPECT(destroyed == 1);
  OK(hipGraphReleaseUserObject(clone, second, 1));
  OK(hipGraphDestroy(clone));
  EXPECT(destroyed == 1);
  OK(hipGraphExecDestroy(executable));
  EXPECT(destroyed == 12);

  EXPECT(hipUserObjectCreate(&first, &one, nullptr, 1, hipUserObjectNoDestructorSync) == hipErrorInvalidValue);
  EXPECT(hipUserObjectCreate(&first, &one, destroy, 0, hipUserObjectNoDestructorSync) == hipErrorInvalidValue);
  EXPECT(hipUserObjectCreate(&first, &one, destroy, 1, 0) == hipErrorInvalidValue);
}

static void set_write(hipStreamBatchMemOpParams* one, void* address, unsigned long long value, bool wide) {
  *one = {};
  one->writeValue.operation = wide ? hipStreamMemOpWriteValue64 : hipStreamMemOpWriteValue32;
  one->writeValue.address = address;
  if (wide)
    one->writeValue.value64 = value;
  else
    one->writeValue.value = unsigned(value);
}
static void set_wait(hipStreamBatchMemOpParams* one, void* address, unsigned value, unsigned how) {
  *one = {};
  one->waitValue.operation = hipStreamMemOpWaitValue32;
  one->waitValue.address = address;
  one->waitValue.value = value;
  one->waitValue.flags = how;
}

static void values() {
  unsigned* words;
  OK(hipMallocManaged(reinterpret_cast<void**>(&words), 4 * sizeof *words, hipMemAttachGlobal));
  for (int i = 0; i < 4; ++i) words[i] = 0;
  hipStreamBatchMemOpParams all[3];
  set_write(&all[0], &words[0], 7, false);
  set_wait(&all[1], &words[0], 5, hipStreamWaitValueGte);
  set_write(&all[2], &words[2], 0x500000009ull, true);
  OK(hipStreamBatchMemOp(nullptr, 3, all, 0));
  EXPECT(words[0] == 7 && words[1] == 0 && words[2] == 9 && words[3] == 5);
  EXPECT(hipStreamBatchMemOp(nullptr, 0, all, 0) == hipErrorInvalidValue);
  EXPECT(hipStreamBatchMemOp(nullptr, 257, all, 0) == hipErrorInvalidValue);
  EXPECT(hipStreamBatchMemOp(nullptr, 1, nullptr, 0) == hipErrorInvalidValue);
  all[2].writeValue.address = nullptr;
  EXPECT(hipStreamBatchMemOp(nullptr, 3, all, 0) == hipErrorInvalidValue);
  EXPECT(words[0] == 7);
  all[0].operation = hipStreamMemOpBarrier;
  EXPECT(hipStreamBatchMemOp(nullptr, 1, all, 0) == hipErrorNotSupported);

  hipGraph_t graph;
  hipGraphNode_t node;
  hipGraphExec_t executable;
  hipGraphNodeType type;
  hipBatchMemOpNodeParams params = {}, known = {};
  set_write(&all[0], &words[0], 1, false);
  set_write(&all[1], &words[1], 2, false);
  params.count = 2;
  params.paramArray = all;
  OK(hipGraphCreate(&graph, 0));
  OK(hipGraphAddBatchMemOpNode(&node, graph, nullptr, 0, &params));
  OK(hipGraphNodeGetType(node, &type));
  EXPECT(type == hipGraphNodeTypeBatchMemOp);
  set_write(&all[0], &words[0], 100, false);  // the node has a copy
  OK(hipGraphBatchMemOpNodeGetParams(node, &known));
  EXPECT(known.count == 2 && known.paramArray[0].writeValue.value == 1);
  OK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  OK(hipGraphLaunch(executable, nullptr));
  OK(hipDeviceSynchronize());
  EXPECT(words[0] == 1 && words[1] == 2);
  OK(hipGraphExecBatchMemOpNodeSetParams(executable, node, &params));
  OK(hipGraphLaunch(executable, nullptr));
  OK(hipDeviceSynchronize());
  EXPECT(words[0] == 100);
  params.count = 0;
  EXPECT(hipGraphBatchMemOpNodeSetParams(node, &params) == hipErrorInvalidValue);
  OK(hipGraphExecDestroy(executable));
  OK(hipGraphDestroy(graph));

  hipStream_t stream;
  OK(hipStreamCreate(&stream));
  OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  set_write(&all[0], &words[0], 77, false);
  OK(hipStreamBatchMemOp(stream, 1, all, 0));
  OK(hipStreamEndCapture(stream, &graph));
  EXPECT(words[0] == 100);
  OK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  OK(hipGraphLaunch(executable, stream));
  OK(hipStreamSynchronize(stream));
  EXPECT(words[0] == 77);
}

int main() {
  references();
  values();
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
