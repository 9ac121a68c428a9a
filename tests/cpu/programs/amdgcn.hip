// SPDX-License-Identifier: MIT
// The compiler's builtins for AMD GPUs against plain definitions. Prints what differs.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

static int wrong = 0;

static void expect(long long got, long long wanted, const char* what, int index) {
  if (got != wanted) std::printf("%s[%d]: %lld instead of %lld\n", what, index, got, wanted);
  wrong += got != wanted;
}

// Run `kernel` as one wavefront whose lane i has the value 100 + i; compare with `wanted(lane)`.
template <typename Kernel, typename F>
void lanes(const char* what, Kernel kernel, F wanted) {
  int* out = nullptr;
  if (hipMalloc(&out, sizeof(int) * warpSize) != hipSuccess) std::exit(1);
  kernel<<<1, warpSize>>>(out);
  std::vector<int> got(warpSize);
  if (hipMemcpy(got.data(), out, sizeof(int) * warpSize, hipMemcpyDeviceToHost) != hipSuccess) std::exit(1);
  for (int lane = 0; lane < warpSize; ++lane) expect(got[lane], wanted(lane), what, lane);
  static_cast<void>(hipFree(out));
}

#define KERNEL(name, expression)                  \
  __global__ void name(int* out) {                \
    const int lane = threadIdx.x, x = 100 + lane; \
    out[lane] = static_cast<int>(expression);     \
  }

// Data-parallel primitives: the old value of a lane is -lane - 1.
template <int Control, int Rows, int Banks, bool Zero>
KERNEL(dpp, __builtin_amdgcn_update_dpp(-lane - 1, x, Control, Rows, Banks, Zero))

// `from(lane)` is the lane that is read, or -1.
template <int Control, typename F>
void check_dpp(const char* what, F from) {
  const auto read = [&](int lane, bool zero) {
    const int source = from(lane);
    return source >= 0 ? 100 + source : zero ? 0 : -lane - 1;
  };
  lanes(what, dpp<Control, 0xf, 0xf, false>, [&](int lane) { return read(lane, false); });
  lanes(what, dpp<Control, 0xf, 0xf, true>, [&](int lane) { return read(lane, true); });
  lanes(what, dpp<Control, 0x2, 0x5, true>, [&](int lane) {
    const bool written = lane / 16 == 1 && (lane / 4 % 4 == 0 || lane / 4 % 4 == 2);
    return written ? read(lane, true) : -lane - 1;
  });
}

static void all_dpp() {
  const int size = warpSize;
  check_dpp<0x1b>("quad_perm:[3,2,1,0]", [](int i) { return i / 4 * 4 + 3 - i % 4; });
  check_dpp<0xa0>("quad_perm:[0,0,2,2]", [](int i) { return i / 2 * 2; });
  check_dpp<0x103>("row_shl:3", [](int i) { return i % 16 + 3 < 16 ? i + 3 : -1; });
  check_dpp<0x111>("row_shr:1", [](int i) { return i % 16 == 0 ? -1 : i - 1; });
  check_dpp<0x11f>("row_shr:15", [](int i) { return i % 16 == 15 ? i - 15 : -1; });
  check_dpp<0x125>("row_ror:5", [](int i) { return i / 16 * 16 + (i + 11) % 16; });
  check_dpp<0x130>("wave_shl:1", [=](int i) { return i + 1 == size ? -1 : i + 1; });
  check_dpp<0x134>("wave_rol:1", [=](int i) { return (i + 1) % size; });
  check_dpp<0x138>("wave_shr:1", [](int i) { return i - 1; });
  check_dpp<0x13c>("wave_ror:1", [=](int i) { return i == 0 ? size - 1 : i - 1; });
  check_dpp<0x140>("row_mirror", [](int i) { return i / 16 * 16 + 15 - i % 16; });
  check_dpp<0x141>("row_half_mirror", [](int i) { return i / 8 * 8 + 7 - i % 8; });
  check_dpp<0x142>("row_bcast:15", [](int i) { return i < 16 ? -1 : i / 16 * 16 - 1; });
  check_dpp<0x143>("row_bcast:31", [](int i) { return i < 32 ? -1 : 31; });
  check_dpp<0x156>("row_share:6", [](int i) { return i / 16 * 16 + 6; });
  check_dpp<0x163>("row_xmask:3", [](int i) { return i ^ 3; });
}

