// Runs cuDNN functions that a script on the standard input asks for, and prints the tensors that they wrote. A tensor is
// given as element type, number of dimensions, dimensions, strides, and all elements of its memory, gaps included.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include <cuda_fp16.h>
#include <cudnn.h>

#define CHECK(call)                                                                     \
  do {                                                                                  \
    const cudnnStatus_t status = (call);                                                \
    if (status != CUDNN_STATUS_SUCCESS) throw std::string(cudnnGetErrorString(status)); \
  } while (0)

static cudnnHandle_t handle;

template <typename T>
static T read() {
  T value;
  if (!(std::cin >> value)) exit(0);
  return value;
}

static double number() { return strtod(read<std::string>().c_str(), nullptr); }

static std::vector<int> integers(int count) {
  std::vector<int> result(count);
  for (int& value : result) value = read<int>();
  return result;
}

static size_t size_of(cudnnDataType_t type) { return type == CUDNN_DATA_DOUBLE ? 8 : type == CUDNN_DATA_HALF ? 2 : 4; }

// Memory of the device with elements of a type.
struct Buffer {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  size_t count = 0;
  void* data = nullptr;

  void fill(const std::vector<double>& values) {
    std::vector<char> bytes(values.size() * 8);
    for (size_t i = 0; i < values.size(); ++i) {
      if (type == CUDNN_DATA_DOUBLE) reinterpret_cast<double*>(bytes.data())[i] = values[i];
      if (type == CUDNN_DATA_FLOAT) reinterpret_cast<float*>(bytes.data())[i] = static_cast<float>(values[i]);
      if (type == CUDNN_DATA_HALF)
        reinterpret_cast<__half*>(bytes.data())[i] = __float2half(static_cast<float>(values[i]));
      if (type == CUDNN_DATA_INT32) reinterpret_cast<int*>(bytes.data())[i] = static_cast<int>(values[i]);
    }
    count = values.size();
    cudaMalloc(&data, count * size_of(type) + 1);
    cudaMemcpy(data, bytes.data(), count * size_of(type), cudaMemcpyHostToDevice);
  }

  void print() const {
    std::vector<char> bytes(count * 8);
    cudaMemcpy(bytes.data(), data, count * size_of(type), cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < count; ++i) {
      double value = 0;
      if (type == CUDNN_DATA_DOUBLE) value = reinterpret_cast<double*>(bytes.data())[i];
      if (type == CUDNN_DATA_FLOAT) value = reinterpret_cast<float*>(bytes.data())[i];
      if (type == CUDNN_DATA_HALF) value = __half2float(reinterpret_cast<__half*>(bytes.data())[i]);
      if (type == CUDNN_DATA_INT32) value = reinterpret_cast<int*>(bytes.data())[i];
      printf("%.17g ", value);
    }
  }
};

struct Tensor : Buffer {
  cudnnTensorDescriptor_t desc;
  std::vector<int> dims, strides;

  Tensor() {
    type = static_cast<cudnnDataType_t>(read<int>());
    const int rank = read<int>();
    dims = integers(rank);
    strides = integers(rank);
    std::vector<double> values(read<int>());
    for (double& value : values) value = number();
    fill(values);
    CHECK(cudnnCreateTensorDescriptor(&desc));
    CHECK(cudnnSetTensorNdDescriptor(desc, type, rank, dims.data(), strides.data()));
    size_t bytes;
    CHECK(cudnnGetTensorSizeInBytes(desc, &bytes));
    if (bytes != count * size_of(type)) throw std::string("cudnnGetTensorSizeInBytes is wrong");
  }
  ~Tensor() {
    cudnnDestroyTensorDescriptor(desc);
    cudaFree(data);
  }
};

struct Filter : Buffer {
  cudnnFilterDescriptor_t desc;

  Filter() {
    type = static_cast<cudnnDataType_t>(read<int>());
    const auto format = static_cast<cudnnTensorFormat_t>(read<int>());
    const int rank = read<int>();
    const std::vector<int> dims = integers(rank);
    std::vector<double> values(read<int>());
    for (double& value : values) value = number();
    fill(values);
    CHECK(cudnnCreateFilterDescriptor(&desc));
    CHECK(cudnnSetFilterNdDescriptor(desc, type, format, rank, dims.data()));
  }
  ~Filter() {
    cudnnDestroyFilterDescriptor(desc);
    cudaFree(data);
  }
};

