// SPDX-License-Identifier: MIT
// hipFFT's transforms against the sums by which they are defined.
#include <hip/hip_runtime.h>
#include <hipfft/hipfft.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

using Complex = std::complex<double>;
static int failures = 0;

static void expect(bool right, const char* what) {
  if (!right) std::printf("FAIL: %s\n", what);
  failures += !right;
}

// Transform a batch of rows * columns numbers.
static std::vector<Complex> defined(const std::vector<Complex>& in, int batch, int rows, int columns, int sign) {
  std::vector<Complex> out(in.size());
  const int size = rows * columns;
  for (int b = 0; b < batch; ++b)
    for (int i = 0; i < size; ++i)
      for (int k = 0; k < size; ++k) {
        const double turns = double(i / columns * (k / columns)) / rows + double(i % columns * (k % columns)) / columns;
        out[b * size + i] += in[b * size + k] * std::polar(1.0, sign * 2 * M_PI * turns);
      }
  return out;
}

static std::vector<Complex> numbers(int size, bool real) {
  std::vector<Complex> made;
  for (int i = 0; i < size; ++i) made.emplace_back(std::sin(3 * i + 1), real ? 0 : std::cos(5 * i));
  return made;
}

template <typename T>
bool close(const T* got, const std::vector<Complex>& wanted, double tolerance) {
  bool right = true;
  for (size_t i = 0; i < wanted.size(); ++i) right &= std::abs(Complex(got[i].x, got[i].y) - wanted[i]) < tolerance;
  return right;
}

static void complex_to_complex() {
  const int batch = 3, size = 12;
  const auto in = numbers(batch * size, false);
  hipfftComplex *data = nullptr, *result = nullptr;
  expect(hipMalloc(&data, in.size() * sizeof(*data)) == hipSuccess, "memory");
  expect(hipMalloc(&result, in.size() * sizeof(*result)) == hipSuccess, "memory");
  for (size_t i = 0; i < in.size(); ++i) data[i] = {float(in[i].real()), float(in[i].imag())};
  hipfftHandle plan = nullptr;
  expect(hipfftPlan1d(&plan, size, HIPFFT_C2C, batch) == HIPFFT_SUCCESS, "Plan1d");
  expect(hipfftExecC2C(plan, data, result, HIPFFT_FORWARD) == HIPFFT_SUCCESS, "ExecC2C");
  expect(close(result, defined(in, batch, 1, size, -1), 1e-4), "C2C forward");
  expect(hipfftExecC2C(plan, data, data, HIPFFT_BACKWARD) == HIPFFT_SUCCESS, "ExecC2C");
  expect(close(data, defined(in, batch, 1, size, 1), 1e-4), "C2C backward in place");
  expect(hipfftExecR2C(plan, &data->x, result) == HIPFFT_INVALID_TYPE, "another type");
  expect(hipfftDestroy(plan) == HIPFFT_SUCCESS, "Destroy");
  static_cast<void>(hipFree(data));
  static_cast<void>(hipFree(result));
}

// Two dimensions of real numbers to their spectrum, of which half is stored, and back, in place or not.
static void real(bool in_place) {
  const int rows = 6, columns = 5, half = columns / 2 + 1, padded = in_place ? 2 * half : columns;
  const auto in = numbers(rows * columns, true), wanted = defined(in, 1, rows, columns, -1);
  std::vector<hipfftDoubleComplex> spectrum(rows * half);
  std::vector<double> separate(rows * columns);
  double* data = in_place ? &spectrum[0].x : separate.data();
  for (int i = 0; i < rows * columns; ++i) data[i / columns * padded + i % columns] = in[i].real();
  hipfftHandle plan = nullptr, back = nullptr;
  expect(hipfftPlan2d(&plan, rows, columns, HIPFFT_D2Z) == HIPFFT_SUCCESS, "Plan2d");
  expect(hipfftPlan2d(&back, rows, columns, HIPFFT_Z2D) == HIPFFT_SUCCESS, "Plan2d");
  expect(hipfftExecD2Z(plan, data, spectrum.data()) == HIPFFT_SUCCESS, "ExecD2Z");
  bool right = true;
  for (int i = 0; i < rows * half; ++i) {
    const Complex value = wanted[i / half * columns + i % half];
    right &= std::abs(Complex(spectrum[i].x, spectrum[i].y) - value) < 1e-9;
  }
  expect(right, in_place ? "D2Z in place" : "D2Z");
  expect(hipfftExecZ2D(back, spectrum.data(), data) == HIPFFT_SUCCESS, "ExecZ2D");
  for (int i = 0; i < rows * columns; ++i)
    right &= std::abs(data[i / columns * padded + i % columns] / (rows * columns) - in[i].real()) < 1e-9;
  expect(right, in_place ? "Z2D in place" : "Z2D");
  expect(hipfftDestroy(plan) == HIPFFT_SUCCESS && hipfftDestroy(back) == HIPFFT_SUCCESS, "Destroy");
}

// The columns of a matrix: elements that are not adjacent.
static void strided() {
  int size = 4, count = 3;
  const auto in = numbers(size * count, false);
  std::vector<hipfftDoubleComplex> data(in.size());
  for (size_t i = 0; i < in.size(); ++i) data[i] = {in[i].real(), in[i].imag()};
  hipfftHandle plan = nullptr;
  expect(hipfftPlanMany(&plan, 1, &size, &size, count, 1, &size, count, 1, HIPFFT_Z2Z, count) == HIPFFT_SUCCESS,
         "Many");
  expect(hipfftExecZ2Z(plan, data.data(), data.data(), HIPFFT_FORWARD) == HIPFFT_SUCCESS, "ExecZ2Z");
  bool right = true;
  for (int column = 0; column < count; ++column) {
    std::vector<Complex> one(size);
    for (int i = 0; i < size; ++i) one[i] = in[i * count + column];
    const auto wanted = defined(one, 1, 1, size, -1);
    for (int i = 0; i < size; ++i)
      right &= std::abs(Complex(data[i * count + column].x, data[i * count + column].y) - wanted[i]) < 1e-9;
  }
  expect(right, "columns");
  expect(hipfftDestroy(plan) == HIPFFT_SUCCESS, "Destroy");
}

static void mistakes() {
  hipfftHandle plan = nullptr;
  expect(hipfftPlan1d(&plan, 0, HIPFFT_C2C, 1) == HIPFFT_INVALID_SIZE, "no elements");
  expect(hipfftPlan1d(&plan, 8, static_cast<hipfftType>(7), 1) == HIPFFT_INVALID_TYPE, "no such type");
  expect(hipfftExecC2C(nullptr, nullptr, nullptr, HIPFFT_FORWARD) == HIPFFT_INVALID_PLAN, "no plan");
  expect(hipfftCreate(&plan) == HIPFFT_SUCCESS, "Create");
  hipfftComplex number{};
  expect(hipfftExecC2C(plan, &number, &number, HIPFFT_FORWARD) == HIPFFT_INVALID_PLAN, "a plan that is not made");
  size_t work = 1;
  expect(hipfftMakePlan1d(plan, 1, HIPFFT_C2C, 1, &work) == HIPFFT_SUCCESS && work == 0, "MakePlan1d");
  expect(hipfftExecC2C(plan, &number, nullptr, HIPFFT_FORWARD) == HIPFFT_INVALID_VALUE, "no result");
  expect(hipfftDestroy(plan) == HIPFFT_SUCCESS, "Destroy");
}

int main() {
  complex_to_complex();
  real(false);
  real(true);
  strided();
  mistakes();
  std::puts(failures == 0 ? "PASS" : "FAIL");
  return failures != 0;
}
