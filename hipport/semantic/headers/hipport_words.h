// CUDA's words. All functions count as functions of both sides (a pragma of clang), so that no call is refused because
// of the side that it is on; what is left of the words is `__global__`, which a launch asks for.
#undef __host__
#undef __device__
#undef __shared__
#undef __constant__
#undef __managed__
#undef __grid_constant__
#undef __forceinline__
#undef __noinline__  // a keyword of clang's
#undef __launch_bounds__
#undef __cluster_dims__
#undef __maxnreg__
#undef __block_size__
#undef __global__
#define __host__
#define __device__
#define __shared__
#define __constant__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __maxnreg__(...)
#define __block_size__(...)
#define __global__ __attribute__((global))
#ifndef __align__
#define __align__(n) __attribute__((aligned(n)))
#endif