KERNEL(mov_dpp, __builtin_amdgcn_mov_dpp(x, 0x121, 0xf, 0xf, false))
KERNEL(mov_dpp8, __builtin_amdgcn_mov_dpp8(x, 0x053977))
KERNEL(lane_3, __builtin_amdgcn_readlane(x, 3))
KERNEL(last_lane, __builtin_amdgcn_readlane(x, -1))
KERNEL(written, __builtin_amdgcn_writelane(7, 5, x))
KERNEL(first_of_odd, lane % 2 == 0 ? 0 : __builtin_amdgcn_readfirstlane(x))
KERNEL(bpermute, __builtin_amdgcn_ds_bpermute(4 * (lane * 7 + 1), x))
KERNEL(permute, __builtin_amdgcn_ds_permute(4 * (lane / 2), x))
KERNEL(swizzle_quad, __builtin_amdgcn_ds_swizzle(x, 0x8000 | 0x1b))
KERNEL(swizzle_xor, __builtin_amdgcn_ds_swizzle(x, 0x1f | 5 << 10))
KERNEL(swizzle_broadcast, __builtin_amdgcn_ds_swizzle(x, 0x18 | 2 << 5))
KERNEL(swizzle_rotate, __builtin_amdgcn_ds_swizzle(x, 0xc000 | 3 << 5))
KERNEL(permlane, __builtin_amdgcn_permlane16(0, x, 0x76543210, 0x01234567, false, false))
KERNEL(permlanex, __builtin_amdgcn_permlanex16(0, x, 0x76543210, 0x01234567, false, false))
KERNEL(permlane64, __builtin_amdgcn_permlane64(x))
KERNEL(below, __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)))
KERNEL(below_in_mask, __builtin_amdgcn_mbcnt_hi(0x10u, __builtin_amdgcn_mbcnt_lo(0x80000001u, 9)))
KERNEL(ballot_low, __builtin_amdgcn_ballot_w32(lane % 3 == 0))
KERNEL(ballot_high, __builtin_amdgcn_ballot_w64(lane % 3 == 0) >> 32)
KERNEL(active, lane % 4 == 0 ? __builtin_amdgcn_read_exec_lo() : 0)
KERNEL(size, __builtin_amdgcn_wavefrontsize())
KERNEL(ids, __builtin_amdgcn_workitem_id_x() + 1000 * __builtin_amdgcn_workgroup_size_x() +
                100000 * __builtin_amdgcn_workgroup_id_x() + __builtin_amdgcn_grid_size_y())

static unsigned every(int step, int first) {
  unsigned mask = 0;
  for (int i = first; i < first + 32; ++i) mask |= (i % step == 0 && i < warpSize ? 1u : 0u) << (i - first);
  return mask;
}