// A factor: a double for double tensors, otherwise a float.
struct Scalar {
  double real64;
  float real32;
  bool is_double;
  Scalar(cudnnDataType_t type, double value)
      : real64(value), real32(static_cast<float>(value)), is_double(type == CUDNN_DATA_DOUBLE) {}
  operator const void*() const { return is_double ? static_cast<const void*>(&real64) : &real32; }
};

struct Convolution {
  cudnnConvolutionDescriptor_t desc;
  int search;

  explicit Convolution() {
    const int rank = read<int>();
    const std::vector<int> padding = integers(rank), stride = integers(rank), dilation = integers(rank);
    const int groups = read<int>(), mode = read<int>();
    search = read<int>();
    CHECK(cudnnCreateConvolutionDescriptor(&desc));
    CHECK(cudnnSetConvolutionNdDescriptor(desc, rank, padding.data(), stride.data(), dilation.data(),
                                          static_cast<cudnnConvolutionMode_t>(mode), CUDNN_DATA_FLOAT));
    CHECK(cudnnSetConvolutionGroupCount(desc, groups));
    CHECK(cudnnSetConvolutionMathType(desc, CUDNN_TENSOR_OP_MATH));
  }
  ~Convolution() { cudnnDestroyConvolutionDescriptor(desc); }
};

struct Workspace {
  void* data = nullptr;
  size_t size = 0;
  void grow() {
    if (size > 0) cudaMalloc(&data, size);
  }
  ~Workspace() { cudaFree(data); }
};

static void convolution_forward() {
  Convolution conv;
  const double alpha = number(), beta = number();
  Tensor x;
  Filter w;
  Tensor y;
  std::vector<int> dims(y.dims.size());
  CHECK(cudnnGetConvolutionNdForwardOutputDim(conv.desc, x.desc, w.desc, static_cast<int>(dims.size()), dims.data()));
  if (dims != y.dims) throw std::string("cudnnGetConvolutionNdForwardOutputDim is wrong");
  cudnnConvolutionFwdAlgoPerf_t perf[8];
  cudnnConvolutionFwdAlgo_t algorithm = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM;
  int count = 0;
  if (conv.search == 1)
    CHECK(cudnnGetConvolutionForwardAlgorithm_v7(handle, x.desc, w.desc, conv.desc, y.desc, 8, &count, perf));
  if (conv.search == 2)
    CHECK(cudnnFindConvolutionForwardAlgorithm(handle, x.desc, w.desc, conv.desc, y.desc, 8, &count, perf));
  if (conv.search > 0) algorithm = perf[0].algo;
  Workspace space;
  CHECK(cudnnGetConvolutionForwardWorkspaceSize(handle, x.desc, w.desc, conv.desc, y.desc, algorithm, &space.size));
  space.grow();
  CHECK(cudnnConvolutionForward(handle, Scalar(x.type, alpha), x.desc, x.data, w.desc, w.data, conv.desc, algorithm,
                                space.data, space.size, Scalar(x.type, beta), y.desc, y.data));
  y.print();
}

static void convolution_data() {
  Convolution conv;
  const double alpha = number(), beta = number();
  Filter w;
  Tensor dy, dx;
  cudnnConvolutionBwdDataAlgoPerf_t perf[8];
  cudnnConvolutionBwdDataAlgo_t algorithm = CUDNN_CONVOLUTION_BWD_DATA_ALGO_1;
  int count = 0;
  if (conv.search == 1)
    CHECK(cudnnGetConvolutionBackwardDataAlgorithm_v7(handle, w.desc, dy.desc, conv.desc, dx.desc, 8, &count, perf));
  if (conv.search == 2)
    CHECK(cudnnFindConvolutionBackwardDataAlgorithm(handle, w.desc, dy.desc, conv.desc, dx.desc, 8, &count, perf));
  if (conv.search > 0) algorithm = perf[0].algo;
  CHECK(cudnnConvolutionBackwardData(handle, Scalar(dx.type, alpha), w.desc, w.data, dy.desc, dy.data, conv.desc,
                                     algorithm, nullptr, 0, Scalar(dx.type, beta), dx.desc, dx.data));
  dx.print();
}

