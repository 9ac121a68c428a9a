// SPDX-License-Identifier: MIT
// cuDNN's API on MIOpen: cudnn.h and its parts, in C and C++. Names, values and meanings are cuDNN 8.9's.
#ifndef HIPPORT_COMPAT_CUDNN_H
#define HIPPORT_COMPAT_CUDNN_H

#if defined(__NVCC__) || defined(__CUDA__) || defined(__HIP_PLATFORM_NVIDIA__)

#include <cudnn.h>

#else

#include "cudnn/activation.h"
#include "cudnn/batch_norm.h"
#include "cudnn/batch_norm_ex.h"
#include "cudnn/convolution_run.h"
#include "cudnn/convolution_search.h"
#include "cudnn/ctc.h"
#include "cudnn/dropout.h"
#include "cudnn/lrn.h"
#include "cudnn/pooling.h"
#include "cudnn/reduction.h"
#include "cudnn/rnn.h"
#include "cudnn/softmax.h"
#include "cudnn/tensor_ops.h"

#endif

#endif
