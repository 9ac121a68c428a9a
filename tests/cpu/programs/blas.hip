// hipBLAS against plain loops.
#include <hip/hip_runtime.h>
#include <hipblas/hipblas.h>

#include <cstdio>
#include <vector>

static int wrong = 0;
#define EXPECT(what)                                 \
  do {                                               \
    if (!(what)) {                                   \
      std::printf("line %d: %s\n", __LINE__, #what); \
      ++wrong;                                       \
    }                                                \
  } while (0)
#define OK(call) EXPECT((call) == HIPBLAS_STATUS_SUCCESS)

static bool near(double a, double b, double relative = 1e-5) {
  return std::fabs(a - b) <= relative * (1 + std::fabs(b));
}

template <typename T>
static std::vector<T> numbers(int count, int seed) {
  std::vector<T> result(count);
  for (int i = 0; i < count; ++i) result[i] = T(float((i * 37 + seed * 11) % 19 - 9) / 4);
  return result;
}

constexpr int m = 5, n = 4, k = 3;

// c = alpha * op(a) * op(b) + beta * c in double.
template <typename T>
static double expected(bool ta, bool tb, const T* a, int lda, const T* b, int ldb, double c, double alpha, double beta,
                       int row, int column) {
  double sum = 0;
  for (int i = 0; i < k; ++i)
    sum += double(float(ta ? a[i + row * lda] : a[row + i * lda])) *
           double(float(tb ? b[column + i * ldb] : b[i + column * ldb]));
  return alpha * sum + beta * c;
}

static void vectors(hipblasHandle_t handle) {
  auto x = numbers<float>(10, 1), y = numbers<float>(10, 2);
  const auto old = y;
  float alpha = 2, result = 0, device_alpha = 3;
  OK(hipblasSaxpy(handle, 10, &alpha, x.data(), 1, y.data(), 1));
  for (int i = 0; i < 10; ++i) EXPECT(near(y[i], old[i] + 2 * x[i]));
  double dot = 0, norm = 0, sum = 0;
  int largest = 0, at = 0;
  for (int i = 0; i < 5; ++i) {
    dot += x[2 * i] * y[i];
    norm += x[i] * x[i];
    sum += std::fabs(x[i]);
    if (std::fabs(x[i]) > std::fabs(x[largest])) largest = i;
  }
  OK(hipblasSdot(handle, 5, x.data(), 2, y.data(), 1, &result));
  EXPECT(near(result, dot));
  OK(hipblasSnrm2(handle, 5, x.data(), 1, &result));
  EXPECT(near(result, std::sqrt(norm)));
  OK(hipblasSasum(handle, 5, x.data(), 1, &result));
  EXPECT(near(result, sum));
  OK(hipblasIsamax(handle, 5, x.data(), 1, &at));
  EXPECT(at == largest + 1);
  // A factor on the device is read when the work is done, in a capture when the graph runs.
  OK(hipblasSetPointerMode(handle, HIPBLAS_POINTER_MODE_DEVICE));
  hipStream_t stream;
  hipGraph_t graph;
  hipGraphExec_t executable;
  const float before = x[3];
  (void)hipStreamCreate(&stream);
  OK(hipblasSetStream(handle, stream));
  (void)hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal);
  OK(hipblasSscal(handle, 10, &device_alpha, x.data(), 1));
  (void)hipStreamEndCapture(stream, &graph);
  EXPECT(x[3] == before);
  device_alpha = 5;
  (void)hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0);
  (void)hipGraphLaunch(executable, stream);
  EXPECT(near(x[3], 5 * before));
  OK(hipblasSetStream(handle, nullptr));
  OK(hipblasSetPointerMode(handle, HIPBLAS_POINTER_MODE_HOST));
  hipDoubleComplex a[2] = {{1, 2}, {3, -1}}, b[2] = {{0, 1}, {2, 2}}, product = {};
  OK(hipblasZdotc(handle, 2, a, 1, b, 1, &product));
  EXPECT(near(product.x, 2 + 4) && near(product.y, 1 + 8));
}

template <typename T, typename Gemm>
static void products(Gemm gemm) {
  for (int ops = 0; ops < 4; ++ops) {
    const bool ta = ops & 1, tb = ops & 2;
    const auto a = numbers<T>(64, 3), b = numbers<T>(64, 4), old = numbers<T>(64, 5);
    auto c = old;
    OK(gemm(ta ? HIPBLAS_OP_T : HIPBLAS_OP_N, tb ? HIPBLAS_OP_T : HIPBLAS_OP_N, a.data(), b.data(), c.data()));
    for (int column = 0; column < n; ++column)
      for (int row = 0; row < m; ++row) {
        const int at = row + column * 7;
        const double wanted = expected(ta, tb, a.data(), 6, b.data(), 5, double(float(old[at])), 1.5, 0.5, row, column);
        EXPECT(near(double(float(c[at])), wanted, sizeof(T) == 2 ? 0.01 : 1e-5));
      }
  }
}