static void convolution_filter() {
  Convolution conv;
  const double alpha = number(), beta = number();
  Tensor x, dy;
  Filter dw;
  cudnnConvolutionBwdFilterAlgoPerf_t perf[8];
  cudnnConvolutionBwdFilterAlgo_t algorithm = CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3;
  int count = 0;
  if (conv.search == 1)
    CHECK(cudnnGetConvolutionBackwardFilterAlgorithm_v7(handle, x.desc, dy.desc, conv.desc, dw.desc, 8, &count, perf));
  if (conv.search == 2)
    CHECK(cudnnFindConvolutionBackwardFilterAlgorithm(handle, x.desc, dy.desc, conv.desc, dw.desc, 8, &count, perf));
  if (conv.search > 0) algorithm = perf[0].algo;
  CHECK(cudnnConvolutionBackwardFilter(handle, Scalar(x.type, alpha), x.desc, x.data, dy.desc, dy.data, conv.desc,
                                       algorithm, nullptr, 0, Scalar(x.type, beta), dw.desc, dw.data));
  dw.print();
}

static void convolution_bias() {
  const double alpha = number(), beta = number();
  Tensor dy, db;
  CHECK(cudnnConvolutionBackwardBias(handle, Scalar(dy.type, alpha), dy.desc, dy.data, Scalar(dy.type, beta), db.desc,
                                     db.data));
  db.print();
}

static cudnnActivationDescriptor_t activation() {
  const int mode = read<int>();
  const double coefficient = number();
  cudnnActivationDescriptor_t desc;
  CHECK(cudnnCreateActivationDescriptor(&desc));
  CHECK(cudnnSetActivationDescriptor(desc, static_cast<cudnnActivationMode_t>(mode), CUDNN_PROPAGATE_NAN, coefficient));
  CHECK(cudnnSetActivationDescriptorSwishBeta(desc, coefficient));
  return desc;
}

static void convolution_bias_activation() {
  Convolution conv;
  const double alpha1 = number(), alpha2 = number();
  const cudnnActivationDescriptor_t act = activation();
  Tensor x;
  Filter w;
  Tensor z, bias, y;
  CHECK(cudnnConvolutionBiasActivationForward(handle, Scalar(x.type, alpha1), x.desc, x.data, w.desc, w.data, conv.desc,
                                              CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, nullptr, 0,
                                              Scalar(x.type, alpha2), z.desc, z.data, bias.desc, bias.data, act, y.desc,
                                              y.data));
  y.print();
  cudnnDestroyActivationDescriptor(act);
}

static void activation_forward() {
  const double alpha = number(), beta = number();
  const cudnnActivationDescriptor_t desc = activation();
  Tensor x, y;
  CHECK(cudnnActivationForward(handle, desc, Scalar(x.type, alpha), x.desc, x.data, Scalar(x.type, beta), y.desc,
                               y.data));
  y.print();
  cudnnDestroyActivationDescriptor(desc);
}

static void activation_backward() {
  const double alpha = number(), beta = number();
  const cudnnActivationDescriptor_t desc = activation();
  Tensor y, dy, x, dx;
  CHECK(cudnnActivationBackward(handle, desc, Scalar(x.type, alpha), y.desc, y.data, dy.desc, dy.data, x.desc, x.data,
                                Scalar(x.type, beta), dx.desc, dx.data));
  dx.print();
  cudnnDestroyActivationDescriptor(desc);
}

static cudnnPoolingDescriptor_t pooling() {
  const int mode = read<int>(), rank = read<int>();
  const std::vector<int> window = integers(rank), padding = integers(rank), stride = integers(rank);
  cudnnPoolingDescriptor_t desc;
  CHECK(cudnnCreatePoolingDescriptor(&desc));
  CHECK(cudnnSetPoolingNdDescriptor(desc, static_cast<cudnnPoolingMode_t>(mode), CUDNN_NOT_PROPAGATE_NAN, rank,
                                    window.data(), padding.data(), stride.data()));
  return desc;
}

static void pooling_forward() {
  const double alpha = number(), beta = number();
  const cudnnPoolingDescriptor_t desc = pooling();
  Tensor x, y;
  std::vector<int> dims(y.dims.size());
  CHECK(cudnnGetPoolingNdForwardOutputDim(desc, x.desc, static_cast<int>(dims.size()), dims.data()));
  if (dims != y.dims) throw std::string("cudnnGetPoolingNdForwardOutputDim is wrong");
  CHECK(cudnnPoolingForward(handle, desc, Scalar(x.type, alpha), x.desc, x.data, Scalar(x.type, beta), y.desc, y.data));
  y.print();
  cudnnDestroyPoolingDescriptor(desc);
}

