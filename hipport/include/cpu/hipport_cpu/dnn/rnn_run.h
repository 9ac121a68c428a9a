// SPDX-License-Identifier: MIT
// Recurrent networks over sequences: the order of the steps, and what is kept for the backward passes.
#pragma once

#include "rnn.h"

namespace hipport::cpu::dnn {

// Return the offset of the vector of one item at one step, in elements.
inline size_t offset_of(const Sequence& s, int item, int step) {
  const size_t vector = static_cast<size_t>(s.vector);
  if (s.layout == miopenRNNDataSeqMajorPadded) return static_cast<size_t>(step * s.batch + item) * vector;
  if (s.layout == miopenRNNDataBatchMajorPadded) return static_cast<size_t>(item * s.steps + step) * vector;
  size_t before = 0;
  for (int t = 0; t < step; ++t)
    for (const int length : s.lengths) before += length > t;
  for (int i = 0; i < item; ++i) before += s.lengths[static_cast<size_t>(i)] > step;
  return before * vector;
}

// Everything of one pass: per cell, item and step the inputs, states, memories and gradients, in double.
class Network {
 public:
  Network(const miopenRNNDescriptor& rnn, const Sequence& x, const void* weights)
      : rnn_(rnn), x_(x), weights_(rnn, x.vector) {
    w_.resize(weights_.count());
    for (size_t i = 0; i < w_.size(); ++i) w_[i] = load(rnn.type, weights, i);
    widest_ = std::max(static_cast<size_t>(x.vector), hidden() * static_cast<size_t>(weights_.directions()));
  }

  // The reserve space holds, for each cell, item and step: the input, the memory of the units, h and c before and the
  // gradients of the sums that a backward pass by data leaves for that by weights.
  size_t record_size() const {
    return widest_ + hidden() * (Cell::per_unit + 2 + 2 * static_cast<size_t>(weights_.gates()));
  }
  size_t reserve_bytes() const {
    return record_size() * static_cast<size_t>(weights_.cells() * x_.batch * x_.steps) * sizeof(double);
  }

  void forward(const void* x, const Sequence& y_desc, void* y, const void* hx, const void* cx, void* hy, void* cy,
               double* reserve) {
    const int directions = weights_.directions();
    Values scratch(record_size());
    for (int item = 0; item < x_.batch; ++item) {
      const int length = x_.lengths[static_cast<size_t>(item)];
      Values below = inputs(x, item, length);
      size_t width = static_cast<size_t>(x_.vector);
      for (int layer = 0; layer < rnn_.layers; ++layer) {
        const size_t out = hidden() * static_cast<size_t>(directions);
        Values above(out * static_cast<size_t>(length));
        for (int d = 0; d < directions; ++d) {
          const int cell = layer * directions + d;
          Values h = state(hx, cell, item), c = state(cx, cell, item), h_next(hidden()), c_next(hidden());
          for (int i = 0; i < length; ++i) {
            const int step = d == 0 ? i : length - 1 - i;
            double* const record = reserve == nullptr ? scratch.data() : at(reserve, cell, item, step);
            std::copy_n(&below[static_cast<size_t>(step) * width], width, record);
            std::copy(h.begin(), h.end(), record + h_place());
            std::copy(c.begin(), c.end(), record + h_place() + hidden());
            Cell(rnn_, weights_, w_, cell)
                .forward(record, h.data(), c.data(), h_next.data(), c_next.data(), record + widest_);
            h = h_next;
            c = c_next;
            std::copy(h.begin(), h.end(), &above[static_cast<size_t>(step) * out + static_cast<size_t>(d) * hidden()]);
          }
          set_state(hy, cell, item, h);
          if (rnn_.mode == miopenLSTM) set_state(cy, cell, item, c);
        }
        below = above;
        width = out;
      }
      write(y_desc, y, item, length, below);
    }
  }

