// SPDX-License-Identifier: MIT
// Convolutions and their derivatives: with oneDNN in float, or in loops in double.
#pragma once

#include "onednn.h"
#include "tensor.h"

namespace hipport::cpu::dnn {

enum class Direction { forward, data, weights };

// The shape of a convolution with three spatial dimensions; those that a program does not have are 1.
struct Shape {
  int64_t n = 1, groups = 1, in_channels = 1, out_channels = 1;
  int rank = 2;
  int64_t in[3] = {1, 1, 1}, out[3] = {1, 1, 1}, window[3] = {1, 1, 1};
  int64_t padding[3] = {0, 0, 0}, stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1};
};

inline Shape shape_of(const miopenConvolutionDescriptor& conv, const Tensor& x, const Tensor& w, const Tensor& y) {
  Shape s;
  s.rank = static_cast<int>(conv.padding.size());
  s.n = x.dims[0];
  s.groups = conv.groups;
  s.in_channels = x.dims[1];
  s.out_channels = y.dims[1];
  for (size_t d = 0, to = static_cast<size_t>(3 - s.rank); to < 3; ++d, ++to) {
    s.in[to] = x.dims[d + 2];
    s.out[to] = y.dims[d + 2];
    s.window[to] = w.dims[d + 2];
    s.padding[to] = conv.padding[d];
    s.stride[to] = conv.stride[d];
    s.dilation[to] = conv.dilation[d];
  }
  return s;
}

inline bool fits(const miopenConvolutionDescriptor& conv, const Tensor& x, const Tensor& w, const Tensor& y) {
  const size_t rank = conv.padding.size();
  if (x.dims.size() != rank + 2 || w.dims.size() != rank + 2 || y.dims.size() != rank + 2) return false;
  if (x.dims[0] != y.dims[0] || y.dims[1] != w.dims[0] || x.dims[1] != w.dims[1] * conv.groups ||
      y.dims[1] % conv.groups != 0 || conv.mode == miopenTranspose)
    return false;
  for (size_t d = 0; d < rank; ++d) {
    const int extent = (w.dims[d + 2] - 1) * conv.dilation[d] + 1;
    if (y.dims[d + 2] != (x.dims[d + 2] + 2 * conv.padding[d] - extent) / conv.stride[d] + 1) return false;
  }
  return true;
}

// Call `visit(x, w, y)` with the positions of all products, for the sums over one dimension after the other.
template <typename Visit>
void each_product(const Shape& s, Visit visit) {
  const int64_t in_per_group = s.in_channels / s.groups, out_per_group = s.out_channels / s.groups;
  const auto at = [&s](int d, int64_t output, int64_t tap) {
    return output * s.stride[d] - s.padding[d] + tap * s.dilation[d];
  };
  const auto inside = [&s](int d, int64_t position) { return position >= 0 && position < s.in[d]; };
  for (int64_t n = 0; n < s.n; ++n)
    for (int64_t k = 0; k < s.out_channels; ++k)
      for (int64_t c = 0; c < in_per_group; ++c)
        for (int64_t a = 0; a < s.out[0] * s.window[0]; ++a)
          for (int64_t b = 0; b < s.out[1] * s.window[1]; ++b) {
            const int64_t ia = at(0, a / s.window[0], a % s.window[0]), ib = at(1, b / s.window[1], b % s.window[1]);
            if (!inside(0, ia) || !inside(1, ib)) continue;
            const int64_t channel = n * s.in_channels + k / out_per_group * in_per_group + c;
            const int64_t x = ((channel * s.in[0] + ia) * s.in[1] + ib) * s.in[2];
            const int64_t w =
                (((k * in_per_group + c) * s.window[0] + a % s.window[0]) * s.window[1] + b % s.window[1]) *
                s.window[2];
            const int64_t y =
                (((n * s.out_channels + k) * s.out[0] + a / s.window[0]) * s.out[1] + b / s.window[1]) * s.out[2];
            for (int64_t o = 0; o < s.out[2]; ++o)
              for (int64_t t = 0; t < s.window[2]; ++t)
                if (const int64_t i = at(2, o, t); inside(2, i))
                  visit(static_cast<size_t>(x + i), static_cast<size_t>(w + t), static_cast<size_t>(y + o));
          }
}