static void pooling_backward() {
  const double alpha = number(), beta = number();
  const cudnnPoolingDescriptor_t desc = pooling();
  Tensor y, dy, x, dx;
  CHECK(cudnnPoolingBackward(handle, desc, Scalar(x.type, alpha), y.desc, y.data, dy.desc, dy.data, x.desc, x.data,
                             Scalar(x.type, beta), dx.desc, dx.data));
  dx.print();
  cudnnDestroyPoolingDescriptor(desc);
}

static void softmax_forward() {
  const double alpha = number(), beta = number();
  const auto algorithm = static_cast<cudnnSoftmaxAlgorithm_t>(read<int>());
  const auto mode = static_cast<cudnnSoftmaxMode_t>(read<int>());
  Tensor x, y;
  CHECK(cudnnSoftmaxForward(handle, algorithm, mode, Scalar(x.type, alpha), x.desc, x.data, Scalar(x.type, beta),
                            y.desc, y.data));
  y.print();
}

static void softmax_backward() {
  const double alpha = number(), beta = number();
  const auto algorithm = static_cast<cudnnSoftmaxAlgorithm_t>(read<int>());
  const auto mode = static_cast<cudnnSoftmaxMode_t>(read<int>());
  Tensor y, dy, dx;
  CHECK(cudnnSoftmaxBackward(handle, algorithm, mode, Scalar(y.type, alpha), y.desc, y.data, dy.desc, dy.data,
                             Scalar(y.type, beta), dx.desc, dx.data));
  dx.print();
}

static void norm_training() {
  const double alpha = number(), beta = number();
  const auto mode = static_cast<cudnnBatchNormMode_t>(read<int>());
  const double factor = number(), epsilon = number();
  Tensor x, y, scale, bias, mean, variance, saved_mean, saved_inverse;
  cudnnTensorDescriptor_t derived;
  CHECK(cudnnCreateTensorDescriptor(&derived));
  CHECK(cudnnDeriveBNTensorDescriptor(derived, x.desc, mode));
  CHECK(cudnnBatchNormalizationForwardTraining(handle, mode, Scalar(x.type, alpha), Scalar(x.type, beta), x.desc,
                                               x.data, y.desc, y.data, derived, scale.data, bias.data, factor,
                                               mean.data, variance.data, epsilon, saved_mean.data, saved_inverse.data));
  y.print();
  for (const Tensor* tensor : {&mean, &variance, &saved_mean, &saved_inverse}) tensor->print();
  cudnnDestroyTensorDescriptor(derived);
}

static void norm_inference() {
  const double alpha = number(), beta = number();
  const auto mode = static_cast<cudnnBatchNormMode_t>(read<int>());
  const double epsilon = number();
  Tensor x, y, scale, bias, mean, variance;
  CHECK(cudnnBatchNormalizationForwardInference(handle, mode, Scalar(x.type, alpha), Scalar(x.type, beta), x.desc,
                                                x.data, y.desc, y.data, scale.desc, scale.data, bias.data, mean.data,
                                                variance.data, epsilon));
  y.print();
}

static void norm_backward() {
  const double alpha = number(), beta = number(), alpha_param = number(), beta_param = number();
  const auto mode = static_cast<cudnnBatchNormMode_t>(read<int>());
  const double epsilon = number();
  const int saved = read<int>();
  Tensor x, dy, dx, scale, dscale, dbias, mean, inverse;
  CHECK(cudnnBatchNormalizationBackward(
      handle, mode, Scalar(x.type, alpha), Scalar(x.type, beta), Scalar(x.type, alpha_param),
      Scalar(x.type, beta_param), x.desc, x.data, dy.desc, dy.data, dx.desc, dx.data, scale.desc, scale.data,
      dscale.data, dbias.data, epsilon, saved ? mean.data : nullptr, saved ? inverse.data : nullptr));
  for (const Tensor* tensor : {&dx, &dscale, &dbias}) tensor->print();
}

