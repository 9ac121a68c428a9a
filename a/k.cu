#define WARP ((int)32)
#define LAST (unsigned)(31)
#define LOG ((5))
#define FULL 0xFFFFFFFFul
__global__ void k(const int* v, int* out) {
  int sum = v[threadIdx.x];
  for (int d = 8; d; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
  for (int d = WARP / 2; d; d /= 2) sum += __shfl_xor_sync(FULL, sum, d); out[threadIdx.x/WARP] = sum;
}
