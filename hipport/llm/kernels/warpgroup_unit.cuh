// Hopper's matrix units, which four warps use together (PTX: wgmma): 64 rows from registers times columns in shared
// memory, while the warps do other work.
#ifndef HIPPORT_LLM_WARPGROUP_UNIT_CUH
#define HIPPORT_LLM_WARPGROUP_UNIT_CUH

#include "matrix_unit.cuh"
#include "thread_block.cuh"

// Whether all GPUs that this is compiled for have these units, which later ones than Hopper do not have. Before CUDA 12
// there are no instructions for them.
#if !defined(__HIP_PLATFORM_AMD__) && defined(HIPPORT_LLM_WGMMA) && HIPPORT_LLM_BULK_COPIES && CUDART_VERSION >= 12000
#define HIPPORT_LLM_WARPGROUPS 1
#else
#define HIPPORT_LLM_WARPGROUPS 0
#endif

#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_WARPGROUPS

#define HIPPORT_LLM_SUMS4(x, i) "+f"(x[i]), "+f"(x[i + 1]), "+f"(x[i + 2]), "+f"(x[i + 3])
#define HIPPORT_LLM_SUMS16(x, i) \
  HIPPORT_LLM_SUMS4(x, i), HIPPORT_LLM_SUMS4(x, i + 4), HIPPORT_LLM_SUMS4(x, i + 8), HIPPORT_LLM_SUMS4(x, i + 12)
#define HIPPORT_LLM_SUMS32(x, i) HIPPORT_LLM_SUMS16(x, i), HIPPORT_LLM_SUMS16(x, i + 16)
#define HIPPORT_LLM_NAMES8 "%0,%1,%2,%3,%4,%5,%6,%7"
#define HIPPORT_LLM_NAMES16 HIPPORT_LLM_NAMES8 ",%8,%9,%10,%11,%12,%13,%14,%15"
#define HIPPORT_LLM_NAMES32                                                                                        \
  "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29," \
  "%30,%31"
#define HIPPORT_LLM_NAMES64                                                                                          \
  HIPPORT_LLM_NAMES32                                                                                                \
  ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59" \
  ",%60,%61,%62,%63"
#define HIPPORT_LLM_NAMES128                                                                                       \
  HIPPORT_LLM_NAMES64                                                                                              \
  ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%" \
  "91,%92,%93,%94,%95,%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,%112,%113,%114," \
  "%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127"

// How a product begins in PTX: `names` are those of the sums, `adds` is the operand that is 0 if it sets them.
#define HIPPORT_LLM_WGMMA_BEGIN(columns, names, adds)                                              \
  "{\n.reg .pred adds;\nsetp.ne.b32 adds, " adds ", 0;\nwgmma.mma_async.sync.aligned.m64n" columns \
  "k16.f32." HIPPORT_LLM_PTX_TYPE " {" names "}, "

namespace hipport_llm {

// A warp has 16 of the 64 rows. Its lanes hold them as NvidiaUnit's lanes do, and the order of the depth is that of its
// Rows (kernels/arranged_tokens.cuh stores columns in this order).
template <int Columns>
class WarpgroupUnit {
 public:
  static constexpr int kThreads = 128;
  static_assert(Columns == 16 || Columns == 32 || Columns == 64 || Columns == 128 || Columns == 256,
                "one instruction is written for each");

  // Lane 4g + t has sums of rows g and g + 8: of column 8i + 2t + j they are at 4i + j and 4i + 2 + j.
  struct Sums {
    float values[Columns / 2];
  };
  static constexpr int kPairs = Columns / 4;
  __device__ static int row(int lane) { return lane / 4; }
  __device__ static int column(int lane, int pair) { return pair / 2 * 8 + lane % 4 * 2 + pair % 2; }
  __device__ static float low(const Sums& sums, int pair) { return sums.values[pair / 2 * 4 + pair % 2]; }
  __device__ static float high(const Sums& sums, int pair) { return sums.values[pair / 2 * 4 + 2 + pair % 2]; }

