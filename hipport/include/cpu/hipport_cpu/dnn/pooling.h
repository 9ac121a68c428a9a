// SPDX-License-Identifier: MIT
// MIOpen: pooling.
#pragma once

#include "tensor.h"

namespace hipport::cpu::dnn {

inline size_t bytes_of(miopenIndexType_t type) { return size_t{1} << type; }

// The part of the input under a window: for each spatial dimension its begin and end, and the size with padding.
struct Window {
  int begin[3] = {0, 0, 0}, end[3] = {1, 1, 1};
  double inside = 1, whole = 1;
};

// One plane of a pooling, with three spatial dimensions.
class Plane {
 public:
  Plane(const miopenPoolingDescriptor& pooling, const std::vector<int>& in, const std::vector<int>& out)
      : pooling_(pooling), rank_(pooling.window.size()) {
    for (size_t d = 0; d < rank_; ++d) {
      in_[3 - rank_ + d] = in[d + 2];
      out_[3 - rank_ + d] = out[d + 2];
    }
  }
  size_t in_size() const {
    return static_cast<size_t>(in_[0]) * static_cast<size_t>(in_[1]) * static_cast<size_t>(in_[2]);
  }
  size_t out_size() const {
    return static_cast<size_t>(out_[0]) * static_cast<size_t>(out_[1]) * static_cast<size_t>(out_[2]);
  }

  Window window(size_t output) const {
    const int at[] = {static_cast<int>(output) / (out_[1] * out_[2]), static_cast<int>(output) / out_[2] % out_[1],
                      static_cast<int>(output) % out_[2]};
    Window w;
    for (size_t d = 3 - rank_; d < 3; ++d) {
      const size_t p = d - (3 - rank_);
      const int first = at[d] * pooling_.stride[p] - pooling_.padding[p];
      const int last = std::min(first + pooling_.window[p], in_[d] + pooling_.padding[p]);
      w.begin[d] = std::max(first, 0);
      w.end[d] = std::min(last, in_[d]);
      w.inside *= std::max(w.end[d] - w.begin[d], 0);
      w.whole *= pooling_.window[p];
    }
    return w;
  }

  template <typename Visit>
  void each(const Window& w, Visit visit) const {
    for (int a = w.begin[0]; a < w.end[0]; ++a)
      for (int b = w.begin[1]; b < w.end[1]; ++b)
        for (int c = w.begin[2]; c < w.end[2]; ++c) visit(static_cast<size_t>((a * in_[1] + b) * in_[2] + c));
  }

  double divisor(const Window& w) const { return pooling_.mode == miopenPoolingAverage ? w.inside : w.whole; }

 private:
  const miopenPoolingDescriptor& pooling_;
  size_t rank_;
  int in_[3] = {1, 1, 1}, out_[3] = {1, 1, 1};
};

// Return the position of the maximum, the first of equal ones; NaN counts as less than all others.
inline size_t largest(const Plane& plane, const Window& w, const double* in) {
  size_t best = SIZE_MAX;
  plane.each(w, [&](size_t i) {
    if (best == SIZE_MAX || in[i] > in[best] || (std::isnan(in[best]) && !std::isnan(in[i]))) best = i;
  });
  return best;
}

inline void pool(const miopenPoolingDescriptor& pooling, const Tensor& from, const void* x, const Tensor& to, void* y) {
  const Values in = values(from, x);
  const Plane plane(pooling, from.dims, to.dims);
  Values out(count_of(to.dims));
  for (size_t i = 0; i < out.size(); ++i) {
    const double* const source = &in[i / plane.out_size() * plane.in_size()];
    const Window w = plane.window(i % plane.out_size());
    if (pooling.mode == miopenPoolingMax) {
      const size_t at = largest(plane, w, source);
      out[i] = at == SIZE_MAX ? -HUGE_VAL : source[at];
    } else {
      plane.each(w, [&](size_t at) { out[i] += source[at]; });
      out[i] = plane.divisor(w) == 0 ? 0 : out[i] / plane.divisor(w);
    }
  }
  assign(to, y, out);
}

inline void pool_backward(const miopenPoolingDescriptor& pooling, const Tensor& in_tensor, const void* x,
                          const Tensor& gradient_tensor, const void* dy, const Tensor& to, void* dx) {
  const Values in = values(in_tensor, x), gradient = values(gradient_tensor, dy);
  const Plane plane(pooling, in_tensor.dims, gradient_tensor.dims);
  Values out(count_of(to.dims));
  for (size_t i = 0; i < gradient.size(); ++i) {
    const size_t base = i / plane.out_size() * plane.in_size();
    const Window w = plane.window(i % plane.out_size());
    if (pooling.mode == miopenPoolingMax) {
      const size_t at = largest(plane, w, &in[base]);
      if (at != SIZE_MAX) out[base + at] += gradient[i];
    } else if (plane.divisor(w) != 0) {
      plane.each(w, [&](size_t at) { out[base + at] += gradient[i] / plane.divisor(w); });
    }
  }
  assign(to, dx, out);
}

inline bool pools(const miopenPoolingDescriptor& pooling, const Tensor& in, const Tensor& out) {
  const size_t rank = pooling.window.size();
  return (rank == 2 || rank == 3) && in.dims.size() == rank + 2 && out.dims.size() == rank + 2 &&
         in.dims[0] == out.dims[0] && in.dims[1] == out.dims[1];
}

}  // namespace hipport::cpu::dnn