  void backward_data(const Sequence& y_desc, const void* dy, const void* dhy, const void* dcy, void* dx, void* dhx,
                     void* dcx, double* reserve) {
    const int directions = weights_.directions();
    for (int item = 0; item < x_.batch; ++item) {
      const int length = x_.lengths[static_cast<size_t>(item)];
      Values above = read(y_desc, dy, item, length);
      for (int layer = rnn_.layers - 1; layer >= 0; --layer) {
        const size_t out = hidden() * static_cast<size_t>(directions);
        const size_t width = static_cast<size_t>(weights_.columns(layer * directions));
        Values below(width * static_cast<size_t>(length));
        for (int d = 0; d < directions; ++d) {
          const int cell = layer * directions + d;
          const Cell unit(rnn_, weights_, w_, cell);
          Values dh = state(dhy, cell, item), dc = state(dcy, cell, item);
          for (int i = length - 1; i >= 0; --i) {
            const int step = d == 0 ? i : length - 1 - i;
            double* const record = at(reserve, cell, item, step);
            double* const sums = record + h_place() + 2 * hidden();
            double* const recurrent = sums + hidden() * static_cast<size_t>(weights_.gates());
            for (size_t k = 0; k < hidden(); ++k)
              dh[k] += above[static_cast<size_t>(step) * out + static_cast<size_t>(d) * hidden() + k];
            Values dh_before(hidden()), dc_before(hidden());
            unit.backward(record + h_place(), record + h_place() + hidden(), dh.data(), dc.data(), record + widest_,
                          sums, recurrent, dh_before.data(), dc_before.data());
            unit.backward_input(sums, &below[static_cast<size_t>(step) * width]);
            dh = dh_before;
            dc = dc_before;
          }
          set_state(dhx, cell, item, dh);
          if (rnn_.mode == miopenLSTM) set_state(dcx, cell, item, dc);
        }
        above = below;
      }
      write(x_, dx, item, length, above);
    }
  }

  void backward_weights(void* dw, const double* reserve) {
    Values gradient(w_.size());
    for (int cell = 0; cell < weights_.cells(); ++cell)
      for (int item = 0; item < x_.batch; ++item)
        for (int step = 0; step < x_.lengths[static_cast<size_t>(item)]; ++step) {
          const double* const record = at(const_cast<double*>(reserve), cell, item, step);
          const double* const sums = record + h_place() + 2 * hidden();
          Cell(rnn_, weights_, w_, cell)
              .backward_weights(record, record + h_place(), sums,
                                sums + hidden() * static_cast<size_t>(weights_.gates()), gradient);
        }
    for (size_t i = 0; i < gradient.size(); ++i) store(rnn_.type, dw, i, gradient[i]);
  }

 private:
  size_t hidden() const { return weights_.hidden(); }
  size_t h_place() const { return widest_ + hidden() * Cell::per_unit; }
  double* at(double* reserve, int cell, int item, int step) const {
    return reserve + static_cast<size_t>((cell * x_.batch + item) * x_.steps + step) * record_size();
  }

  // States of all cells, then items; missing ones are 0.
  Values state(const void* data, int cell, int item) const {
    Values result(hidden());
    for (size_t k = 0; data != nullptr && k < hidden(); ++k) result[k] = load(rnn_.type, data, place(cell, item) + k);
    return result;
  }
  void set_state(void* data, int cell, int item, const Values& from) const {
    for (size_t k = 0; data != nullptr && k < hidden(); ++k) store(rnn_.type, data, place(cell, item) + k, from[k]);
  }
  size_t place(int cell, int item) const { return static_cast<size_t>(cell * x_.batch + item) * hidden(); }

  Values inputs(const void* x, int item, int length) const { return read(x_, x, item, length); }
  static Values read(const Sequence& s, const void* data, int item, int length) {
    Values result;
    for (int step = 0; step < length; ++step)
      for (int k = 0; k < s.vector; ++k)
        result.push_back(load(s.type, data, offset_of(s, item, step) + static_cast<size_t>(k)));
    return result;
  }
  static void write(const Sequence& s, void* data, int item, int length, const Values& from) {
    size_t i = 0;
    if (data == nullptr) return;
    for (int step = 0; step < length; ++step)
      for (int k = 0; k < s.vector; ++k)
        store(s.type, data, offset_of(s, item, step) + static_cast<size_t>(k), from[i++]);
    if (!s.fills || s.layout == miopenRNNDataSeqMajorNotPadded) return;
    for (int step = length; step < s.steps; ++step)
      for (int k = 0; k < s.vector; ++k)
        store(s.type, data, offset_of(s, item, step) + static_cast<size_t>(k), s.padding);
  }