  // Orders what follows after this thread's earlier accesses to registers that the units use.
  __device__ static void begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
  // Ends a batch of products.
  __device__ static void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
  // Waits until at most `Batches` are unfinished. The registers of others may be used again.
  template <int Batches>
  __device__ static void await() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Batches) : "memory");
  }

  // The same for the registers of these sums, which are not read before that.
  template <int Batches>
  __device__ static void await(Sums& sums) {
    await<Batches>();
#pragma unroll
    for (float& value : sums.values) asm volatile("" : "+f"(value)::"memory");
  }

  // Begins to add a product that is 32 deep, or if not `adds` to set the sums to it. The second 16 of the columns are 32
  // bytes further.
  __device__ static void multiply_add(Sums& sums, bool adds, const LaneRows& a, uint64_t columns) {
    const uint4 &low = a.low.bits, &high = a.high.bits;
    add16<false>(sums, adds, make_uint4(low.x, high.x, low.y, high.y), columns);
    add16<false>(sums, true, make_uint4(low.z, high.z, low.w, high.w), columns + 2);
  }

  // The same 16 deep, with rows from registers: of lane 4g + t two words of columns 2t and 2t + 1, of row g and of row
  // g + 8, then two of columns 8 further. `Turned`: columns are described by describe_turned.
  template <bool Turned>
  __device__ static void add16(Sums& sums, int adds, const uint4& a, uint64_t columns) {
    float (&x)[Columns / 2] = sums.values;
    if constexpr (Columns == 16)
      asm volatile(HIPPORT_LLM_WGMMA_BEGIN("16", HIPPORT_LLM_NAMES8, "%13") "{%8,%9,%10,%11}, %12, adds, 1, 1, %14;\n}"
                   : HIPPORT_LLM_SUMS4(x, 0), HIPPORT_LLM_SUMS4(x, 4)
                   : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "l"(columns), "r"(adds), "n"(Turned)
                   : "memory");
    else if constexpr (Columns == 32)
      asm volatile(
          HIPPORT_LLM_WGMMA_BEGIN("32", HIPPORT_LLM_NAMES16, "%21") "{%16,%17,%18,%19}, %20, adds, 1, 1, %22;\n}"
          : HIPPORT_LLM_SUMS16(x, 0)
          : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "l"(columns), "r"(adds), "n"(Turned)
          : "memory");
    else if constexpr (Columns == 64)
      asm volatile(
          HIPPORT_LLM_WGMMA_BEGIN("64", HIPPORT_LLM_NAMES32, "%37") "{%32,%33,%34,%35}, %36, adds, 1, 1, %38;\n}"
          : HIPPORT_LLM_SUMS32(x, 0)
          : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "l"(columns), "r"(adds), "n"(Turned)
          : "memory");
    else if constexpr (Columns == 128)
      asm volatile(
          HIPPORT_LLM_WGMMA_BEGIN("128", HIPPORT_LLM_NAMES64, "%69") "{%64,%65,%66,%67}, %68, adds, 1, 1, %70;\n}"
          : HIPPORT_LLM_SUMS32(x, 0), HIPPORT_LLM_SUMS32(x, 32)
          : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "l"(columns), "r"(adds), "n"(Turned)
          : "memory");
    else
      asm volatile(HIPPORT_LLM_WGMMA_BEGIN("256", HIPPORT_LLM_NAMES128,
                                           "%133") "{%128,%129,%130,%131}, %132, adds, 1, 1, %134;\n}"
                   : HIPPORT_LLM_SUMS32(x, 0), HIPPORT_LLM_SUMS32(x, 32), HIPPORT_LLM_SUMS32(x, 64),
                     HIPPORT_LLM_SUMS32(x, 96)
                   : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "l"(columns), "r"(adds), "n"(Turned)
                   : "memory");
  }

  // The same 16 deep, with 64 rows in shared memory, which are described as columns are.
  __device__ static void add16(Sums& sums, int adds, uint64_t rows, uint64_t columns) {
    float (&x)[Columns / 2] = sums.values;
    if constexpr (Columns == 64)
      asm volatile(HIPPORT_LLM_WGMMA_BEGIN("64", HIPPORT_LLM_NAMES32, "%34") "%32, %33, adds, 1, 1, 0, 0;\n}"
                   : HIPPORT_LLM_SUMS32(x, 0)
                   : "l"(rows), "l"(columns), "r"(adds)
                   : "memory");
    else if constexpr (Columns == 128)
      asm volatile(HIPPORT_LLM_WGMMA_BEGIN("128", HIPPORT_LLM_NAMES64, "%66") "%64, %65, adds, 1, 1, 0, 0;\n}"
                   : HIPPORT_LLM_SUMS32(x, 0), HIPPORT_LLM_SUMS32(x, 32)
                   : "l"(rows), "l"(columns), "r"(adds)
                   : "memory");
    else
      asm volatile(HIPPORT_LLM_WGMMA_BEGIN("256", HIPPORT_LLM_NAMES128, "%130") "%128, %129, adds, 1, 1, 0, 0;\n}"
                   : HIPPORT_LLM_SUMS32(x, 0), HIPPORT_LLM_SUMS32(x, 32), HIPPORT_LLM_SUMS32(x, 64),
                     HIPPORT_LLM_SUMS32(x, 96)
                   : "l"(rows), "l"(columns), "r"(adds)
                   : "memory");
  }
};

// Describes columns in shared memory: [column][64] of 16-bit numbers, from a multiple of 1024 bytes on, whose pieces of
// 16 bytes are permuted (the 128-byte swizzle of the PTX manual). The depth begins at a multiple of 32 bytes.
__device__ inline uint64_t describe(uint32_t address) {
  constexpr uint64_t eight_rows = 1024 / 16, swizzle128 = uint64_t{1} << 62;
  return (address & 0x3ffff) >> 4 | uint64_t{1} << 16 | eight_rows << 32 | swizzle128;
}

// The same of columns as [64 columns] for each of the depth, in panels of 64 columns that are `panel_bytes` apart.
__device__ inline uint64_t describe_turned(uint32_t address, uint64_t panel_bytes) {
  constexpr uint64_t eight_deep = 1024 / 16, swizzle128 = uint64_t{1} << 62;
  return (address & 0x3ffff) >> 4 | panel_bytes / 16 << 16 | eight_deep << 32 | swizzle128;
}

}  // namespace hipport_llm

#endif

#endif
