// SPDX-License-Identifier: MIT
// Recurrent networks: cells, layers and directions, forward and backward, in loops in double.
#pragma once

#include "dropout.h"

enum miopenRNNMode_t { miopenRNNRELU, miopenRNNTANH, miopenLSTM, miopenGRU };
enum miopenRNNInputMode_t { miopenRNNlinear, miopenRNNskip };
enum miopenRNNAlgo_t { miopenRNNdefault, miopenRNNfundamental, miopenRNNroundedDynamic };
enum miopenRNNDirectionMode_t { miopenRNNunidirection, miopenRNNbidirection };
enum miopenRNNBiasMode_t { miopenRNNNoBias, miopenRNNwithBias };
enum miopenRNNFWDMode_t { miopenRNNTraining, miopenRNNInference };
enum miopenRNNBaseLayout_t {
  miopenRNNDataUnknownLayout,
  miopenRNNDataSeqMajorNotPadded,
  miopenRNNDataSeqMajorPadded,
  miopenRNNDataBatchMajorPadded
};

struct miopenRNNDescriptor {
  int hidden = 0, layers = 0;
  miopenRNNInputMode_t input = miopenRNNlinear;
  miopenRNNDirectionMode_t direction = miopenRNNunidirection;
  miopenRNNMode_t mode = miopenRNNRELU;
  miopenRNNBiasMode_t bias = miopenRNNNoBias;
  miopenDataType_t type = miopenFloat;
};
struct miopenSeqTensorDescriptor {
  miopenDataType_t type = miopenFloat;
  miopenRNNBaseLayout_t layout = miopenRNNDataSeqMajorPadded;
  int steps = 0, batch = 0, vector = 0;
  std::vector<int> lengths;
  bool fills = false;
  double padding = 0;
};
using miopenRNNDescriptor_t = miopenRNNDescriptor*;
using miopenSeqTensorDescriptor_t = miopenSeqTensorDescriptor*;

namespace hipport::cpu::dnn {

using Sequence = miopenSeqTensorDescriptor;

// Where things lie in the weights, in elements: all matrices, by layer, direction and gate, those for the input first;
// then all biases in the same order. Gates of LSTM: input, forget, output, new; of GRU: update, reset, new.
class Weights {
 public:
  Weights(const miopenRNNDescriptor& rnn, int input) : rnn_(rnn), input_(input) {}

  int gates() const { return rnn_.mode == miopenLSTM ? 4 : rnn_.mode == miopenGRU ? 3 : 1; }
  int directions() const { return rnn_.direction == miopenRNNbidirection ? 2 : 1; }
  int cells() const { return rnn_.layers * directions(); }
  int columns(int cell) const { return cell < directions() ? input_ : rnn_.hidden * directions(); }
  size_t hidden() const { return static_cast<size_t>(rnn_.hidden); }

  size_t matrix(int cell, int gate) const {
    size_t at = 0;
    for (int i = 0; i < cell; ++i) at += all_gates() * hidden() * (width(i) + hidden());
    const size_t to = static_cast<size_t>(gate);
    if (to < all_gates()) return at + to * hidden() * width(cell);
    return at + all_gates() * hidden() * width(cell) + (to - all_gates()) * hidden() * hidden();
  }
  size_t bias(int cell, int gate) const {
    return matrix(cells(), 0) + (static_cast<size_t>(cell) * 2 * all_gates() + static_cast<size_t>(gate)) * hidden();
  }
  size_t count() const { return rnn_.bias == miopenRNNwithBias ? bias(cells(), 0) : matrix(cells(), 0); }

 private:
  size_t all_gates() const { return static_cast<size_t>(gates()); }
  size_t width(int cell) const { return static_cast<size_t>(columns(cell)); }

  const miopenRNNDescriptor& rnn_;
  int input_;
};

inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// One cell at one step of one item. `memory` is what a backward pass needs: for each unit the gates, the cell state,
// and for GRU the recurrent part of the new state.
class Cell {
 public:
  static constexpr size_t per_unit = 6;

  Cell(const miopenRNNDescriptor& rnn, const Weights& weights, const Values& w, int cell)
      : rnn_(rnn), weights_(weights), w_(w), cell_(cell) {}

  void forward(const double* x, const double* h, const double* c, double* h_out, double* c_out, double* memory) const {
    for (size_t unit = 0; unit < weights_.hidden(); ++unit) {
      double* const m = memory + unit * per_unit;
      switch (rnn_.mode) {
        case miopenLSTM: {
          for (int gate = 0; gate < 3; ++gate) m[gate] = sigmoid(input(gate, unit, x) + recurrent(gate, unit, h));
          m[3] = std::tanh(input(3, unit, x) + recurrent(3, unit, h));
          m[4] = c_out[unit] = m[1] * c[unit] + m[0] * m[3];
          h_out[unit] = m[2] * std::tanh(m[4]);
          break;
        }
        case miopenGRU: {
          for (int gate = 0; gate < 2; ++gate) m[gate] = sigmoid(input(gate, unit, x) + recurrent(gate, unit, h));
          m[5] = recurrent(2, unit, h);
          m[3] = std::tanh(input(2, unit, x) + m[1] * m[5]);
          h_out[unit] = (1 - m[0]) * m[3] + m[0] * h[unit];
          break;
        }
        default: {
          const double sum = input(0, unit, x) + recurrent(0, unit, h);
          h_out[unit] = m[0] = rnn_.mode == miopenRNNTANH ? std::tanh(sum) : std::max(0.0, sum);
        }
      }
    }
  }