inline miopenStatus_t miopenCreatePoolingDescriptor(miopenPoolingDescriptor_t* desc) {
  return hipport::cpu::dnn::create(desc);
}
inline miopenStatus_t miopenDestroyPoolingDescriptor(miopenPoolingDescriptor_t desc) {
  return hipport::cpu::dnn::destroy(desc);
}
inline miopenStatus_t miopenSetNdPoolingDescriptor(miopenPoolingDescriptor_t desc, const miopenPoolingMode_t mode,
                                                   int count, const int* window, const int* padding,
                                                   const int* stride) {
  desc->mode = mode;
  desc->window.assign(window, window + count);
  desc->padding.assign(padding, padding + count);
  desc->stride.assign(stride, stride + count);
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenSet2dPoolingDescriptor(miopenPoolingDescriptor_t desc, miopenPoolingMode_t mode,
                                                   int window_h, int window_w, int padding_h, int padding_w,
                                                   int stride_h, int stride_w) {
  const int window[] = {window_h, window_w}, padding[] = {padding_h, padding_w}, stride[] = {stride_h, stride_w};
  return miopenSetNdPoolingDescriptor(desc, mode, 2, window, padding, stride);
}
inline miopenStatus_t miopenSetPoolingIndexType(miopenPoolingDescriptor_t desc, miopenIndexType_t type) {
  desc->index = type;
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenGetPoolingIndexType(miopenPoolingDescriptor_t desc, miopenIndexType_t* type) {
  *type = desc->index;
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenSetPoolingWorkSpaceIndexMode(miopenPoolingDescriptor_t desc,
                                                         miopenPoolingWorkspaceIndexMode_t mode) {
  desc->index_mode = mode;
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenGetPoolingNdForwardOutputDim(const miopenPoolingDescriptor_t desc,
                                                         const miopenTensorDescriptor_t in, int count, int* dims) {
  if (static_cast<size_t>(count) != in->dims.size()) return miopenStatusBadParm;
  dims[0] = in->dims[0];
  dims[1] = in->dims[1];
  for (size_t d = 0; d < desc->window.size(); ++d)
    dims[d + 2] = std::max(1, (in->dims[d + 2] + 2 * desc->padding[d] - desc->window[d]) / desc->stride[d] + 1);
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenGetPoolingForwardOutputDim(const miopenPoolingDescriptor_t desc,
                                                       const miopenTensorDescriptor_t in, int* n, int* c, int* h,
                                                       int* w) {
  int dims[4];
  const miopenStatus_t status = miopenGetPoolingNdForwardOutputDim(desc, in, 4, dims);
  if (status != miopenStatusSuccess) return status;
  *n = dims[0];
  *c = dims[1];
  *h = dims[2];
  *w = dims[3];
  return status;
}
// The positions of the maxima. The backward pass here finds them again and ignores these.
inline miopenStatus_t miopenPoolingGetWorkSpaceSizeV2(const miopenPoolingDescriptor_t desc,
                                                      const miopenTensorDescriptor_t y, size_t* size) {
  const size_t elements = hipport::cpu::dnn::count_of(y->dims);
  *size = desc->mode == miopenPoolingMax ? elements * hipport::cpu::dnn::bytes_of(desc->index) : 0;
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenPoolingForward(miopenHandle_t handle, const miopenPoolingDescriptor_t desc,
                                           const void* alpha, const miopenTensorDescriptor_t x_desc, const void* x,
                                           const void* beta, const miopenTensorDescriptor_t y_desc, void* y,
                                           bool do_backward, void* workspace, size_t) {
  using namespace hipport::cpu::dnn;
  if (!overwrites(alpha, beta) || !pools(*desc, *x_desc, *y_desc)) return miopenStatusBadParm;
  if (do_backward && desc->mode == miopenPoolingMax && workspace == nullptr) return miopenStatusBadParm;
  return submit(handle, [=, pooling = *desc, from = *x_desc, to = *y_desc] { pool(pooling, from, x, to, y); });
}
inline miopenStatus_t miopenPoolingBackward(miopenHandle_t handle, const miopenPoolingDescriptor_t desc,
                                            const void* alpha, const miopenTensorDescriptor_t, const void*,
                                            const miopenTensorDescriptor_t dy_desc, const void* dy,
                                            const miopenTensorDescriptor_t x_desc, const void* x, const void* beta,
                                            const miopenTensorDescriptor_t dx_desc, void* dx, void* workspace) {
  using namespace hipport::cpu::dnn;
  if (!overwrites(alpha, beta) || !pools(*desc, *x_desc, *dy_desc) || x_desc->dims != dx_desc->dims)
    return miopenStatusBadParm;
  if (desc->mode == miopenPoolingMax && workspace == nullptr) return miopenStatusBadParm;
  return submit(handle, [=, pooling = *desc, xt = *x_desc, dyt = *dy_desc, to = *dx_desc] {
    pool_backward(pooling, xt, x, dyt, dy, to, dx);
  });
}