inline void convolve_in_loops(const Shape& s, Direction direction, Values& x, Values& w, Values& y) {
  switch (direction) {
    case Direction::forward:
      std::fill(y.begin(), y.end(), 0.0);
      each_product(s, [&](size_t i, size_t j, size_t k) { y[k] += x[i] * w[j]; });
      break;
    case Direction::data:
      std::fill(x.begin(), x.end(), 0.0);
      each_product(s, [&](size_t i, size_t j, size_t k) { x[i] += y[k] * w[j]; });
      break;
    default:
      std::fill(w.begin(), w.end(), 0.0);
      each_product(s, [&](size_t i, size_t j, size_t k) { w[j] += x[i] * y[k]; });
  }
}

// A convolution in oneDNN. Dilations count from 0 there, and groups are a dimension of the weights.
class DnnConvolution {
 public:
  DnnConvolution(const OneDnn& dnn, const Shape& s) : dnn_(dnn) {
    const auto spatial = [&s](const int64_t* from, int64_t less) {
      std::vector<int64_t> result(12);
      for (int d = 0; d < s.rank; ++d) result[static_cast<size_t>(d)] = from[3 - s.rank + d] - less;
      return result;
    };
    stride_ = spatial(s.stride, 0);
    dilation_ = spatial(s.dilation, 1);
    padding_ = spatial(s.padding, 0);
    after_ = padding_;
    for (size_t d = 0; d < static_cast<size_t>(s.rank); ++d) {
      // Padding behind the last window may differ, because a window that does not fit is left out.
      const size_t at = d + static_cast<size_t>(3 - s.rank);
      after_[d] = (s.out[at] - 1) * s.stride[at] + (s.window[at] - 1) * s.dilation[at] + 1 - s.in[at] - s.padding[at];
    }
  }
  ~DnnConvolution() {
    if (primitive_ != nullptr) dnn_.call("dnnl_primitive_destroy", primitive_);
    if (derivative_ != nullptr) dnn_.call("dnnl_primitive_desc_destroy", derivative_);
    if (forward_ != nullptr) dnn_.call("dnnl_primitive_desc_destroy", forward_);
    if (stream_ != nullptr) dnn_.call("dnnl_stream_destroy", stream_);
  }
  DnnConvolution(const DnnConvolution&) = delete;
  DnnConvolution& operator=(const DnnConvolution&) = delete;

  // Return whether oneDNN has computed it.
  bool run(Direction direction, const DnnMemory& x, const DnnMemory& w, const DnnMemory& y) {
    if (!x.ok() || !w.ok() || !y.ok() || !describe(direction, x, w, y)) return false;
    OneDnn::Argument arguments[3] = {
        {direction == Direction::data ? OneDnn::source_gradient : OneDnn::source, x.memory()},
        {direction == Direction::weights ? OneDnn::weights_gradient : OneDnn::weights, w.memory()},
        {direction == Direction::forward ? OneDnn::destination : OneDnn::destination_gradient, y.memory()}};
    const OneDnn::Object description = direction == Direction::forward ? forward_ : derivative_;
    return dnn_.call("dnnl_primitive_create", &primitive_, description) &&
           dnn_.call("dnnl_stream_create", &stream_, dnn_.engine(), 1U) &&
           dnn_.call("dnnl_primitive_execute", primitive_, stream_, 3, arguments) &&
           dnn_.call("dnnl_stream_wait", stream_);
  }

 private:
  static constexpr OneDnn::Object none = nullptr;

  bool describe(Direction direction, const DnnMemory& x, const DnnMemory& w, const DnnMemory& y) {
    OneDnn::Object a = x.description(), b = w.description(), c = y.description();
    if (dnn_.is_version_2()) return describe_2(direction, a, b, c);
    if (!dnn_.call("dnnl_convolution_forward_primitive_desc_create", &forward_, dnn_.engine(), OneDnn::forward,
                   OneDnn::direct, a, b, none, c, stride_.data(), dilation_.data(), padding_.data(), after_.data(),
                   none))
      return false;
    if (direction == Direction::data)
      return dnn_.call("dnnl_convolution_backward_data_primitive_desc_create", &derivative_, dnn_.engine(),
                       OneDnn::direct, a, b, c, stride_.data(), dilation_.data(), padding_.data(), after_.data(),
                       forward_, none);
    if (direction == Direction::weights)
      return dnn_.call("dnnl_convolution_backward_weights_primitive_desc_create", &derivative_, dnn_.engine(),
                       OneDnn::direct, a, b, none, c, stride_.data(), dilation_.data(), padding_.data(), after_.data(),
                       forward_, none);
    return true;
  }

