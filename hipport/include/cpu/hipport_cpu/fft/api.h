// SPDX-License-Identifier: MIT
// hipFFT's functions: plans, and their execution by FFTW.
#pragma once

#include "transform.h"

namespace hipport::cpu::fft {

inline bool is_type(hipfftType type) {
  const int kind = static_cast<int>(type) & ~0x40;
  return kind == HIPFFT_C2C || kind == HIPFFT_R2C || kind == HIPFFT_C2R;
}

inline hipfftResult make(hipfftHandle plan, std::vector<int> sizes, hipfftType type, int batch, size_t* work) {
  if (plan == nullptr) return HIPFFT_INVALID_PLAN;
  if (!is_type(type)) return HIPFFT_INVALID_TYPE;
  for (int size : sizes)
    if (size < 1) return HIPFFT_INVALID_SIZE;
  if (batch < 1 || sizes.empty() || sizes.size() > 3) return HIPFFT_INVALID_SIZE;
  plan->sizes = std::move(sizes);
  plan->type = type;
  plan->batch = batch;
  if (work != nullptr) *work = 0;
  return HIPFFT_SUCCESS;
}

// Make the plan of a new handle with `made(handle)`.
template <typename Make>
hipfftResult create(hipfftHandle* plan, Make made) {
  if (plan == nullptr) return HIPFFT_INVALID_VALUE;
  auto fresh = std::make_unique<hipfftHandle_t>();
  const hipfftResult result = made(fresh.get());
  if (result == HIPFFT_SUCCESS) *plan = fresh.release();
  return result;
}

}  // namespace hipport::cpu::fft

inline hipfftResult hipfftCreate(hipfftHandle* plan) {
  return hipport::cpu::fft::create(plan, [](hipfftHandle) { return HIPFFT_SUCCESS; });
}
inline hipfftResult hipfftDestroy(hipfftHandle plan) {
  if (plan == nullptr) return HIPFFT_INVALID_PLAN;
  delete plan;
  return HIPFFT_SUCCESS;
}
inline hipfftResult hipfftSetStream(hipfftHandle plan, hipStream_t stream) {
  if (plan == nullptr) return HIPFFT_INVALID_PLAN;
  plan->stream = stream;
  return HIPFFT_SUCCESS;
}
inline hipfftResult hipfftSetAutoAllocation(hipfftHandle plan, int) {
  return plan == nullptr ? HIPFFT_INVALID_PLAN : HIPFFT_SUCCESS;
}
inline hipfftResult hipfftSetWorkArea(hipfftHandle plan, void*) {
  return plan == nullptr ? HIPFFT_INVALID_PLAN : HIPFFT_SUCCESS;
}
// FFTW's buffers are its own: plans need no work area.
inline hipfftResult hipfftGetSize(hipfftHandle plan, size_t* work) {
  if (plan == nullptr) return HIPFFT_INVALID_PLAN;
  *work = 0;
  return HIPFFT_SUCCESS;
}
inline hipfftResult hipfftGetVersion(int* version) {
  *version = 10000;
  return HIPFFT_SUCCESS;
}

inline hipfftResult hipfftMakePlan1d(hipfftHandle plan, int nx, hipfftType type, int batch, size_t* work) {
  return hipport::cpu::fft::make(plan, {nx}, type, batch, work);
}
inline hipfftResult hipfftMakePlan2d(hipfftHandle plan, int nx, int ny, hipfftType type, size_t* work) {
  return hipport::cpu::fft::make(plan, {nx, ny}, type, 1, work);
}
inline hipfftResult hipfftMakePlan3d(hipfftHandle plan, int nx, int ny, int nz, hipfftType type, size_t* work) {
  return hipport::cpu::fft::make(plan, {nx, ny, nz}, type, 1, work);
}
inline hipfftResult hipfftMakePlanMany(hipfftHandle plan, int rank, int* sizes, int* in_embed, int in_stride,
                                       int in_distance, int* out_embed, int out_stride, int out_distance,
                                       hipfftType type, int batch, size_t* work) {
  if (sizes == nullptr || rank < 1 || rank > 3) return HIPFFT_INVALID_VALUE;
  const hipfftResult made = hipport::cpu::fft::make(plan, {sizes, sizes + rank}, type, batch, work);
  if (made != HIPFFT_SUCCESS || in_embed == nullptr || out_embed == nullptr) return made;
  plan->packed = false;
  plan->in = {{in_embed, in_embed + rank}, in_stride, in_distance};
  plan->out = {{out_embed, out_embed + rank}, out_stride, out_distance};
  return HIPFFT_SUCCESS;
}

inline hipfftResult hipfftPlan1d(hipfftHandle* plan, int nx, hipfftType type, int batch) {
  using namespace hipport::cpu::fft;
  return create(plan, [=](hipfftHandle fresh) { return make(fresh, {nx}, type, batch, nullptr); });
}
inline hipfftResult hipfftPlan2d(hipfftHandle* plan, int nx, int ny, hipfftType type) {
  using namespace hipport::cpu::fft;
  return create(plan, [=](hipfftHandle fresh) { return make(fresh, {nx, ny}, type, 1, nullptr); });
}
inline hipfftResult hipfftPlan3d(hipfftHandle* plan, int nx, int ny, int nz, hipfftType type) {
  using namespace hipport::cpu::fft;
  return create(plan, [=](hipfftHandle fresh) { return make(fresh, {nx, ny, nz}, type, 1, nullptr); });
}
inline hipfftResult hipfftPlanMany(hipfftHandle* plan, int rank, int* sizes, int* in_embed, int in_stride,
                                   int in_distance, int* out_embed, int out_stride, int out_distance, hipfftType type,
                                   int batch) {
  return hipport::cpu::fft::create(plan, [=](hipfftHandle fresh) {
    return hipfftMakePlanMany(fresh, rank, sizes, in_embed, in_stride, in_distance, out_embed, out_stride, out_distance,
                              type, batch, nullptr);
  });
}

inline hipfftResult hipfftExecC2C(hipfftHandle plan, hipfftComplex* in, hipfftComplex* out, int direction) {
  return hipport::cpu::fft::submit<float>(plan, HIPFFT_C2C, in, out, direction);
}
inline hipfftResult hipfftExecR2C(hipfftHandle plan, hipfftReal* in, hipfftComplex* out) {
  return hipport::cpu::fft::submit<float>(plan, HIPFFT_R2C, in, out, HIPFFT_FORWARD);
}
inline hipfftResult hipfftExecC2R(hipfftHandle plan, hipfftComplex* in, hipfftReal* out) {
  return hipport::cpu::fft::submit<float>(plan, HIPFFT_C2R, in, out, HIPFFT_BACKWARD);
}
inline hipfftResult hipfftExecZ2Z(hipfftHandle plan, hipfftDoubleComplex* in, hipfftDoubleComplex* out, int direction) {
  return hipport::cpu::fft::submit<double>(plan, HIPFFT_Z2Z, in, out, direction);
}
inline hipfftResult hipfftExecD2Z(hipfftHandle plan, hipfftDoubleReal* in, hipfftDoubleComplex* out) {
  return hipport::cpu::fft::submit<double>(plan, HIPFFT_D2Z, in, out, HIPFFT_FORWARD);
}
inline hipfftResult hipfftExecZ2D(hipfftHandle plan, hipfftDoubleComplex* in, hipfftDoubleReal* out) {
  return hipport::cpu::fft::submit<double>(plan, HIPFFT_Z2D, in, out, HIPFFT_BACKWARD);
}