  // From the gradients of the results compute those of the sums that enter the gates: `sums` of the input's part,
  // `recurrent_sums` of the state's, which differ for GRU. Gradients of the states before are added to `dh` and `dc`.
  void backward(const double* h, const double* c, const double* dh_out, const double* dc_out, const double* memory,
                double* sums, double* recurrent_sums, double* dh, double* dc) const {
    const size_t n = weights_.hidden();
    for (size_t unit = 0; unit < n; ++unit) {
      const double* const m = memory + unit * per_unit;
      const double g = dh_out[unit];
      switch (rnn_.mode) {
        case miopenLSTM: {
          const double t = std::tanh(m[4]), state = dc_out[unit] + g * m[2] * (1 - t * t);
          sums[unit] = state * m[3] * m[0] * (1 - m[0]);
          sums[n + unit] = state * c[unit] * m[1] * (1 - m[1]);
          sums[2 * n + unit] = g * t * m[2] * (1 - m[2]);
          sums[3 * n + unit] = state * m[0] * (1 - m[3] * m[3]);
          dc[unit] += state * m[1];
          break;
        }
        case miopenGRU: {
          const double fresh = g * (1 - m[0]) * (1 - m[3] * m[3]);
          sums[unit] = g * (h[unit] - m[3]) * m[0] * (1 - m[0]);
          sums[n + unit] = fresh * m[5] * m[1] * (1 - m[1]);
          sums[2 * n + unit] = fresh;
          dh[unit] += g * m[0];
          break;
        }
        case miopenRNNTANH: sums[unit] = g * (1 - m[0] * m[0]); break;
        default: sums[unit] = m[0] > 0 ? g : 0;
      }
    }
    std::copy(sums, sums + n * static_cast<size_t>(weights_.gates()), recurrent_sums);
    if (rnn_.mode == miopenGRU)
      for (size_t unit = 0; unit < n; ++unit) recurrent_sums[2 * n + unit] *= memory[unit * per_unit + 1];
    spread(weights_.gates(), n, recurrent_sums, dh);
  }

  // Add to the gradient of the input.
  void backward_input(const double* sums, double* dx) const {
    if (skips()) {
      for (int gate = 0; gate < weights_.gates(); ++gate)
        for (size_t unit = 0; unit < weights_.hidden(); ++unit)
          dx[unit] += sums[static_cast<size_t>(gate) * weights_.hidden() + unit];
    } else {
      spread(0, static_cast<size_t>(weights_.columns(cell_)), sums, dx);
    }
  }

  // Add to the gradients of the weights.
  void backward_weights(const double* x, const double* h, const double* sums, const double* recurrent_sums,
                        Values& dw) const {
    const size_t n = weights_.hidden(), columns = static_cast<size_t>(weights_.columns(cell_));
    for (int gate = 0; gate < weights_.gates(); ++gate) {
      for (size_t unit = 0; unit < n; ++unit) {
        const double s = sums[static_cast<size_t>(gate) * n + unit];
        const double r = recurrent_sums[static_cast<size_t>(gate) * n + unit];
        const int other = gate + weights_.gates();
        if (!skips())
          for (size_t k = 0; k < columns; ++k) dw[weights_.matrix(cell_, gate) + unit * columns + k] += s * x[k];
        for (size_t k = 0; k < n; ++k) dw[weights_.matrix(cell_, other) + unit * n + k] += r * h[k];
        if (rnn_.bias != miopenRNNwithBias) continue;
        dw[weights_.bias(cell_, gate) + unit] += s;
        dw[weights_.bias(cell_, other) + unit] += r;
      }
    }
  }

 private:
  bool skips() const { return rnn_.input == miopenRNNskip && cell_ < weights_.directions(); }

  double row(int gate, size_t unit, size_t columns, const double* x) const {
    const double* const weights = &w_[weights_.matrix(cell_, gate) + unit * columns];
    double sum = rnn_.bias == miopenRNNwithBias ? w_[weights_.bias(cell_, gate) + unit] : 0;
    for (size_t k = 0; k < columns; ++k) sum += weights[k] * x[k];
    return sum;
  }
  double input(int gate, size_t unit, const double* x) const {
    if (skips()) return x[unit] + (rnn_.bias == miopenRNNwithBias ? w_[weights_.bias(cell_, gate) + unit] : 0);
    return row(gate, unit, static_cast<size_t>(weights_.columns(cell_)), x);
  }
  double recurrent(int gate, size_t unit, const double* h) const {
    return row(gate + weights_.gates(), unit, weights_.hidden(), h);
  }
  // Add the product of the transposed matrices from gate `first` on with the gradients of the sums.
  void spread(int first, size_t columns, const double* sums, double* to) const {
    for (int gate = 0; gate < weights_.gates(); ++gate)
      for (size_t unit = 0; unit < weights_.hidden(); ++unit)
        for (size_t k = 0; k < columns; ++k)
          to[k] += w_[weights_.matrix(cell_, first + gate) + unit * columns + k] *
                   sums[static_cast<size_t>(gate) * weights_.hidden() + unit];
  }

  const miopenRNNDescriptor& rnn_;
  const Weights& weights_;
  const Values& w_;
  int cell_;
};

}  // namespace hipport::cpu::dnn