static void all_lanes() {
  const int last = warpSize - 1;
  lanes("mov_dpp", mov_dpp, [](int i) { return 100 + i / 16 * 16 + (i + 15) % 16; });
  const int eight[] = {7, 6, 5, 4, 3, 2, 1, 0};
  unsigned selectors = 0;
  for (int i = 0; i < 8; ++i) selectors |= static_cast<unsigned>(eight[i]) << 3 * i;
  expect(selectors, 0x053977, "selectors of mov_dpp8", 0);
  lanes("mov_dpp8", mov_dpp8, [](int i) { return 100 + i / 8 * 8 + 7 - i % 8; });
  lanes("readlane", lane_3, [](int) { return 103; });
  lanes("readlane of the last", last_lane, [=](int) { return 100 + last; });
  lanes("writelane", written, [](int i) { return i == 5 ? 7 : 100 + i; });
  lanes("readfirstlane", first_of_odd, [](int i) { return i % 2 == 0 ? 0 : 101; });
  lanes("ds_bpermute", bpermute, [](int i) { return 100 + (i * 7 + 1) % warpSize; });
  lanes("ds_permute", permute, [](int i) { return i < warpSize / 2 ? 101 + 2 * i : 0; });
  lanes("ds_swizzle of four", swizzle_quad, [](int i) { return 100 + i / 4 * 4 + 3 - i % 4; });
  lanes("ds_swizzle xor", swizzle_xor, [](int i) { return 100 + (i ^ 5); });
  lanes("ds_swizzle broadcast", swizzle_broadcast, [](int i) { return 100 + i / 8 * 8 + 2; });
  lanes("ds_swizzle rotate", swizzle_rotate, [](int i) { return 100 + i / 32 * 32 + (i + 3) % 32; });
  const auto selected = [](int i) { return i % 16 < 8 ? i % 16 : 15 - i % 16; };
  lanes("permlane16", permlane, [&](int i) { return 100 + i / 16 * 16 + selected(i); });
  lanes("permlanex16", permlanex, [&](int i) { return 100 + (i / 16 ^ 1) * 16 + selected(i); });
  lanes("permlane64", permlane64, [](int i) { return 100 + (warpSize == 64 ? (i + 32) % 64 : i); });
  lanes("mbcnt", below, [](int i) { return i; });
  lanes("mbcnt with a mask", below_in_mask, [](int i) { return 9 + (i > 0) + (i > 31) + (i > 36); });
  lanes("ballot", ballot_low, [](int) { return static_cast<int>(every(3, 0)); });
  lanes("ballot of 64", ballot_high, [](int) { return static_cast<int>(every(3, 32)); });
  lanes("read_exec", active, [](int i) { return i % 4 == 0 ? static_cast<int>(every(4, 0)) : 0; });
  lanes("wavefrontsize", size, [](int) { return warpSize; });
  lanes("ids", ids, [](int i) { return i + 1000 * warpSize + 1; });
}

// Barriers and fences order writes to shared memory, within a wavefront and a block.
__global__ void exchange(int* out) {
  __shared__ int items[128];
  items[threadIdx.x] = threadIdx.x;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
  const int neighbor = items[threadIdx.x ^ 1];
  __builtin_amdgcn_s_waitcnt(0);
  __builtin_amdgcn_s_barrier();
  items[threadIdx.x] = neighbor;
  __builtin_amdgcn_s_barrier();
  out[threadIdx.x] = items[127 - threadIdx.x];
}
static void barriers() {
  int* out = nullptr;
  if (hipMalloc(&out, 128 * sizeof(int)) != hipSuccess) std::exit(1);
  exchange<<<1, 128>>>(out);
  for (int i = 0; i < 128; ++i) expect(out[i], (127 - i) ^ 1, "barriers", i);
  static_cast<void>(hipFree(out));
}

struct Case {
  const char* what;
  long long got, wanted;
};