static void matrices(hipblasHandle_t handle) {
  const float alpha = 1.5f, beta = 0.5f;
  const double alpha2 = 1.5, beta2 = 0.5;
  products<float>([&](auto ta, auto tb, const float* a, const float* b, float* c) {
    return hipblasSgemm(handle, ta, tb, m, n, k, &alpha, a, 6, b, 5, &beta, c, 7);
  });
  products<double>([&](auto ta, auto tb, const double* a, const double* b, double* c) {
    return hipblasDgemm(handle, ta, tb, m, n, k, &alpha2, a, 6, b, 5, &beta2, c, 7);
  });
  products<__half>([&](auto ta, auto tb, const __half* a, const __half* b, __half* c) {
    return hipblasGemmEx(handle, ta, tb, m, n, k, &alpha, a, HIP_R_16F, 6, b, HIP_R_16F, 5, &beta, c, HIP_R_16F, 7,
                         HIPBLAS_COMPUTE_32F, HIPBLAS_GEMM_DEFAULT);
  });
  products<__hip_bfloat16>([&](auto ta, auto tb, const __hip_bfloat16* a, const __hip_bfloat16* b, __hip_bfloat16* c) {
    return hipblasGemmEx(handle, ta, tb, m, n, k, &alpha, a, HIP_R_16BF, 6, b, HIP_R_16BF, 5, &beta, c, HIP_R_16BF, 7,
                         HIPBLAS_COMPUTE_32F, HIPBLAS_GEMM_DEFAULT);
  });
  products<__half>([&](auto ta, auto tb, const __half* a, const __half* b, __half* c) {
    const __half one_and_a_half(1.5f), half(0.5f);
    return hipblasHgemm(handle, ta, tb, m, n, k, &one_and_a_half, a, 6, b, 5, &half, c, 7);
  });
  // A batch with strides and one of pointers, against single products.
  const auto a = numbers<float>(100, 6), b = numbers<float>(100, 7);
  std::vector<float> one(60), strided(60), listed(60);
  const float* as[] = {a.data(), a.data() + 30};
  const float* bs[] = {b.data(), b.data() + 20};
  float* cs[] = {listed.data(), listed.data() + 30};
  const float zero = 0;
  for (int i = 0; i < 2; ++i)
    OK(hipblasSgemm(handle, HIPBLAS_OP_N, HIPBLAS_OP_N, m, n, k, &alpha, as[i], m, bs[i], k, &zero, one.data() + 30 * i,
                    m));
  OK(hipblasSgemmStridedBatched(handle, HIPBLAS_OP_N, HIPBLAS_OP_N, m, n, k, &alpha, a.data(), m, 30, b.data(), k, 20,
                                &zero, strided.data(), m, 30, 2));
  OK(hipblasSgemmBatched(handle, HIPBLAS_OP_N, HIPBLAS_OP_N, m, n, k, &alpha, as, m, bs, k, &zero, cs, m, 2));
  EXPECT(one == strided && one == listed);
}

// A triangular system solved is the right-hand side again; sums and transposes.
static void solvers(hipblasHandle_t handle) {
  auto a = numbers<double>(9, 8), x = numbers<double>(3, 9);
  for (int i = 0; i < 3; ++i) a[4 * i] = 5 + i;
  auto b = x;
  const double one = 1, two = 2, minus = -1;
  OK(hipblasDtrmv(handle, HIPBLAS_FILL_MODE_LOWER, HIPBLAS_OP_N, HIPBLAS_DIAG_NON_UNIT, 3, a.data(), 3, b.data(), 1));
  OK(hipblasDtrsm(handle, HIPBLAS_SIDE_LEFT, HIPBLAS_FILL_MODE_LOWER, HIPBLAS_OP_N, HIPBLAS_DIAG_NON_UNIT, 3, 1, &one,
                  a.data(), 3, b.data(), 3));
  for (int i = 0; i < 3; ++i) EXPECT(near(b[i], x[i]));
  std::vector<double> y = {1, 2, 3}, sum(9);
  OK(hipblasDgemv(handle, HIPBLAS_OP_T, 3, 3, &two, a.data(), 3, x.data(), 1, &minus, y.data(), 1));
  EXPECT(near(y[1], 2 * (a[3] * x[0] + a[4] * x[1] + a[5] * x[2]) - 2));
  OK(hipblasDgeam(handle, HIPBLAS_OP_T, HIPBLAS_OP_N, 3, 3, &one, a.data(), 3, &two, a.data(), 3, sum.data(), 3));
  EXPECT(near(sum[1], a[3] + 2 * a[1]));
  OK(hipblasDger(handle, 3, 3, &one, x.data(), 1, y.data(), 1, sum.data(), 3));
  EXPECT(near(sum[1], a[3] + 2 * a[1] + x[1] * y[0]));
  std::vector<double> host = {1, 2, 3, 4, 5, 6}, device(8), back(6);
  OK(hipblasSetMatrix(3, 2, sizeof(double), host.data(), 3, device.data(), 4));
  EXPECT(device[4] == 4);
  OK(hipblasGetMatrix(3, 2, sizeof(double), device.data(), 4, back.data(), 3));
  EXPECT(back == host);
}

int main() {
  hipblasHandle_t handle;
  EXPECT(hipblasSscal(nullptr, 1, nullptr, nullptr, 1) == HIPBLAS_STATUS_NOT_INITIALIZED);
  OK(hipblasCreate(&handle));
  vectors(handle);
  matrices(handle);
  solvers(handle);
  EXPECT(hipblasStrtri(handle, HIPBLAS_FILL_MODE_LOWER, HIPBLAS_DIAG_UNIT, 1, nullptr, 1, nullptr, 1) ==
         HIPBLAS_STATUS_NOT_SUPPORTED);
  OK(hipblasDestroy(handle));
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
