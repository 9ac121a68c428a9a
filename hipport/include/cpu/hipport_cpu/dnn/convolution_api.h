// SPDX-License-Identifier: MIT
// MIOpen: descriptors of convolutions, the choice of a solution, and running it. There is one solution, without
// workspace.
#pragma once

#include "convolution.h"

namespace hipport::cpu::dnn {

constexpr uint64_t solution_id = 1;

inline miopenStatus_t describe_solution(bool valid, size_t most, size_t* count, miopenConvSolution_t* solutions) {
  if (!valid || most < 1) return miopenStatusBadParm;
  *count = 1;
  *solutions = {1.0f, 0, solution_id, miopenConvolutionAlgoDirect};
  return miopenStatusSuccess;
}

inline miopenStatus_t found(bool valid, int requested, int* returned, miopenConvAlgoPerf_t* results) {
  if (!valid || requested < 1) return miopenStatusBadParm;
  *returned = 1;
  *results = {};
  results->fwd_algo = miopenConvolutionFwdAlgoDirect;
  results->time = 1.0f;
  return miopenStatusSuccess;
}

inline miopenStatus_t run_convolution(miopenHandle_t handle, Direction direction,
                                      const miopenConvolutionDescriptor_t conv, const miopenTensorDescriptor_t x_desc,
                                      const void* x, const miopenTensorDescriptor_t w_desc, const void* w,
                                      const miopenTensorDescriptor_t y_desc, const void* y) {
  if (!fits(*conv, *x_desc, *w_desc, *y_desc)) return miopenStatusBadParm;
  return submit(handle, [=, c = *conv, xt = *x_desc, wt = *w_desc, yt = *y_desc] {
    convolve(c, direction, xt, const_cast<void*>(x), wt, const_cast<void*>(w), yt, const_cast<void*>(y));
  });
}

}  // namespace hipport::cpu::dnn

