// SPDX-License-Identifier: MIT
// Which of MIOpen's solutions computes a convolution. MIOpen names solutions by numbers and needs a search before it
// runs an algorithm by name; cuDNN runs any algorithm with any workspace that is large enough. So convolutions run in
// MIOpen's immediate mode: a cuDNN algorithm stands for some of MIOpen's, and the fastest solution of these that fits
// is used.
#ifndef HIPPORT_COMPAT_CUDNN_CONVOLUTION_SOLUTIONS_H
#define HIPPORT_COMPAT_CUDNN_CONVOLUTION_SOLUTIONS_H

#include "convolution.h"

typedef enum { HIPPORT_DNN_FORWARD, HIPPORT_DNN_DATA, HIPPORT_DNN_FILTER } hipport_dnn_direction;

// A convolution of x and w into y, or one of its derivatives. All three are packed in the same order.
typedef struct {
  cudnnHandle_t handle;
  cudnnConvolutionDescriptor_t desc;
  hipport_dnn_direction direction;
  const struct cudnnTensorStruct *x_desc, *w_desc, *y_desc;
  int any_layout;  // channels are innermost in all three
  miopenTensorDescriptor_t x, w, y;
} hipport_dnn_problem;

HIPPORT_DNN hipport_dnn_problem hipport_dnn_describe(cudnnHandle_t handle, cudnnConvolutionDescriptor_t desc,
                                                     hipport_dnn_direction direction, const struct cudnnTensorStruct* x,
                                                     const struct cudnnTensorStruct* w,
                                                     const struct cudnnTensorStruct* y) {
  hipport_dnn_problem problem;
  problem.handle = handle;
  problem.desc = desc;
  problem.direction = direction;
  problem.x_desc = x;
  problem.w_desc = w;
  problem.y_desc = y;
  problem.any_layout = x->is_channels_last && w->is_channels_last && y->is_channels_last &&
                       !(x->is_packed && w->is_packed && y->is_packed);
  problem.x = problem.any_layout ? x->miopen : x->packed;
  problem.w = problem.any_layout ? w->miopen : w->packed;
  problem.y = problem.any_layout ? y->miopen : y->packed;
  return problem;
}

// Return MIOpen's solutions, which the caller frees. There is at least one.
HIPPORT_DNN cudnnStatus_t hipport_dnn_solutions(const hipport_dnn_problem* p, miopenConvSolution_t** solutions,
                                                size_t* count) {
  const miopenHandle_t handle = p->handle->miopen;
  const miopenConvolutionDescriptor_t desc = p->desc->miopen;
  miopenStatus_t status;
  size_t found = 0;
  *count = 0;
  switch (p->direction) {
    case HIPPORT_DNN_FORWARD:
      status = miopenConvolutionForwardGetSolutionCount(handle, p->w, p->x, desc, p->y, &found);
      break;
    case HIPPORT_DNN_DATA:
      status = miopenConvolutionBackwardDataGetSolutionCount(handle, p->y, p->w, desc, p->x, &found);
      break;
    default: status = miopenConvolutionBackwardWeightsGetSolutionCount(handle, p->y, p->x, desc, p->w, &found);
  }
  if (status != miopenStatusSuccess) return hipport_dnn_status(status);
  if (found == 0) return CUDNN_STATUS_NOT_SUPPORTED;
  *solutions = (miopenConvSolution_t*)calloc(found, sizeof(**solutions));
  if (*solutions == NULL) return CUDNN_STATUS_ALLOC_FAILED;
  switch (p->direction) {
    case HIPPORT_DNN_FORWARD:
      status = miopenConvolutionForwardGetSolution(handle, p->w, p->x, desc, p->y, found, count, *solutions);
      break;
    case HIPPORT_DNN_DATA:
      status = miopenConvolutionBackwardDataGetSolution(handle, p->y, p->w, desc, p->x, found, count, *solutions);
      break;
    default:
      status = miopenConvolutionBackwardWeightsGetSolution(handle, p->y, p->x, desc, p->w, found, count, *solutions);
  }
  if (status == miopenStatusSuccess && *count > 0) return CUDNN_STATUS_SUCCESS;
  free(*solutions);
  return status == miopenStatusSuccess ? CUDNN_STATUS_NOT_SUPPORTED : hipport_dnn_status(status);
}

// Return how well a solution fits: one of the algorithms first, then any within the limit, then any.
HIPPORT_DNN int hipport_dnn_rank(const miopenConvSolution_t* solution, int algorithms, size_t limit) {
  if (solution->workspace_size > limit) return 0;
  return (algorithms >> solution->algorithm & 1) != 0 ? 2 : 1;
}

// Return whether a solution is better than another of the same rank: faster, or smaller if both exceed the limit. An
// unknown time is negative or 0.
HIPPORT_DNN int hipport_dnn_better(const miopenConvSolution_t* a, const miopenConvSolution_t* b, int rank) {
  if (rank == 0) return a->workspace_size < b->workspace_size;
  if (a->time > 0.0f && b->time > 0.0f) return a->time < b->time;
  return a->time > 0.0f;
}

HIPPORT_DNN void hipport_dnn_shape(const struct cudnnTensorStruct* tensor, int any_layout, int* shape) {
  shape[0] = (int)tensor->type;
  shape[1] = any_layout;
  memcpy(shape + 2, tensor->dims, sizeof(int) * (size_t)tensor->count);
}

