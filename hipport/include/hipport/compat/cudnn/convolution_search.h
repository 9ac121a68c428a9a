// SPDX-License-Identifier: MIT
// cuDNN's choice of convolution algorithms: by estimate, by measurement, and the workspace that each needs.
#ifndef HIPPORT_COMPAT_CUDNN_CONVOLUTION_SEARCH_H
#define HIPPORT_COMPAT_CUDNN_CONVOLUTION_SEARCH_H

#include "convolution_solutions.h"

// One row of the results. The structures of the three directions have the same members.
typedef struct {
  int algorithm;
  cudnnStatus_t status;
  float time;
  size_t memory;
  cudnnDeterminism_t determinism;
  cudnnMathType_t math;
  int reserved[3];
} hipport_dnn_result;

#define HIPPORT_DNN_RESULTS 8

// Forward passes do not add in an order that changes; derivatives may, unless they are matrix products or Winograd's.
HIPPORT_DNN cudnnDeterminism_t hipport_dnn_determinism(const hipport_dnn_problem* p, int algorithm) {
  const int same = p->direction == HIPPORT_DNN_FORWARD || algorithm == miopenConvolutionAlgoGEMM ||
                   algorithm == miopenConvolutionAlgoWinograd;
  return same ? CUDNN_DETERMINISTIC : CUDNN_NON_DETERMINISTIC;
}

// Add a result, unless its algorithm has one already; the faster first.
HIPPORT_DNN int hipport_dnn_add(const hipport_dnn_problem* p, int algorithm, float time, size_t memory,
                                hipport_dnn_result* results, int count) {
  const int ours = hipport_dnn_algorithm(p->direction, algorithm);
  int i, place = count;
  for (i = 0; i < count; ++i)
    if (results[i].algorithm == ours) return count;
  while (place > 0 && time > 0.0f && (results[place - 1].time > time || results[place - 1].time <= 0.0f)) {
    results[place] = results[place - 1];
    --place;
  }
  memset(&results[place], 0, sizeof(results[place]));
  results[place].algorithm = ours;
  results[place].status = CUDNN_STATUS_SUCCESS;
  results[place].time = time;
  results[place].memory = memory;
  results[place].determinism = hipport_dnn_determinism(p, algorithm);
  results[place].math = p->desc->math;
  return count + 1;
}

// Estimate: the solutions that MIOpen knows for these shapes, each algorithm with the one that would run.
HIPPORT_DNN cudnnStatus_t hipport_dnn_estimate(const hipport_dnn_problem* p, hipport_dnn_result* results, int* count) {
  miopenConvSolution_t *solutions, chosen;
  size_t found, i;
  *count = 0;
  HIPPORT_DNN_TRY(hipport_dnn_solutions(p, &solutions, &found));
  for (i = 0; i < found && *count < HIPPORT_DNN_RESULTS; ++i) {
    const int ours = hipport_dnn_algorithm(p->direction, (int)solutions[i].algorithm);
    const cudnnStatus_t status = hipport_dnn_choose(p, hipport_dnn_algorithms(p->direction, ours), (size_t)-1, &chosen);
    if (status == CUDNN_STATUS_SUCCESS)
      *count = hipport_dnn_add(p, (int)chosen.algorithm, chosen.time, chosen.workspace_size, results, *count);
  }
  free(solutions);
  return CUDNN_STATUS_SUCCESS;
}

// Return the workspace of the solution that an algorithm would run.
HIPPORT_DNN cudnnStatus_t hipport_dnn_workspace(const hipport_dnn_problem* p, int algorithm, size_t* size) {
  const int algorithms = hipport_dnn_algorithms(p->direction, algorithm);
  miopenConvSolution_t solution;
  if (algorithms == 0) return CUDNN_STATUS_BAD_PARAM;
  HIPPORT_DNN_TRY(hipport_dnn_choose(p, algorithms, (size_t)-1, &solution));
  *size = solution.workspace_size;
  return CUDNN_STATUS_SUCCESS;
}

// Return the largest workspace of MIOpen's solutions.
HIPPORT_DNN cudnnStatus_t hipport_dnn_largest_workspace(const hipport_dnn_problem* p, size_t* size) {
  const miopenHandle_t handle = p->handle->miopen;
  const miopenConvolutionDescriptor_t desc = p->desc->miopen;
  switch (p->direction) {
    case HIPPORT_DNN_FORWARD:
      return hipport_dnn_status(miopenConvolutionForwardGetWorkSpaceSize(handle, p->w, p->x, desc, p->y, size));
    case HIPPORT_DNN_DATA:
      return hipport_dnn_status(miopenConvolutionBackwardDataGetWorkSpaceSize(handle, p->y, p->w, desc, p->x, size));
    default:
      return hipport_dnn_status(miopenConvolutionBackwardWeightsGetWorkSpaceSize(handle, p->y, p->x, desc, p->w, size));
  }
}