static void op_tensor() {
  const auto op = static_cast<cudnnOpTensorOp_t>(read<int>());
  const double alpha1 = number(), alpha2 = number(), beta = number();
  Tensor a, b, c;
  cudnnOpTensorDescriptor_t desc;
  const cudnnDataType_t type = a.type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
  CHECK(cudnnCreateOpTensorDescriptor(&desc));
  CHECK(cudnnSetOpTensorDescriptor(desc, op, type, CUDNN_PROPAGATE_NAN));
  CHECK(cudnnOpTensor(handle, desc, Scalar(a.type, alpha1), a.desc, a.data, Scalar(a.type, alpha2), b.desc, b.data,
                      Scalar(a.type, beta), c.desc, c.data));
  c.print();
  cudnnDestroyOpTensorDescriptor(desc);
}

static void add_tensor() {
  const double alpha = number(), beta = number();
  Tensor a, c;
  CHECK(cudnnAddTensor(handle, Scalar(a.type, alpha), a.desc, a.data, Scalar(a.type, beta), c.desc, c.data));
  c.print();
}

static void scale_tensor() {
  const double alpha = number();
  Tensor y;
  CHECK(cudnnScaleTensor(handle, y.desc, y.data, Scalar(y.type, alpha)));
  y.print();
}

static void set_tensor() {
  const double value = number();
  Tensor y;
  const __half half = __float2half(static_cast<float>(value));
  CHECK(cudnnSetTensor(handle, y.desc, y.data,
                       y.type == CUDNN_DATA_HALF ? static_cast<const void*>(&half) : Scalar(y.type, value)));
  y.print();
}

static void transform_tensor() {
  const double alpha = number(), beta = number();
  Tensor x, y;
  CHECK(cudnnTransformTensor(handle, Scalar(y.type, alpha), x.desc, x.data, Scalar(y.type, beta), y.desc, y.data));
  y.print();
}

static void reduce_tensor() {
  const auto op = static_cast<cudnnReduceTensorOp_t>(read<int>());
  const bool indexed = read<int>() != 0;
  const double alpha = number(), beta = number();
  Tensor a, c;
  cudnnReduceTensorDescriptor_t desc;
  CHECK(cudnnCreateReduceTensorDescriptor(&desc));
  CHECK(cudnnSetReduceTensorDescriptor(
      desc, op, a.type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT, CUDNN_NOT_PROPAGATE_NAN,
      indexed ? CUDNN_REDUCE_TENSOR_FLATTENED_INDICES : CUDNN_REDUCE_TENSOR_NO_INDICES, CUDNN_32BIT_INDICES));
  Workspace space, indices;
  CHECK(cudnnGetReductionWorkspaceSize(handle, desc, a.desc, c.desc, &space.size));
  CHECK(cudnnGetReductionIndicesSize(handle, desc, a.desc, c.desc, &indices.size));
  space.grow();
  indices.grow();
  CHECK(cudnnReduceTensor(handle, desc, indices.data, indices.size, space.data, space.size, Scalar(a.type, alpha),
                          a.desc, a.data, Scalar(a.type, beta), c.desc, c.data));
  c.print();
  std::vector<int> found(indices.size / sizeof(int));
  cudaMemcpy(found.data(), indices.data, indices.size, cudaMemcpyDeviceToHost);
  for (const int index : found) printf("%d ", index);
  cudnnDestroyReduceTensorDescriptor(desc);
}

static cudnnLRNDescriptor_t response() {
  const int count = read<int>();
  const double alpha = number(), beta = number(), k = number();
  cudnnLRNDescriptor_t desc;
  CHECK(cudnnCreateLRNDescriptor(&desc));
  CHECK(cudnnSetLRNDescriptor(desc, static_cast<unsigned>(count), alpha, beta, k));
  return desc;
}

static void lrn_forward() {
  const double alpha = number(), beta = number();
  const cudnnLRNDescriptor_t desc = response();
  Tensor x, y;
  CHECK(cudnnLRNCrossChannelForward(handle, desc, CUDNN_LRN_CROSS_CHANNEL_DIM1, Scalar(x.type, alpha), x.desc, x.data,
                                    Scalar(x.type, beta), y.desc, y.data));
  y.print();
  cudnnDestroyLRNDescriptor(desc);
}

