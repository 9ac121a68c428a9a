// A CUDA graph: work that is recorded from a stream once and launched any number of times.
#ifndef HIPPORT_LLM_GRAPH_H
#define HIPPORT_LLM_GRAPH_H

#include "device.h"

namespace hipport_llm {

class Graph {
 public:
  // Records what `work` launches on the stream, without running it.
  template <typename Work>
  Graph(cudaStream_t stream, const Work& work) {
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "recording work");
    cudaGraph_t graph = nullptr;
    try {
      work();
    } catch (...) {
      (void)cudaStreamEndCapture(stream, &graph);
      if (graph != nullptr) (void)cudaGraphDestroy(graph);
      throw;
    }
    check(cudaStreamEndCapture(stream, &graph), "recording work");
    const cudaError_t status = cudaGraphInstantiateWithFlags(&executable_, graph, 0);
    (void)cudaGraphDestroy(graph);
    check(status, "preparing recorded work");
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() { (void)cudaGraphExecDestroy(executable_); }

  void launch(cudaStream_t stream) const { check(cudaGraphLaunch(executable_, stream), "launching recorded work"); }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace hipport_llm

#endif