static void arithmetic() {
  const float nan = NAN, infinity = INFINITY;
  const Case cases[] = {
      {"ubfe", __builtin_amdgcn_ubfe(0xabcd1234u, 8, 8), 0x12},
      {"ubfe of nothing", __builtin_amdgcn_ubfe(~0u, 4, 0), 0},
      {"ubfe wraps", __builtin_amdgcn_ubfe(0x80000000u, 31 + 32, 1 + 32), 1},
      {"sbfe", __builtin_amdgcn_sbfe(0x0000f000, 12, 4), -1},
      {"sbfe at the end", __builtin_amdgcn_sbfe(-8, 28, 8), -1},
      {"alignbit", __builtin_amdgcn_alignbit(0x1, 0x80000000u, 31), 3},
      {"alignbyte", __builtin_amdgcn_alignbyte(0x00000011u, 0x22334455u, 1), 0x11223344},
      {"perm", __builtin_amdgcn_perm(0x77665544u, 0x33221100u, 0x07000503u), 0x77005533},
      {"perm of signs", __builtin_amdgcn_perm(0x80000000u, 0x00008000u, 0x0d0c0b08u), 0xff00ffffll},
      {"lerp", __builtin_amdgcn_lerp(0x01020304u, 0x02020202u, 0x01010101u), 0x02020303},
      {"sad_u8", __builtin_amdgcn_sad_u8(0xff000102u, 0x00ff0201u, 10), 522},
      {"sad_hi_u8", __builtin_amdgcn_sad_hi_u8(0x00000003u, 0x00000001u, 5), 0x20005},
      {"sad_u16", __builtin_amdgcn_sad_u16(0x00010005u, 0x00030001u, 1), 7},
      {"msad_u8", __builtin_amdgcn_msad_u8(0x09090909u, 0x00000001u, 0), 8},
      {"sdot4", __builtin_amdgcn_sdot4(0x01ff01ff, 0x02020202, 3, false), 3},
      {"sdot4 clamped", __builtin_amdgcn_sdot4(0x7f7f7f7f, 0x7f7f7f7f, INT_MAX, true), INT_MAX},
      {"udot4", __builtin_amdgcn_udot4(0xff010101u, 0x02010101u, 1, false), 514},
      {"udot4 clamped", __builtin_amdgcn_udot4(~0u, ~0u, ~0u, true), 0xffffffffll},
      {"sdot8", __builtin_amdgcn_sdot8(0x0000000f, 0x00000007, 0, false), -7},
      {"udot8", __builtin_amdgcn_udot8(0xf0000001u, 0x20000003u, 0, false), 33},
      {"sffbh", __builtin_amdgcn_sffbh(1), 31},
      {"sffbh of a negative", __builtin_amdgcn_sffbh(~0xff), 24},
      {"sffbh of -1", __builtin_amdgcn_sffbh(-1), -1},
      {"rcp", __builtin_amdgcn_rcpf(4.0f) == 0.25f, 1},
      {"rsq", __builtin_amdgcn_rsqf(4.0f) == 0.5f, 1},
      {"exp2", __builtin_amdgcn_exp2f(3.0f) == 8.0f, 1},
      {"log2", __builtin_amdgcn_logf(8.0f) == 3.0f, 1},
      {"sin of a quarter turn", __builtin_amdgcn_sinf(0.25f) == 1.0f, 1},
      {"cos of many turns", __builtin_amdgcn_cosf(1000.0f) == 1.0f, 1},
      {"fract", __builtin_amdgcn_fractf(-0.25f) == 0.75f, 1},
      {"fract is below 1", __builtin_amdgcn_fractf(-1e-20f) < 1.0f, 1},
      {"fmed3", __builtin_amdgcn_fmed3f(3.0f, 1.0f, 2.0f) == 2.0f, 1},
      {"fmed3 of NaN", __builtin_amdgcn_fmed3f(nan, 1.0f, 2.0f) == 1.0f, 1},
      {"ldexp", __builtin_amdgcn_ldexpf(0.75f, 4) == 12.0f, 1},
      {"frexp_mant", __builtin_amdgcn_frexp_mantf(12.0f) == 0.75f, 1},
      {"frexp_exp", __builtin_amdgcn_frexp_expf(12.0f), 4},
      {"frexp_exp of inf", __builtin_amdgcn_frexp_expf(infinity), 0},
      {"fmul_legacy", __builtin_amdgcn_fmul_legacy(0.0f, infinity) == 0.0f, 1},
      {"class of -inf", __builtin_amdgcn_classf(-infinity, 1 << 2), 1},
      {"class of -0", __builtin_amdgcn_classf(-0.0f, 1 << 5), 1},
      {"class of +normal", __builtin_amdgcn_classf(1.0f, 0x2ff), 0},
  };
  for (const Case& one : cases) expect(one.got, one.wanted, one.what, 0);
}

static void insertions() {
  expect(__bitinsert_u32(0xffffffffu, 0x5, 4, 4), 0xffffff5fll, "bitinsert", 0);
  expect(__bitinsert_u32(0, 0xffffffffu, 0, 32), 0xffffffffll, "bitinsert of all", 0);
  expect(static_cast<long long>(__bitinsert_u64(0, 0x1f, 60, 4)), static_cast<long long>(0xfull << 60), "bitinsert_u64",
         0);
  expect(static_cast<long long>(__bitextract_u64(0xfull << 60, 60, 4)), 0xf, "bitextract_u64", 0);
}

int main() {
  all_dpp();
  all_lanes();
  barriers();
  arithmetic();
  insertions();
  std::printf("wavefronts of %d lanes: %d wrong\n", warpSize, wrong);
  return wrong != 0;
}