static void lrn_backward() {
  const double alpha = number(), beta = number();
  const cudnnLRNDescriptor_t desc = response();
  Tensor y, dy, x, dx;
  CHECK(cudnnLRNCrossChannelBackward(handle, desc, CUDNN_LRN_CROSS_CHANNEL_DIM1, Scalar(x.type, alpha), y.desc, y.data,
                                     dy.desc, dy.data, x.desc, x.data, Scalar(x.type, beta), dx.desc, dx.data));
  dx.print();
  cudnnDestroyLRNDescriptor(desc);
}

// A buffer with numbers from the input, or with zeros.
static Buffer buffer(cudnnDataType_t type, size_t count, bool given) {
  Buffer made;
  std::vector<double> values(count);
  if (given)
    for (double& value : values) value = number();
  made.type = type;
  made.fill(values);
  return made;
}

static cudnnRNNDataDescriptor_t sequence(cudnnDataType_t type, int layout, int steps, int batch, int vector,
                                         const std::vector<int>& lengths) {
  cudnnRNNDataDescriptor_t desc;
  double fill = 0;
  CHECK(cudnnCreateRNNDataDescriptor(&desc));
  CHECK(cudnnSetRNNDataDescriptor(desc, type, static_cast<cudnnRNNDataLayout_t>(layout), steps, batch, vector,
                                  lengths.data(), &fill));
  cudnnDataType_t got_type;
  cudnnRNNDataLayout_t got_layout;
  int sizes[3], first = 0;
  double padding = 1;
  CHECK(cudnnGetRNNDataDescriptor(desc, &got_type, &got_layout, &sizes[0], &sizes[1], &sizes[2], 1, &first, &padding));
  if (got_type != type || got_layout != layout || sizes[0] != steps || sizes[1] != batch || sizes[2] != vector ||
      first != lengths[0] || memcmp(&padding, &fill, size_of(type)) != 0)
    throw std::string("other settings of a sequence");
  return desc;
}

// Checks that the getters return the values that were set.
static void check_settings(cudnnRNNDescriptor_t desc, cudnnRNNMode_t mode, cudnnDataType_t type, int input, int hidden,
                           int layers) {
  cudnnRNNAlgo_t algorithm;
  cudnnRNNMode_t got_mode;
  cudnnRNNBiasMode_t bias;
  cudnnDirectionMode_t direction;
  cudnnRNNInputMode_t input_mode;
  cudnnDataType_t got_type, precision;
  cudnnMathType_t math;
  int32_t sizes[4];
  cudnnDropoutDescriptor_t dropout;
  uint32_t flags;
  CHECK(cudnnGetRNNDescriptor_v8(desc, &algorithm, &got_mode, &bias, &direction, &input_mode, &got_type, &precision,
                                 &math, &sizes[0], &sizes[1], &sizes[2], &sizes[3], &dropout, &flags));
  if (got_mode != mode || got_type != type || sizes[0] != input || sizes[1] != hidden || sizes[3] != layers ||
      flags != CUDNN_RNN_PADDED_IO_ENABLED)
    throw std::string("other settings of a network");
}