// Find the solution for some of MIOpen's algorithms (a set of bits) and a limit of the workspace.
HIPPORT_DNN cudnnStatus_t hipport_dnn_choose(const hipport_dnn_problem* p, int algorithms, size_t limit,
                                             miopenConvSolution_t* solution) {
  hipport_dnn_choice key;
  miopenConvSolution_t* solutions;
  size_t count, i, best = 0;
  memset(&key, 0, sizeof(key));
  key.direction = (int)p->direction;
  key.algorithms = algorithms;
  key.limit = limit;
  key.used = 1;
  hipport_dnn_shape(p->x_desc, p->any_layout, key.shapes[0]);
  hipport_dnn_shape(p->w_desc, p->any_layout, key.shapes[1]);
  hipport_dnn_shape(p->y_desc, p->any_layout, key.shapes[2]);
  for (i = 0; i < HIPPORT_DNN_CHOICES; ++i) {
    if (memcmp(&p->desc->choices[i], &key, offsetof(hipport_dnn_choice, solution)) == 0) {
      *solution = p->desc->choices[i].solution;
      return CUDNN_STATUS_SUCCESS;
    }
  }
  HIPPORT_DNN_TRY(hipport_dnn_solutions(p, &solutions, &count));
  for (i = 1; i < count; ++i) {
    const int rank = hipport_dnn_rank(&solutions[i], algorithms, limit);
    const int best_rank = hipport_dnn_rank(&solutions[best], algorithms, limit);
    if (rank > best_rank || (rank == best_rank && hipport_dnn_better(&solutions[i], &solutions[best], rank))) best = i;
  }
  *solution = key.solution = solutions[best];
  free(solutions);
  memcpy(&p->desc->choices[p->desc->chosen++ % HIPPORT_DNN_CHOICES], &key, sizeof(key));
  return CUDNN_STATUS_SUCCESS;
}

// Sets of MIOpen's algorithms.
#define HIPPORT_DNN_GEMM (1 << miopenConvolutionAlgoGEMM)
#define HIPPORT_DNN_DIRECT (1 << miopenConvolutionAlgoDirect)
#define HIPPORT_DNN_FFT (1 << miopenConvolutionAlgoFFT)
#define HIPPORT_DNN_WINOGRAD (1 << miopenConvolutionAlgoWinograd)
#define HIPPORT_DNN_IMPLICIT (1 << miopenConvolutionAlgoImplicitGEMM)

// Return the algorithms of MIOpen that one of cuDNN's stands for; 0 if there is no such algorithm.
HIPPORT_DNN int hipport_dnn_algorithms(hipport_dnn_direction direction, int algorithm) {
  static const int forward[] = {HIPPORT_DNN_IMPLICIT, HIPPORT_DNN_IMPLICIT, HIPPORT_DNN_GEMM,     HIPPORT_DNN_DIRECT,
                                HIPPORT_DNN_FFT,      HIPPORT_DNN_FFT,      HIPPORT_DNN_WINOGRAD, HIPPORT_DNN_WINOGRAD};
  static const int data[] = {HIPPORT_DNN_GEMM | HIPPORT_DNN_DIRECT,
                             HIPPORT_DNN_IMPLICIT,
                             HIPPORT_DNN_FFT,
                             HIPPORT_DNN_FFT,
                             HIPPORT_DNN_WINOGRAD,
                             HIPPORT_DNN_WINOGRAD};
  static const int filter[] = {HIPPORT_DNN_GEMM | HIPPORT_DNN_DIRECT,
                               HIPPORT_DNN_IMPLICIT,
                               HIPPORT_DNN_FFT,
                               HIPPORT_DNN_GEMM | HIPPORT_DNN_DIRECT,
                               HIPPORT_DNN_WINOGRAD,
                               HIPPORT_DNN_WINOGRAD,
                               HIPPORT_DNN_FFT};
  if (algorithm < 0) return 0;
  switch (direction) {
    case HIPPORT_DNN_FORWARD: return algorithm < CUDNN_CONVOLUTION_FWD_ALGO_COUNT ? forward[algorithm] : 0;
    case HIPPORT_DNN_DATA: return algorithm < CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT ? data[algorithm] : 0;
    default: return algorithm < CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT ? filter[algorithm] : 0;
  }
}

// Return cuDNN's algorithm that stands for one of MIOpen's.
HIPPORT_DNN int hipport_dnn_algorithm(hipport_dnn_direction direction, int algorithm) {
  if (direction == HIPPORT_DNN_FORWARD) {
    switch (algorithm) {
      case miopenConvolutionAlgoGEMM: return CUDNN_CONVOLUTION_FWD_ALGO_GEMM;
      case miopenConvolutionAlgoDirect: return CUDNN_CONVOLUTION_FWD_ALGO_DIRECT;
      case miopenConvolutionAlgoFFT: return CUDNN_CONVOLUTION_FWD_ALGO_FFT;
      case miopenConvolutionAlgoWinograd: return CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD;
      default: return CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
    }
  }
  switch (algorithm) {
    case miopenConvolutionAlgoGEMM:
    case miopenConvolutionAlgoDirect: return CUDNN_CONVOLUTION_BWD_DATA_ALGO_0;
    case miopenConvolutionAlgoFFT: return CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT;
    // WINOGRAD has the same number among the algorithms for data and for filters.
    case miopenConvolutionAlgoWinograd: return CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD;
    default: return CUDNN_CONVOLUTION_BWD_DATA_ALGO_1;
  }
}

#endif