inline miopenStatus_t miopenCreateConvolutionDescriptor(miopenConvolutionDescriptor_t* desc) {
  return hipport::cpu::dnn::create(desc);
}
inline miopenStatus_t miopenDestroyConvolutionDescriptor(miopenConvolutionDescriptor_t desc) {
  return hipport::cpu::dnn::destroy(desc);
}
inline miopenStatus_t miopenInitConvolutionNdDescriptor(miopenConvolutionDescriptor_t desc, int count,
                                                        const int* padding, const int* stride, const int* dilation,
                                                        miopenConvolutionMode_t mode) {
  if (count < 2 || count > 3) return miopenStatusNotImplemented;
  desc->padding.assign(padding, padding + count);
  desc->stride.assign(stride, stride + count);
  desc->dilation.assign(dilation, dilation + count);
  desc->mode = mode;
  desc->groups = 1;
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenInitConvolutionDescriptor(miopenConvolutionDescriptor_t desc, miopenConvolutionMode_t mode,
                                                      int pad_h, int pad_w, int stride_h, int stride_w, int dilation_h,
                                                      int dilation_w) {
  const int padding[] = {pad_h, pad_w}, stride[] = {stride_h, stride_w}, dilation[] = {dilation_h, dilation_w};
  return miopenInitConvolutionNdDescriptor(desc, 2, padding, stride, dilation, mode);
}
inline miopenStatus_t miopenSetConvolutionGroupCount(miopenConvolutionDescriptor_t desc, int groups) {
  if (groups < 1) return miopenStatusBadParm;
  desc->groups = groups;
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenGetConvolutionGroupCount(miopenConvolutionDescriptor_t desc, int* groups) {
  *groups = desc->groups;
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenGetConvolutionNdForwardOutputDim(miopenConvolutionDescriptor_t desc,
                                                             const miopenTensorDescriptor_t in,
                                                             const miopenTensorDescriptor_t filter, int* count,
                                                             int* dims) {
  if (in->dims.size() != desc->padding.size() + 2 || filter->dims.size() != in->dims.size()) return miopenStatusBadParm;
  *count = static_cast<int>(in->dims.size());
  dims[0] = in->dims[0];
  dims[1] = filter->dims[0];
  for (size_t d = 0; d < desc->padding.size(); ++d) {
    const int extent = (filter->dims[d + 2] - 1) * desc->dilation[d] + 1;
    dims[d + 2] = (in->dims[d + 2] + 2 * desc->padding[d] - extent) / desc->stride[d] + 1;
  }
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenGetConvolutionForwardOutputDim(miopenConvolutionDescriptor_t desc,
                                                           const miopenTensorDescriptor_t in,
                                                           const miopenTensorDescriptor_t filter, int* n, int* c,
                                                           int* h, int* w) {
  int dims[5], count;
  const miopenStatus_t status = miopenGetConvolutionNdForwardOutputDim(desc, in, filter, &count, dims);
  if (status != miopenStatusSuccess || count != 4) return miopenStatusBadParm;
  *n = dims[0];
  *c = dims[1];
  *h = dims[2];
  *w = dims[3];
  return status;
}

inline miopenStatus_t miopenConvolutionForwardGetSolutionCount(miopenHandle_t, const miopenTensorDescriptor_t w_desc,
                                                               const miopenTensorDescriptor_t x_desc,
                                                               const miopenConvolutionDescriptor_t conv,
                                                               const miopenTensorDescriptor_t y_desc, size_t* count) {
  *count = hipport::cpu::dnn::fits(*conv, *x_desc, *w_desc, *y_desc) ? 1 : 0;
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenConvolutionForwardGetSolution(miopenHandle_t, const miopenTensorDescriptor_t w_desc,
                                                          const miopenTensorDescriptor_t x_desc,
                                                          const miopenConvolutionDescriptor_t conv,
                                                          const miopenTensorDescriptor_t y_desc, const size_t most,
                                                          size_t* count, miopenConvSolution_t* solutions) {
  return hipport::cpu::dnn::describe_solution(hipport::cpu::dnn::fits(*conv, *x_desc, *w_desc, *y_desc), most, count,
                                              solutions);
}
inline miopenStatus_t miopenConvolutionForwardGetSolutionWorkspaceSize(miopenHandle_t, const miopenTensorDescriptor_t,
                                                                       const miopenTensorDescriptor_t,
                                                                       const miopenConvolutionDescriptor_t,
                                                                       const miopenTensorDescriptor_t, const uint64_t,
                                                                       size_t* size) {
  *size = 0;
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenConvolutionForwardCompileSolution(miopenHandle_t, const miopenTensorDescriptor_t,
                                                              const miopenTensorDescriptor_t,
                                                              const miopenConvolutionDescriptor_t,
                                                              const miopenTensorDescriptor_t, const uint64_t) {
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenConvolutionForwardGetWorkSpaceSize(miopenHandle_t, const miopenTensorDescriptor_t,
                                                               const miopenTensorDescriptor_t,
                                                               const miopenConvolutionDescriptor_t,
                                                               const miopenTensorDescriptor_t, size_t* size) {
  *size = 0;
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenConvolutionForwardImmediate(miopenHandle_t handle, const miopenTensorDescriptor_t w_desc,
                                                        const void* w, const miopenTensorDescriptor_t x_desc,
                                                        const void* x, const miopenConvolutionDescriptor_t conv,
                                                        const miopenTensorDescriptor_t y_desc, void* y, void*, size_t,
                                                        const uint64_t id) {
  using namespace hipport::cpu::dnn;
  if (id != solution_id) return miopenStatusBadParm;
  return run_convolution(handle, Direction::forward, conv, x_desc, x, w_desc, w, y_desc, y);
}
inline miopenStatus_t miopenFindConvolutionForwardAlgorithm(miopenHandle_t, const miopenTensorDescriptor_t x_desc,
                                                            const void*, const miopenTensorDescriptor_t w_desc,
                                                            const void*, const miopenConvolutionDescriptor_t conv,
                                                            const miopenTensorDescriptor_t y_desc, void*,
                                                            const int requested, int* returned,
                                                            miopenConvAlgoPerf_t* results, void*, size_t, bool) {
  return hipport::cpu::dnn::found(hipport::cpu::dnn::fits(*conv, *x_desc, *w_desc, *y_desc), requested, returned,
                                  results);
}
inline miopenStatus_t miopenConvolutionForward(miopenHandle_t handle, const void* alpha,
                                               const miopenTensorDescriptor_t x_desc, const void* x,
                                               const miopenTensorDescriptor_t w_desc, const void* w,
                                               const miopenConvolutionDescriptor_t conv, miopenConvFwdAlgorithm_t,
                                               const void* beta, const miopenTensorDescriptor_t y_desc, void* y, void*,
                                               size_t) {
  using namespace hipport::cpu::dnn;
  if (!overwrites(alpha, beta)) return miopenStatusNotImplemented;
  return run_convolution(handle, Direction::forward, conv, x_desc, x, w_desc, w, y_desc, y);
}

inline miopenStatus_t miopenConvolutionBackwardDataGetSolutionCount(
    miopenHandle_t, const miopenTensorDescriptor_t y_desc, const miopenTensorDescriptor_t w_desc,
    const miopenConvolutionDescriptor_t conv, const miopenTensorDescriptor_t x_desc, size_t* count) {
  *count = hipport::cpu::dnn::fits(*conv, *x_desc, *w_desc, *y_desc) ? 1 : 0;
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenConvolutionBackwardDataGetSolution(miopenHandle_t, const miopenTensorDescriptor_t y_desc,
                                                               const miopenTensorDescriptor_t w_desc,
                                                               const miopenConvolutionDescriptor_t conv,
                                                               const miopenTensorDescriptor_t x_desc, const size_t most,
                                                               size_t* count, miopenConvSolution_t* solutions) {
  return hipport::cpu::dnn::describe_solution(hipport::cpu::dnn::fits(*conv, *x_desc, *w_desc, *y_desc), most, count,
                                              solutions);
}
inline miopenStatus_t miopenConvolutionBackwardDataGetSolutionWorkspaceSize(
    miopenHandle_t, const miopenTensorDescriptor_t, const miopenTensorDescriptor_t, const miopenConvolutionDescriptor_t,
    const miopenTensorDescriptor_t, const uint64_t, size_t* size) {
  *size = 0;
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenConvolutionBackwardDataCompileSolution(miopenHandle_t, const miopenTensorDescriptor_t,
                                                                   const miopenTensorDescriptor_t,
                                                                   const miopenConvolutionDescriptor_t,
                                                                   const miopenTensorDescriptor_t, const uint64_t) {
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenConvolutionBackwardDataGetWorkSpaceSize(miopenHandle_t, const miopenTensorDescriptor_t,
                                                                    const miopenTensorDescriptor_t,
                                                                    const miopenConvolutionDescriptor_t,
                                                                    const miopenTensorDescriptor_t, size_t* size) {
  *size = 0;
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenConvolutionBackwardDataImmediate(miopenHandle_t handle,
                                                             const miopenTensorDescriptor_t y_desc, const void* y,
                                                             const miopenTensorDescriptor_t w_desc, const void* w,
                                                             const miopenConvolutionDescriptor_t conv,
                                                             const miopenTensorDescriptor_t x_desc, void* x, void*,
                                                             size_t, const uint64_t id) {
  using namespace hipport::cpu::dnn;
  if (id != solution_id) return miopenStatusBadParm;
  return run_convolution(handle, Direction::data, conv, x_desc, x, w_desc, w, y_desc, y);
}
inline miopenStatus_t miopenFindConvolutionBackwardDataAlgorithm(miopenHandle_t, const miopenTensorDescriptor_t y_desc,
                                                                 const void*, const miopenTensorDescriptor_t w_desc,
                                                                 const void*, const miopenConvolutionDescriptor_t conv,
                                                                 const miopenTensorDescriptor_t x_desc, void*,
                                                                 const int requested, int* returned,
                                                                 miopenConvAlgoPerf_t* results, void*, size_t, bool) {
  return hipport::cpu::dnn::found(hipport::cpu::dnn::fits(*conv, *x_desc, *w_desc, *y_desc), requested, returned,
                                  results);
}
inline miopenStatus_t miopenConvolutionBackwardData(miopenHandle_t handle, const void* alpha,
                                                    const miopenTensorDescriptor_t y_desc, const void* y,
                                                    const miopenTensorDescriptor_t w_desc, const void* w,
                                                    const miopenConvolutionDescriptor_t conv,
                                                    miopenConvBwdDataAlgorithm_t, const void* beta,
                                                    const miopenTensorDescriptor_t x_desc, void* x, void*, size_t) {
  using namespace hipport::cpu::dnn;
  if (!overwrites(alpha, beta)) return miopenStatusNotImplemented;
  return run_convolution(handle, Direction::data, conv, x_desc, x, w_desc, w, y_desc, y);
}

inline miopenStatus_t miopenConvolutionBackwardWeightsGetSolutionCount(
    miopenHandle_t, const miopenTensorDescriptor_t y_desc, const miopenTensorDescriptor_t x_desc,
    const miopenConvolutionDescriptor_t conv, const miopenTensorDescriptor_t w_desc, size_t* count) {
  *count = hipport::cpu::dnn::fits(*conv, *x_desc, *w_desc, *y_desc) ? 1 : 0;
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenConvolutionBackwardWeightsGetSolution(miopenHandle_t, const miopenTensorDescriptor_t y_desc,
                                                                  const miopenTensorDescriptor_t x_desc,
                                                                  const miopenConvolutionDescriptor_t conv,
                                                                  const miopenTensorDescriptor_t w_desc,
                                                                  const size_t most, size_t* count,
                                                                  miopenConvSolution_t* solutions) {
  return hipport::cpu::dnn::describe_solution(hipport::cpu::dnn::fits(*conv, *x_desc, *w_desc, *y_desc), most, count,
                                              solutions);
}
inline miopenStatus_t miopenConvolutionBackwardWeightsGetSolutionWorkspaceSize(
    miopenHandle_t, const miopenTensorDescriptor_t, const miopenTensorDescriptor_t, const miopenConvolutionDescriptor_t,
    const miopenTensorDescriptor_t, const uint64_t, size_t* size) {
  *size = 0;
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenConvolutionBackwardWeightsCompileSolution(miopenHandle_t, const miopenTensorDescriptor_t,
                                                                      const miopenTensorDescriptor_t,
                                                                      const miopenConvolutionDescriptor_t,
                                                                      const miopenTensorDescriptor_t, const uint64_t) {
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenConvolutionBackwardWeightsGetWorkSpaceSize(miopenHandle_t, const miopenTensorDescriptor_t,
                                                                       const miopenTensorDescriptor_t,
                                                                       const miopenConvolutionDescriptor_t,
                                                                       const miopenTensorDescriptor_t, size_t* size) {
  *size = 0;
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenConvolutionBackwardWeightsImmediate(miopenHandle_t handle,
                                                                const miopenTensorDescriptor_t y_desc, const void* y,
                                                                const miopenTensorDescriptor_t x_desc, const void* x,
                                                                const miopenConvolutionDescriptor_t conv,
                                                                const miopenTensorDescriptor_t w_desc, void* w, void*,
                                                                size_t, const uint64_t id) {
  using namespace hipport::cpu::dnn;
  if (id != solution_id) return miopenStatusBadParm;
  return run_convolution(handle, Direction::weights, conv, x_desc, x, w_desc, w, y_desc, y);
}
inline miopenStatus_t miopenFindConvolutionBackwardWeightsAlgorithm(
    miopenHandle_t, const miopenTensorDescriptor_t y_desc, const void*, const miopenTensorDescriptor_t x_desc,
    const void*, const miopenConvolutionDescriptor_t conv, const miopenTensorDescriptor_t w_desc, void*,
    const int requested, int* returned, miopenConvAlgoPerf_t* results, void*, size_t, bool) {
  return hipport::cpu::dnn::found(hipport::cpu::dnn::fits(*conv, *x_desc, *w_desc, *y_desc), requested, returned,
                                  results);
}
inline miopenStatus_t miopenConvolutionBackwardWeights(miopenHandle_t handle, const void* alpha,
                                                       const miopenTensorDescriptor_t y_desc, const void* y,
                                                       const miopenTensorDescriptor_t x_desc, const void* x,
                                                       const miopenConvolutionDescriptor_t conv,
                                                       miopenConvBwdWeightsAlgorithm_t, const void* beta,
                                                       const miopenTensorDescriptor_t w_desc, void* w, void*, size_t) {
  using namespace hipport::cpu::dnn;
  if (!overwrites(alpha, beta)) return miopenStatusNotImplemented;
  return run_convolution(handle, Direction::weights, conv, x_desc, x, w_desc, w, y_desc, y);
}

inline miopenStatus_t miopenConvolutionForwardBias(miopenHandle_t handle, const void* alpha,
                                                   const miopenTensorDescriptor_t b_desc, const void* b,
                                                   const void* beta, const miopenTensorDescriptor_t y_desc, void* y) {
  using namespace hipport::cpu::dnn;
  if (!overwrites(alpha, beta)) return miopenStatusNotImplemented;
  return submit(handle, [=, bt = *b_desc, yt = *y_desc] {
    const Values bias = broadcast(bt, b, yt.dims);
    Values result = values(yt, y);
    for (size_t i = 0; i < result.size(); ++i) result[i] += bias[i];
    assign(yt, y, result);
  });
}
inline miopenStatus_t miopenConvolutionBackwardBias(miopenHandle_t handle, const void* alpha,
                                                    const miopenTensorDescriptor_t dy_desc, const void* dy,
                                                    const void* beta, const miopenTensorDescriptor_t db_desc,
                                                    void* db) {
  using namespace hipport::cpu::dnn;
  if (!overwrites(alpha, beta)) return miopenStatusNotImplemented;
  if (dy_desc->dims.size() < 2 || db_desc->dims.size() < 2 || dy_desc->dims[1] != db_desc->dims[1])
    return miopenStatusBadParm;
  return submit(handle, [=, from = *dy_desc, to = *db_desc] {
    const Values gradient = values(from, dy);
    const size_t channels = static_cast<size_t>(from.dims[1]);
    const size_t spatial = gradient.size() / static_cast<size_t>(from.dims[0]) / channels;
    Values sums(channels);
    for (size_t i = 0; i < gradient.size(); ++i) sums[i / spatial % channels] += gradient[i];
    assign(to, db, sums);
  });
}