// Measure MIOpen's algorithms. MIOpen keeps the results, so that the solutions chosen later are the measured ones.
HIPPORT_DNN cudnnStatus_t hipport_dnn_measure(const hipport_dnn_problem* p, hipport_dnn_result* results, int* count) {
  const miopenHandle_t handle = p->handle->miopen;
  const miopenConvolutionDescriptor_t desc = p->desc->miopen;
  miopenConvAlgoPerf_t found[HIPPORT_DNN_RESULTS];
  void *x, *w, *y, *workspace = NULL;
  size_t size = 0;
  int i, number = 0;
  miopenStatus_t status;
  *count = 0;
  // The operands are buffers of the handle: only their shapes matter, and cuDNN's own search overwrites its output.
  HIPPORT_DNN_TRY(hipport_dnn_memory(p->handle, HIPPORT_DNN_FIRST, hipport_dnn_packed_bytes(p->x_desc), &x));
  HIPPORT_DNN_TRY(hipport_dnn_memory(p->handle, HIPPORT_DNN_SECOND, hipport_dnn_packed_bytes(p->w_desc), &w));
  HIPPORT_DNN_TRY(hipport_dnn_memory(p->handle, HIPPORT_DNN_THIRD, hipport_dnn_packed_bytes(p->y_desc), &y));
  HIPPORT_DNN_TRY(hipport_dnn_largest_workspace(p, &size));
  if (size > 0) HIPPORT_DNN_TRY(hipport_dnn_memory(p->handle, HIPPORT_DNN_WORKSPACE, size, &workspace));
  hipport_dnn_forget(p->desc);
  switch (p->direction) {
    case HIPPORT_DNN_FORWARD:
      status = miopenFindConvolutionForwardAlgorithm(handle, p->x, x, p->w, w, desc, p->y, y, HIPPORT_DNN_RESULTS,
                                                     &number, found, workspace, size, false);
      for (i = 0; status == miopenStatusSuccess && i < number; ++i)
        *count = hipport_dnn_add(p, (int)found[i].fwd_algo, found[i].time, found[i].memory, results, *count);
      break;
    case HIPPORT_DNN_DATA:
      status = miopenFindConvolutionBackwardDataAlgorithm(handle, p->y, y, p->w, w, desc, p->x, x, HIPPORT_DNN_RESULTS,
                                                          &number, found, workspace, size, false);
      for (i = 0; status == miopenStatusSuccess && i < number; ++i)
        *count = hipport_dnn_add(p, (int)found[i].bwd_data_algo, found[i].time, found[i].memory, results, *count);
      break;
    default:
      status = miopenFindConvolutionBackwardWeightsAlgorithm(
          handle, p->y, y, p->x, x, desc, p->w, w, HIPPORT_DNN_RESULTS, &number, found, workspace, size, false);
      for (i = 0; status == miopenStatusSuccess && i < number; ++i)
        *count = hipport_dnn_add(p, (int)found[i].bwd_weights_algo, found[i].time, found[i].memory, results, *count);
  }
  return hipport_dnn_status(status);
}

// Move the results that need no more than a limit to the front, and return their number; at least one stays.
HIPPORT_DNN int hipport_dnn_fitting(hipport_dnn_result* results, int count, size_t limit) {
  int i, kept = 0;
  for (i = 0; i < count; ++i)
    if (results[i].memory <= limit) results[kept++] = results[i];
  return kept > 0 || count == 0 ? kept : 1;
}

// Estimate or measure, and write no more results than requested.
HIPPORT_DNN cudnnStatus_t hipport_dnn_search(const hipport_dnn_problem* p, int measured, size_t limit, int requested,
                                             int* returned, void* rows) {
  hipport_dnn_result results[HIPPORT_DNN_RESULTS];
  int count = 0;
  if (requested < 1 || returned == NULL || rows == NULL) return CUDNN_STATUS_BAD_PARAM;
  HIPPORT_DNN_TRY(measured ? hipport_dnn_measure(p, results, &count) : hipport_dnn_estimate(p, results, &count));
  count = hipport_dnn_fitting(results, count, limit);
  *returned = count < requested ? count : requested;
  memcpy(rows, results, sizeof(*results) * (size_t)*returned);
  return *returned > 0 ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
}

// The choice of cuDNN before version 8: the fastest algorithm, the fastest without or with a limited workspace.
HIPPORT_DNN cudnnStatus_t hipport_dnn_preferred(const hipport_dnn_problem* p, int preference, size_t limit,
                                                int* algorithm) {
  hipport_dnn_result result;
  int returned;
  const size_t allowed = preference == CUDNN_CONVOLUTION_FWD_PREFER_FASTEST ? (size_t)-1
                         : preference == CUDNN_CONVOLUTION_FWD_NO_WORKSPACE ? 0
                                                                            : limit;
  HIPPORT_DNN_TRY(hipport_dnn_search(p, 0, allowed, 1, &returned, &result));
  *algorithm = result.algorithm;
  return CUDNN_STATUS_SUCCESS;
}