  const miopenRNNDescriptor& rnn_;
  const Sequence& x_;
  Weights weights_;
  Values w_;
  size_t widest_;
};

}  // namespace hipport::cpu::dnn

inline miopenStatus_t miopenCreateRNNDescriptor(miopenRNNDescriptor_t* desc) { return hipport::cpu::dnn::create(desc); }
inline miopenStatus_t miopenDestroyRNNDescriptor(miopenRNNDescriptor_t desc) {
  return hipport::cpu::dnn::destroy(desc);
}
inline miopenStatus_t miopenCreateSeqTensorDescriptor(miopenSeqTensorDescriptor_t* desc) {
  return hipport::cpu::dnn::create(desc);
}
inline miopenStatus_t miopenDestroySeqTensorDescriptor(miopenSeqTensorDescriptor_t desc) {
  return hipport::cpu::dnn::destroy(desc);
}
inline miopenStatus_t miopenSetRNNDescriptor(miopenRNNDescriptor_t desc, const int hidden, const int layers,
                                             miopenRNNInputMode_t input, miopenRNNDirectionMode_t direction,
                                             miopenRNNMode_t mode, miopenRNNBiasMode_t bias, miopenRNNAlgo_t,
                                             miopenDataType_t type) {
  *desc = {hidden, layers, input, direction, mode, bias, type};
  return miopenStatusSuccess;
}
// Dropout between layers is not computed here.
inline miopenStatus_t miopenSetRNNDescriptor_V2(miopenRNNDescriptor_t desc, const int hidden, const int layers,
                                                miopenDropoutDescriptor_t dropout, miopenRNNInputMode_t input,
                                                miopenRNNDirectionMode_t direction, miopenRNNMode_t mode,
                                                miopenRNNBiasMode_t bias, miopenRNNAlgo_t algorithm,
                                                miopenDataType_t type) {
  if (dropout != nullptr && dropout->rate > 0 && layers > 1) return miopenStatusNotImplemented;
  return miopenSetRNNDescriptor(desc, hidden, layers, input, direction, mode, bias, algorithm, type);
}
inline miopenStatus_t miopenSetRNNDataSeqTensorDescriptor(miopenSeqTensorDescriptor_t desc, miopenDataType_t type,
                                                          miopenRNNBaseLayout_t layout, int steps, int batch,
                                                          int vector, const int* lengths, void* padding) {
  if (steps < 1 || batch < 1 || vector < 1 || lengths == nullptr) return miopenStatusBadParm;
  *desc = {type, layout, steps, batch, vector, std::vector<int>(lengths, lengths + batch), padding != nullptr, 0.0};
  if (padding != nullptr) desc->padding = hipport::cpu::dnn::load(type, padding, 0);
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenGetRNNParamsSize(miopenHandle_t, miopenRNNDescriptor_t desc, miopenTensorDescriptor_t x,
                                             size_t* bytes, miopenDataType_t type) {
  *bytes = hipport::cpu::dnn::Weights(*desc, x->dims[1]).count() * hipport::cpu::dnn::size_of(type);
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenGetRNNLayerParamOffset(miopenRNNDescriptor_t desc, const int layer,
                                                   miopenTensorDescriptor_t x, const int gate,
                                                   miopenTensorDescriptor_t shape, size_t* offset) {
  const hipport::cpu::dnn::Weights weights(*desc, x->dims[1]);
  if (layer < 0 || layer >= weights.cells() || gate < 0 || gate >= 2 * weights.gates()) return miopenStatusBadParm;
  const int columns = gate < weights.gates() ? weights.columns(layer) : desc->hidden;
  if (offset != nullptr) *offset = weights.matrix(layer, gate);
  return hipport::cpu::dnn::set(shape, desc->type, {desc->hidden, columns}, {columns, 1});
}
inline miopenStatus_t miopenGetRNNLayerBiasOffset(miopenRNNDescriptor_t desc, const int layer,
                                                  miopenTensorDescriptor_t x, const int gate,
                                                  miopenTensorDescriptor_t shape, size_t* offset) {
  const hipport::cpu::dnn::Weights weights(*desc, x->dims[1]);
  if (layer < 0 || layer >= weights.cells() || gate < 0 || gate >= 2 * weights.gates()) return miopenStatusBadParm;
  if (offset != nullptr) *offset = weights.bias(layer, gate);
  return hipport::cpu::dnn::set(shape, desc->type, {desc->hidden}, {1});
}
inline miopenStatus_t miopenGetRNNTempSpaceSizes(miopenHandle_t, miopenRNNDescriptor_t desc,
                                                 miopenSeqTensorDescriptor_t x, miopenRNNFWDMode_t mode,
                                                 size_t* workspace, size_t* reserve) {
  const hipport::cpu::dnn::Weights weights(*desc, x->vector);
  const hipport::cpu::dnn::Values nothing(weights.count());
  const miopenRNNDescriptor as_double = {desc->hidden, desc->layers, desc->input, desc->direction,
                                         desc->mode,   desc->bias,   miopenDouble};
  *workspace = sizeof(double);
  *reserve = mode == miopenRNNTraining ? hipport::cpu::dnn::Network(as_double, *x, nothing.data()).reserve_bytes() : 0;
  return miopenStatusSuccess;
}
inline miopenStatus_t miopenRNNForward(miopenHandle_t handle, const miopenRNNDescriptor_t desc, miopenRNNFWDMode_t mode,
                                       const miopenSeqTensorDescriptor_t x_desc, const void* x,
                                       const miopenTensorDescriptor_t, const void* hx, void* hy,
                                       const miopenTensorDescriptor_t, const void* cx, void* cy,
                                       const miopenSeqTensorDescriptor_t y_desc, void* y, const void* w, size_t, void*,
                                       size_t, void* reserve, size_t) {
  using namespace hipport::cpu::dnn;
  if (desc->input == miopenRNNskip && x_desc->vector != desc->hidden) return miopenStatusBadParm;
  if (mode == miopenRNNTraining && reserve == nullptr) return miopenStatusBadParm;
  return submit(handle, [=, rnn = *desc, xs = *x_desc, ys = *y_desc] {
    Network(rnn, xs, w)
        .forward(x, ys, y, hx, cx, hy, cy, mode == miopenRNNTraining ? static_cast<double*>(reserve) : nullptr);
  });
}
inline miopenStatus_t miopenRNNBackwardSeqData(miopenHandle_t handle, const miopenRNNDescriptor_t desc,
                                               const miopenSeqTensorDescriptor_t y_desc, const void*, const void* dy,
                                               const miopenTensorDescriptor_t, const void*, const void* dhy, void* dhx,
                                               const miopenTensorDescriptor_t, const void*, const void* dcy, void* dcx,
                                               const miopenSeqTensorDescriptor_t x_desc, void* dx, const void* w,
                                               size_t, void*, size_t, void* reserve, size_t) {
  using namespace hipport::cpu::dnn;
  return submit(handle, [=, rnn = *desc, xs = *x_desc, ys = *y_desc] {
    Network(rnn, xs, w).backward_data(ys, dy, dhy, dcy, dx, dhx, dcx, static_cast<double*>(reserve));
  });
}
inline miopenStatus_t miopenRNNBackwardWeightsSeqTensor(miopenHandle_t handle, const miopenRNNDescriptor_t desc,
                                                        const miopenSeqTensorDescriptor_t x_desc, const void*,
                                                        const miopenTensorDescriptor_t, const void*,
                                                        const miopenSeqTensorDescriptor_t, const void*, void* dw,
                                                        size_t, void*, size_t, const void* reserve, size_t) {
  using namespace hipport::cpu::dnn;
  // The weights themselves are not needed, only their number.
  return submit(handle, [=, rnn = *desc, xs = *x_desc] {
    Network(rnn, xs, dw).backward_weights(dw, static_cast<const double*>(reserve));
  });
}