// Train a recurrent network for one step: results, gradients of inputs and states, gradients of all weights.
static void rnn() {
  const auto type = static_cast<cudnnDataType_t>(read<int>());
  const auto mode = static_cast<cudnnRNNMode_t>(read<int>());
  const int bias = read<int>(), directions = read<int>(), layers = read<int>();
  const int input = read<int>(), hidden = read<int>(), batch = read<int>(), steps = read<int>(), layout = read<int>();
  const std::vector<int> lengths = integers(batch);
  cudnnDropoutDescriptor_t dropout;
  CHECK(cudnnCreateDropoutDescriptor(&dropout));
  CHECK(cudnnSetDropoutDescriptor(dropout, handle, 0, nullptr, 0, 0));
  cudnnRNNDescriptor_t desc;
  CHECK(cudnnCreateRNNDescriptor(&desc));
  CHECK(cudnnSetRNNDescriptor_v8(desc, CUDNN_RNN_ALGO_STANDARD, mode, bias ? CUDNN_RNN_DOUBLE_BIAS : CUDNN_RNN_NO_BIAS,
                                 directions == 2 ? CUDNN_BIDIRECTIONAL : CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT, type,
                                 type, CUDNN_DEFAULT_MATH, input, hidden, hidden, layers, dropout,
                                 CUDNN_RNN_PADDED_IO_ENABLED));
  check_settings(desc, mode, type, input, hidden, layers);
  size_t weight_size, workspace_size, reserve_size;
  CHECK(cudnnGetRNNWeightSpaceSize(handle, desc, &weight_size));
  Buffer weights = buffer(type, weight_size / size_of(type), false), gradient = buffer(type, weights.count, false);
  cudnnTensorDescriptor_t matrix, vector, state;
  CHECK(cudnnCreateTensorDescriptor(&matrix));
  CHECK(cudnnCreateTensorDescriptor(&vector));
  CHECK(cudnnCreateTensorDescriptor(&state));
  const int gates = mode == CUDNN_LSTM ? 4 : mode == CUDNN_GRU ? 3 : 1, cells = layers * directions;
  // Call `visit` with the addresses of each weight matrix and bias in some memory.
  const auto parts = [&](void* memory, auto visit) {
    for (int cell = 0; cell < cells; ++cell)
      for (int id = 0; id < 2 * gates; ++id) {
        void* addresses[2];
        CHECK(cudnnGetRNNWeightParams(handle, desc, cell, weight_size, memory, id, matrix, &addresses[0], vector,
                                      &addresses[1]));
        for (int part = 0; part < 1 + bias; ++part) {
          int rank, dims[3], strides[3];
          cudnnDataType_t element;
          CHECK(cudnnGetTensorNdDescriptor(part ? vector : matrix, 3, &element, &rank, dims, strides));
          visit(addresses[part], static_cast<size_t>(dims[0] * dims[1] * dims[2]));
        }
      }
  };
  parts(weights.data, [&](void* address, size_t count) {
    const Buffer given = buffer(type, count, true);
    cudaMemcpy(address, given.data, count * size_of(type), cudaMemcpyDeviceToDevice);
  });
  size_t items = static_cast<size_t>(batch * steps);
  if (layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED) {
    items = 0;
    for (const int length : lengths) items += static_cast<size_t>(length);
  }
  const size_t out = static_cast<size_t>(hidden * directions), states = static_cast<size_t>(cells * batch * hidden);
  const int dims[] = {cells, batch, hidden}, strides[] = {batch * hidden, hidden, 1};
  CHECK(cudnnSetTensorNdDescriptor(state, type, 3, dims, strides));
  const cudnnRNNDataDescriptor_t x_desc = sequence(type, layout, steps, batch, input, lengths);
  const cudnnRNNDataDescriptor_t y_desc = sequence(type, layout, steps, batch, static_cast<int>(out), lengths);
  const Buffer x = buffer(type, items * static_cast<size_t>(input), true), hx = buffer(type, states, true);
  const Buffer cx = buffer(type, states, true), dy = buffer(type, items * out, true);
  const Buffer dhy = buffer(type, states, true), dcy = buffer(type, states, true);
  const Buffer y = buffer(type, items * out, false), hy = buffer(type, states, false), cy = buffer(type, states, false);
  const Buffer dx = buffer(type, x.count, false), dhx = buffer(type, states, false), dcx = buffer(type, states, false);
  Workspace workspace, reserve;
  CHECK(cudnnGetRNNTempSpaceSizes(handle, desc, CUDNN_FWD_MODE_TRAINING, x_desc, &workspace_size, &reserve_size));
  workspace.size = workspace_size;
  reserve.size = reserve_size;
  workspace.grow();
  reserve.grow();
  CHECK(cudnnRNNForward(handle, desc, CUDNN_FWD_MODE_TRAINING, nullptr, x_desc, x.data, y_desc, y.data, state, hx.data,
                        hy.data, state, cx.data, cy.data, weight_size, weights.data, workspace_size, workspace.data,
                        reserve_size, reserve.data));
  CHECK(cudnnRNNBackwardData_v8(handle, desc, nullptr, y_desc, y.data, dy.data, x_desc, dx.data, state, hx.data,
                                dhy.data, dhx.data, state, cx.data, dcy.data, dcx.data, weight_size, weights.data,
                                workspace_size, workspace.data, reserve_size, reserve.data));
  for (int twice = 0; twice < 2; ++twice)
    CHECK(cudnnRNNBackwardWeights_v8(handle, desc, CUDNN_WGRAD_MODE_ADD, nullptr, x_desc, x.data, state, hx.data,
                                     y_desc, y.data, weight_size, gradient.data, workspace_size, workspace.data,
                                     reserve_size, reserve.data));
  for (const Buffer* each : {&y, &hy, &cy, &dx, &dhx, &dcx}) each->print();
  parts(gradient.data, [&](void* address, size_t count) {
    Buffer part;
    part.type = type;
    part.count = count;
    part.data = address;
    part.print();
  });
}

