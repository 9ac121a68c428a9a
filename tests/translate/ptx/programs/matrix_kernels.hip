// A kernel of mma for each kind of elements, to look at what compilers make of them.
#include <hip/hip_runtime.h>

#include <hipport/ptx/matrix.h>

using namespace hipport::ptx;

template <typename Element, int Halves, typename Sum>
__global__ void multiply(const uint32_t* fragments, Sum* sums, int count) {
  Vec<Sum, 4> c = {{0, 0, 0, 0}};
  for (int i = 0; i < count; ++i, fragments += 1024) {
    const auto& a = *reinterpret_cast<const Vec<uint32_t, 2 * Halves>*>(fragments + 4 * threadIdx.x);
    const auto& b = *reinterpret_cast<const Vec<uint32_t, Halves>*>(fragments + 512 + 2 * threadIdx.x);
    c = mma<Element, Element, Halves>(a, b, c);
  }
  for (int i = 0; i < 4; ++i) sums[4 * threadIdx.x + i] = c[i];
}

template __global__ void multiply<F16, 1, float>(const uint32_t*, float*, int);
template __global__ void multiply<F16, 2, float>(const uint32_t*, float*, int);
template __global__ void multiply<BF16, 2, float>(const uint32_t*, float*, int);
template __global__ void multiply<TF32, 2, float>(const uint32_t*, float*, int);
template __global__ void multiply<S8, 2, int>(const uint32_t*, int*, int);
template __global__ void multiply<U8, 2, int>(const uint32_t*, int*, int);
template __global__ void multiply<S4, 2, int>(const uint32_t*, int*, int);
template __global__ void multiply<U4, 2, int>(const uint32_t*, int*, int);
