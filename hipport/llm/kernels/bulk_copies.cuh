// Hopper's bulk copies to shared memory, the barriers in shared memory that count their bytes, and what blocks of a
// cluster do together (PTX: cp.async.bulk, mbarrier, shared::cluster).
#ifndef HIPPORT_LLM_BULK_COPIES_CUH
#define HIPPORT_LLM_BULK_COPIES_CUH

#include "thread_block.cuh"

#if !defined(__HIP_PLATFORM_AMD__) && HIPPORT_LLM_BULK_COPIES

namespace hipport_llm {

__device__ inline uint32_t shared_address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

// A barrier for `count` arrivals. One thread initializes all barriers and then publishes them to the bulk copies.
__device__ inline void init_barrier(uint64_t* barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count));
}
__device__ inline void publish_barriers() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

// Waits until the phase of a barrier with this parity is complete.
__device__ inline void wait(uint64_t* barrier, uint32_t parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n"
      "}" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}

__device__ inline void arrive(uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

// Arrives, and makes the phase wait for `bytes` of copies.
__device__ inline void expect_bytes(uint64_t* barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
}

// Begins a copy from global memory. Addresses and `bytes` are multiples of 16.
__device__ inline void copy_bulk(uint8_t* to, const uint8_t* from, uint32_t bytes, uint64_t* barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(to)),
               "l"(from), "r"(bytes), "r"(shared_address(barrier))
               : "memory");
}

// Begins a copy of 16 bytes. arrive_with_copies() arrives when this thread's copies until then are there.
__device__ inline void copy_chunk(uint8_t* to, const uint8_t* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
}
__device__ inline void arrive_with_copies(uint64_t* barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(barrier)) : "memory");
}

// Called by all warps of a group of four: leaves it `Count` registers for each thread, or gets it so many.
template <int Count>
__device__ inline void shrink_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Count));
}
template <int Count>
__device__ inline void grow_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Count));
}

// A position in a ring of stages, and the parity of completed rounds through the ring.
class RingPlace {
 public:
  __device__ RingPlace(int stages, int stage) : stages_(stages), stage_(stage) {}
  __device__ int stage() const { return stage_; }
  __device__ uint32_t parity() const { return parity_; }
  // By at most the number of stages.
  __device__ void advance(int by) {
    stage_ += by;
    if (stage_ >= stages_) {
      stage_ = by == 1 ? 0 : stage_ - stages_;  // the compiler does not see that a step of one ends at 0
      parity_ ^= 1;
    }
  }

 private:
  int stages_;
  int stage_;
  uint32_t parity_ = 0;
};

// Waits for all threads of a cluster's blocks, which then see what each of them has stored.
__device__ inline void wait_for_cluster() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Where block `rank` of the cluster has what this block has at `pointer` in its shared memory.
__device__ inline uint32_t address_in_cluster(const void* pointer, int rank) {
  uint32_t address;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(shared_address(pointer)), "r"(rank));
  return address;
}
__device__ inline void store_in_cluster(uint32_t address, float value) {
  asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(address), "f"(value) : "memory");
}

// The same without memory order: waits until the cluster's blocks have come here, so that their shared memory may be written.
__device__ inline void await_cluster() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

// Stores in another block's shared memory, and counts the bytes at a barrier of that block when they are there.
__device__ inline void send_in_cluster(uint32_t address, float2 value, uint32_t barrier) {
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [%0], {%1, %2}, [%3];" ::"r"(address),
               "f"(value.x), "f"(value.y), "r"(barrier)
               : "memory");
}

}  // namespace hipport_llm

#endif

#endif
