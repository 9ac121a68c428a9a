// SPDX-License-Identifier: MIT
// MIOpen, computed on this machine's processors: convolutions with oneDNN, the rest with plain loops.
#pragma once

#include "activation.h"
#include "batch_norm.h"
#include "convolution_api.h"
#include "ctc.h"
#include "dropout.h"
#include "lrn.h"
#include "pooling.h"
#include "reduction.h"
#include "rnn_run.h"
#include "softmax.h"
#include "tensor_ops.h"
