// SPDX-License-Identifier: MIT
// Batch normalization with an addition and ReLU, against the same computed by hand. Prints the largest differences.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include <cudnn.h>

namespace {

constexpr int kImages = 3, kChannels = 2, kPoints = 4, kAll = kImages * kChannels * kPoints;
constexpr double kEpsilon = 1e-5;

float at(int i, int salt) { return std::sin(1.7f * i + salt) + 0.1f * salt; }

float* device(const std::vector<float>& values) {
  float* data;
  cudaMalloc(&data, values.size() * sizeof(float));
  cudaMemcpy(data, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
  return data;
}

float difference(const float* data, const std::vector<double>& wanted) {
  std::vector<float> found(wanted.size());
  cudaMemcpy(found.data(), data, found.size() * sizeof(float), cudaMemcpyDeviceToHost);
  double worst = 0;
  for (size_t i = 0; i < found.size(); ++i) worst = std::max(worst, std::fabs(found[i] - wanted[i]));
  return static_cast<float>(worst);
}

void check(cudnnHandle_t handle, cudnnBatchNormOps_t ops) {
  const bool adds = ops == CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION, activates = ops != CUDNN_BATCHNORM_OPS_BN;
  std::vector<float> x(kAll), z(kAll), dy(kAll), scale(kChannels), bias(kChannels);
  for (int i = 0; i < kAll; ++i) x[i] = at(i, 1), z[i] = at(i, 2), dy[i] = at(i, 3);
  for (int c = 0; c < kChannels; ++c) scale[c] = 1.5f - c, bias[c] = 0.25f * c;

  std::vector<double> y(kAll), dz(kAll), dx(kAll), dscale(kChannels), dbias(kChannels);
  for (int c = 0; c < kChannels; ++c) {
    const auto index = [c](int k) { return (k / kPoints * kChannels + c) * kPoints + k % kPoints; };
    const int count = kImages * kPoints;
    double mean = 0, variance = 0;
    for (int k = 0; k < count; ++k) mean += x[index(k)] / count;
    for (int k = 0; k < count; ++k) variance += (x[index(k)] - mean) * (x[index(k)] - mean) / count;
    const double inverse = 1 / std::sqrt(variance + kEpsilon);
    for (int k = 0; k < count; ++k) {
      const int i = index(k);
      const double normal = (x[i] - mean) * inverse, sum = normal * scale[c] + bias[c] + (adds ? z[i] : 0);
      y[i] = activates ? std::max(sum, 0.0) : sum;
      dz[i] = activates && sum <= 0 ? 0 : dy[i];
      dscale[c] += dz[i] * normal;
      dbias[c] += dz[i];
    }
    for (int k = 0; k < count; ++k) {
      const int i = index(k);
      dx[i] = scale[c] * inverse * (dz[i] - dbias[c] / count - (x[i] - mean) * inverse * dscale[c] / count);
    }
  }

  cudnnTensorDescriptor_t tensor, channels;
  cudnnActivationDescriptor_t activation;
  cudnnCreateTensorDescriptor(&tensor);
  cudnnCreateTensorDescriptor(&channels);
  cudnnCreateActivationDescriptor(&activation);
  cudnnSetTensor4dDescriptor(tensor, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, kImages, kChannels, 2, 2);
  cudnnDeriveBNTensorDescriptor(channels, tensor, CUDNN_BATCHNORM_SPATIAL);
  cudnnSetActivationDescriptor(activation, CUDNN_ACTIVATION_RELU, CUDNN_PROPAGATE_NAN, 0.0);
  size_t forward, backward, reserve;
  const auto mode = CUDNN_BATCHNORM_SPATIAL;
  cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(handle, mode, ops, tensor, tensor, tensor, channels,
                                                           activation, &forward);
  cudnnGetBatchNormalizationBackwardExWorkspaceSize(handle, mode, ops, tensor, tensor, tensor, tensor, tensor, channels,
                                                    activation, &backward);
  cudnnGetBatchNormalizationTrainingExReserveSpaceSize(handle, mode, ops, activation, tensor, &reserve);
  const std::vector<float> none(kAll), few(kChannels);
  float *x_gpu = device(x), *z_gpu = device(z), *dy_gpu = device(dy), *scale_gpu = device(scale);
  float *bias_gpu = device(bias), *y_gpu = device(none), *dx_gpu = device(none), *dz_gpu = device(none);
  float *mean = device(few), *inverse = device(few), *dscale_gpu = device(few), *dbias_gpu = device(few);
  void* workspace = device(std::vector<float>(std::max(forward, backward) / sizeof(float) + 1));
  void* kept = device(std::vector<float>(reserve / sizeof(float) + 1));
  const float one = 1, zero = 0;
  const cudnnStatus_t done = cudnnBatchNormalizationForwardTrainingEx(
      handle, mode, ops, &one, &zero, tensor, x_gpu, tensor, z_gpu, tensor, y_gpu, channels, scale_gpu, bias_gpu, 1.0,
      nullptr, nullptr, kEpsilon, mean, inverse, activation, workspace, forward, kept, reserve);
  const cudnnStatus_t back = cudnnBatchNormalizationBackwardEx(
      handle, mode, ops, &one, &zero, &one, &zero, tensor, x_gpu, tensor, y_gpu, tensor, dy_gpu, tensor, dz_gpu, tensor,
      dx_gpu, channels, scale_gpu, bias_gpu, dscale_gpu, dbias_gpu, kEpsilon, mean, inverse, activation, workspace,
      backward, kept, reserve);
  cudaDeviceSynchronize();
  printf("%d %d %g %g %g %g %g\n", done, back, difference(y_gpu, y), difference(dx_gpu, dx),
         difference(dscale_gpu, dscale), difference(dbias_gpu, dbias), adds ? difference(dz_gpu, dz) : 0);
  cudnnSetActivationDescriptor(activation, CUDNN_ACTIVATION_TANH, CUDNN_PROPAGATE_NAN, 0.0);
  printf("%d\n",
         cudnnBatchNormalizationForwardTrainingEx(handle, mode, ops, &one, &zero, tensor, x_gpu, tensor, z_gpu, tensor,
                                                  y_gpu, channels, scale_gpu, bias_gpu, 1.0, nullptr, nullptr, kEpsilon,
                                                  mean, inverse, activation, workspace, forward, kept, reserve));
}

}  // namespace

int main() {
  cudnnHandle_t handle;
  cudnnCreate(&handle);
  for (auto ops : {CUDNN_BATCHNORM_OPS_BN, CUDNN_BATCHNORM_OPS_BN_ACTIVATION, CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION})
    check(handle, ops);
}