// Define cuDNN's functions for one direction. They take three descriptors `a`, `b` and `c`, which are tensors or filters;
// `problem` describes the convolution by them. `Kind` and `KIND` are how cuDNN's types and values abbreviate the direction.
#define HIPPORT_DNN_SEARCHES(Direction, Kind, KIND, A, B, C, problem)                                                \
  HIPPORT_DNN cudnnStatus_t cudnnGetConvolution##Direction##AlgorithmMaxCount(cudnnHandle_t handle, int* count) {    \
    (void)handle;                                                                                                    \
    *count = CUDNN_CONVOLUTION_##KIND##_ALGO_COUNT;                                                                  \
    return CUDNN_STATUS_SUCCESS;                                                                                     \
  }                                                                                                                  \
  HIPPORT_DNN cudnnStatus_t cudnnGetConvolution##Direction##Algorithm_v7(                                            \
      cudnnHandle_t handle, const A a, const B b, const cudnnConvolutionDescriptor_t desc, const C c, int requested, \
      int* returned, cudnnConvolution##Kind##AlgoPerf_t* results) {                                                  \
    const hipport_dnn_problem p = problem;                                                                           \
    return hipport_dnn_search(&p, 0, (size_t)-1, requested, returned, results);                                      \
  }                                                                                                                  \
  HIPPORT_DNN cudnnStatus_t cudnnFindConvolution##Direction##Algorithm(                                              \
      cudnnHandle_t handle, const A a, const B b, const cudnnConvolutionDescriptor_t desc, const C c, int requested, \
      int* returned, cudnnConvolution##Kind##AlgoPerf_t* results) {                                                  \
    const hipport_dnn_problem p = problem;                                                                           \
    return hipport_dnn_search(&p, 1, (size_t)-1, requested, returned, results);                                      \
  }                                                                                                                  \
  HIPPORT_DNN cudnnStatus_t cudnnFindConvolution##Direction##AlgorithmEx(                                            \
      cudnnHandle_t handle, const A a, const void* a_data, const B b, const void* b_data,                            \
      const cudnnConvolutionDescriptor_t desc, const C c, void* c_data, int requested, int* returned,                \
      cudnnConvolution##Kind##AlgoPerf_t* results, void* workspace, size_t size) {                                   \
    const hipport_dnn_problem p = problem;                                                                           \
    (void)a_data;                                                                                                    \
    (void)b_data;                                                                                                    \
    (void)c_data;                                                                                                    \
    return hipport_dnn_search(&p, 1, workspace == NULL ? 0 : size, requested, returned, results);                    \
  }                                                                                                                  \
  HIPPORT_DNN cudnnStatus_t cudnnGetConvolution##Direction##Algorithm(                                               \
      cudnnHandle_t handle, const A a, const B b, const cudnnConvolutionDescriptor_t desc, const C c,                \
      cudnnConvolution##Kind##Preference_t preference, size_t limit, cudnnConvolution##Kind##Algo_t* algorithm) {    \
    const hipport_dnn_problem p = problem;                                                                           \
    int chosen = 0;                                                                                                  \
    const cudnnStatus_t status = hipport_dnn_preferred(&p, (int)preference, limit, &chosen);                         \
    *algorithm = (cudnnConvolution##Kind##Algo_t)chosen;                                                             \
    return status;                                                                                                   \
  }                                                                                                                  \
  HIPPORT_DNN cudnnStatus_t cudnnGetConvolution##Direction##WorkspaceSize(                                           \
      cudnnHandle_t handle, const A a, const B b, const cudnnConvolutionDescriptor_t desc, const C c,                \
      cudnnConvolution##Kind##Algo_t algorithm, size_t* size) {                                                      \
    const hipport_dnn_problem p = problem;                                                                           \
    return hipport_dnn_workspace(&p, (int)algorithm, size);                                                          \
  }

HIPPORT_DNN_SEARCHES(Forward, Fwd, FWD, cudnnTensorDescriptor_t, cudnnFilterDescriptor_t, cudnnTensorDescriptor_t,
                     hipport_dnn_describe(handle, desc, HIPPORT_DNN_FORWARD, a, &b->tensor, c))
HIPPORT_DNN_SEARCHES(BackwardData, BwdData, BWD_DATA, cudnnFilterDescriptor_t, cudnnTensorDescriptor_t,
                     cudnnTensorDescriptor_t, hipport_dnn_describe(handle, desc, HIPPORT_DNN_DATA, c, &a->tensor, b))
HIPPORT_DNN_SEARCHES(BackwardFilter, BwdFilter, BWD_FILTER, cudnnTensorDescriptor_t, cudnnTensorDescriptor_t,
                     cudnnFilterDescriptor_t, hipport_dnn_describe(handle, desc, HIPPORT_DNN_FILTER, a, &c->tensor, b))

#undef HIPPORT_DNN_SEARCHES

#endif