  bool describe_2(Direction direction, OneDnn::Object a, OneDnn::Object b, OneDnn::Object c) {
    std::vector<char> operation(65536);  // dnnl_convolution_desc_t
    void* const op = operation.data();
    if (!dnn_.call("dnnl_dilated_convolution_forward_desc_init", op, OneDnn::forward, OneDnn::direct, a, b, none, c,
                   stride_.data(), dilation_.data(), padding_.data(), after_.data()) ||
        !dnn_.call("dnnl_primitive_desc_create", &forward_, op, none, dnn_.engine(), none))
      return false;
    if (direction == Direction::forward) return true;
    const bool described =
        direction == Direction::data
            ? dnn_.call("dnnl_dilated_convolution_backward_data_desc_init", op, OneDnn::direct, a, b, c, stride_.data(),
                        dilation_.data(), padding_.data(), after_.data())
            : dnn_.call("dnnl_dilated_convolution_backward_weights_desc_init", op, OneDnn::direct, a, b, none, c,
                        stride_.data(), dilation_.data(), padding_.data(), after_.data());
    return described && dnn_.call("dnnl_primitive_desc_create", &derivative_, op, none, dnn_.engine(), forward_);
  }

  const OneDnn& dnn_;
  std::vector<int64_t> stride_, dilation_, padding_, after_;
  OneDnn::Object forward_ = nullptr, derivative_ = nullptr, primitive_ = nullptr, stream_ = nullptr;
};

inline std::vector<int64_t> dnn_dims(int64_t first, int64_t second, int rank, const int64_t* spatial) {
  std::vector<int64_t> dims = {first, second};
  dims.insert(dims.end(), spatial + 3 - rank, spatial + 3);
  return dims;
}

// Return whether oneDNN has computed it. Half precision is computed in float, as by MIOpen.
inline bool convolve_in_onednn(const Shape& s, Direction direction, std::vector<float>& x, std::vector<float>& w,
                               std::vector<float>& y) {
  const OneDnn* const dnn = OneDnn::get();
  if (dnn == nullptr) return false;
  std::vector<int64_t> weights = dnn_dims(s.out_channels / s.groups, s.in_channels / s.groups, s.rank, s.window);
  if (s.groups > 1) weights.insert(weights.begin(), s.groups);
  const DnnMemory source(*dnn, dnn_dims(s.n, s.in_channels, s.rank, s.in), x.data());
  const DnnMemory filter(*dnn, weights, w.data());
  const DnnMemory result(*dnn, dnn_dims(s.n, s.out_channels, s.rank, s.out), y.data());
  return DnnConvolution(*dnn, s).run(direction, source, filter, result);
}

// Compute what `direction` says from the other two tensors.
inline void convolve(const miopenConvolutionDescriptor& conv, Direction direction, const Tensor& xt, void* x,
                     const Tensor& wt, void* w, const Tensor& yt, void* y) {
  const Shape s = shape_of(conv, xt, wt, yt);
  const Tensor& target = direction == Direction::forward ? yt : direction == Direction::data ? xt : wt;
  void* const to = direction == Direction::forward ? y : direction == Direction::data ? x : w;
  const auto pick = [&](auto& a, auto& b, auto& c) -> auto& {
    return direction == Direction::forward ? c : direction == Direction::data ? a : b;
  };
  const auto all = [&](auto zero, const Tensor& tensor, const void* data) {
    using T = decltype(zero);
    return &tensor == &target ? std::vector<T>(count_of(tensor.dims)) : values<T>(tensor, data);
  };
  if (target.type != miopenDouble && target.type != miopenInt32 && OneDnn::get() != nullptr) {
    std::vector<float> a = all(0.0f, xt, x), b = all(0.0f, wt, w), c = all(0.0f, yt, y);
    if (convolve_in_onednn(s, direction, a, b, c)) return assign(target, to, pick(a, b, c));
  }
  Values a = all(0.0, xt, x), b = all(0.0, wt, w), c = all(0.0, yt, y);
  convolve_in_loops(s, direction, a, b, c);
  assign(target, to, pick(a, b, c));
}

}  // namespace hipport::cpu::dnn