// Drop elements and scale the others; the backward pass drops the same ones.
static void dropout() {
  const double rate = number();
  Tensor x;
  Buffer y = buffer(x.type, x.count, false), dx = buffer(x.type, x.count, false);
  Workspace states, reserve;
  CHECK(cudnnDropoutGetStatesSize(handle, &states.size));
  CHECK(cudnnDropoutGetReserveSpaceSize(x.desc, &reserve.size));
  states.grow();
  reserve.grow();
  cudnnDropoutDescriptor_t desc;
  CHECK(cudnnCreateDropoutDescriptor(&desc));
  CHECK(cudnnSetDropoutDescriptor(desc, handle, static_cast<float>(rate), states.data, states.size, 12345));
  CHECK(cudnnDropoutForward(handle, desc, x.desc, x.data, x.desc, y.data, reserve.data, reserve.size));
  CHECK(cudnnDropoutBackward(handle, desc, x.desc, x.data, x.desc, dx.data, reserve.data, reserve.size));
  y.print();
  dx.print();
}

static void ctc_loss() {
  Tensor x;
  const int batch = x.dims[1];
  const std::vector<int> label_lengths = integers(batch), input_lengths = integers(batch);
  int total = 0;
  for (const int length : label_lengths) total += length;
  const std::vector<int> labels = integers(total);
  const Buffer costs = buffer(x.type, static_cast<size_t>(batch), false), dx = buffer(x.type, x.count, false);
  cudnnCTCLossDescriptor_t desc;
  CHECK(cudnnCreateCTCLossDescriptor(&desc));
  CHECK(cudnnSetCTCLossDescriptorEx(desc, CUDNN_DATA_FLOAT, CUDNN_LOSS_NORMALIZATION_SOFTMAX, CUDNN_PROPAGATE_NAN));
  Workspace space;
  CHECK(cudnnGetCTCLossWorkspaceSize(handle, x.desc, x.desc, labels.data(), label_lengths.data(), input_lengths.data(),
                                     CUDNN_CTC_LOSS_ALGO_DETERMINISTIC, desc, &space.size));
  space.grow();
  CHECK(cudnnCTCLoss(handle, x.desc, x.data, labels.data(), label_lengths.data(), input_lengths.data(), costs.data,
                     x.desc, dx.data, CUDNN_CTC_LOSS_ALGO_DETERMINISTIC, desc, space.data, space.size));
  costs.print();
  dx.print();
}

static const struct {
  const char* name;
  void (*run)();
} functions[] = {{"convolution_forward", convolution_forward},
                 {"convolution_data", convolution_data},
                 {"convolution_filter", convolution_filter},
                 {"convolution_bias", convolution_bias},
                 {"convolution_bias_activation", convolution_bias_activation},
                 {"activation_forward", activation_forward},
                 {"activation_backward", activation_backward},
                 {"pooling_forward", pooling_forward},
                 {"pooling_backward", pooling_backward},
                 {"softmax_forward", softmax_forward},
                 {"softmax_backward", softmax_backward},
                 {"norm_training", norm_training},
                 {"norm_inference", norm_inference},
                 {"norm_backward", norm_backward},
                 {"op_tensor", op_tensor},
                 {"add_tensor", add_tensor},
                 {"scale_tensor", scale_tensor},
                 {"set_tensor", set_tensor},
                 {"transform_tensor", transform_tensor},
                 {"reduce_tensor", reduce_tensor},
                 {"lrn_forward", lrn_forward},
                 {"lrn_backward", lrn_backward},
                 {"rnn", rnn},
                 {"dropout", dropout},
                 {"ctc_loss", ctc_loss}};

int main() {
  CHECK(cudnnCreate(&handle));
  std::string name;
  while (std::cin >> name) {
    for (const auto& function : functions) {
      if (name != function.name) continue;
      try {
        function.run();
      } catch (const std::string& what) {
        printf("%s", what.c_str());
      }
      printf("\n");
    }
  }
  return cudnnDestroy(handle);
}
