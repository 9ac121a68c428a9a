"""Descriptions of all PTX instructions, with their substitutes on AMD GPUs, for reports of untranslated ones.

Keyed by the opcode, or by a longer part of the name where that is a different instruction; the longest matching key
counts.
"""

from __future__ import annotations

from msgspec import Struct


class Meaning(Struct, frozen=True):
    """A description: `words` completes "this instruction ..."; `substitute` says what to write instead, or is empty."""

    words: str
    substitute: str = ""


_MATRIX = "Use rocWMMA or the __builtin_amdgcn_mfma_* and __builtin_amdgcn_wmma_* functions of the target."
_BULK = "Copy with ordinary loads and stores by all threads, then __syncthreads()."
_BARRIER = "Use __syncthreads(), or an atomic counter in shared memory that threads wait on."
_CLUSTER = "AMD GPUs have no clusters of blocks: exchange through global memory, or use one larger block."
_TEXTURE = "Use the texture functions of HIP, tex1D, tex2D and so on."
_SURFACE = "Use the surface functions of HIP, surf2Dread and so on."
_VIDEO = "Write it with shifts and ordinary arithmetic."
_CONTROL = "Write the control flow in C++ around the asm statements."
_HINT = "It is only a cache hint: leave it out."
_CPP = "Write it in C++."

MEANINGS: dict[str, Meaning] = {
    "abs": Meaning("takes the absolute value", _CPP),
    "activemask": Meaning("gives the mask of the active lanes", "Use __ballot(1)."),
    "add": Meaning("adds", _CPP),
    "addc": Meaning("adds with the carry of an earlier instruction", "Put the whole carry chain in one asm statement."),
    "alloca": Meaning("allocates stack memory", "Declare a local array."),
    "and": Meaning("combines bits by AND", _CPP),
    "applypriority": Meaning("changes the priority of a cache line", _HINT),
    "atom": Meaning(
        "changes memory atomically and gives the old value", "Use HIP's atomic functions or __hip_atomic_*."
    ),
    "bar": Meaning("waits at a barrier", _BARRIER),
    "barrier": Meaning("waits at a barrier", _BARRIER),
    "barrier.cluster": Meaning("waits for all blocks of a cluster", _CLUSTER),
    "bfe": Meaning("extracts a bit field", _CPP),
    "bfi": Meaning("inserts a bit field", _CPP),
    "bfind": Meaning("finds the most significant bit", "Use __clz()."),
    "bmsk": Meaning("makes a mask of bits", _CPP),
    "bra": Meaning("jumps", _CONTROL),
    "brev": Meaning("reverses bits", "Use __brev()."),
    "brkpt": Meaning("stops in the debugger", "Use __builtin_debugtrap()."),
    "brx": Meaning("jumps to one of several places", _CONTROL),
    "call": Meaning("calls a function", "Call it from C++."),
    "clusterlaunchcontrol": Meaning("takes over the work of a cluster that has not started", _CLUSTER),
    "clz": Meaning("counts leading zeros", "Use __clz()."),
    "cnot": Meaning("returns 1 for 0 and 0 otherwise", _CPP),
    "copysign": Meaning("takes the sign of another number", "Use copysignf()."),
    "cos": Meaning("computes a cosine", "Use __cosf()."),
    "cp.async": Meaning("copies to shared memory without waiting", _BULK),
    "cp.async.bulk": Meaning("copies a block of memory with the tensor memory accelerator", _BULK),
    "cp.async.bulk.tensor": Meaning("copies a tile of a tensor with the tensor memory accelerator", _BULK),
    "cp.async.mbarrier": Meaning("makes a barrier object track asynchronous copies", _BARRIER),
    "cp.reduce.async.bulk": Meaning(
        "adds a block of memory to another with the tensor memory accelerator", "Use atomicAdd()."
    ),
    "createpolicy": Meaning("makes a cache policy", _HINT),
    "cvt": Meaning("converts between types", "Use a cast or one of HIP's conversion functions."),
    "cvta": Meaning("converts between address spaces", "HIP's pointers are generic: use the pointer."),
    "discard": Meaning("discards a cache line", _HINT),
    "div": Meaning("divides", _CPP),
    "dp2a": Meaning("adds two products of 16-bit and 8-bit numbers", _CPP),
    "dp4a": Meaning("adds four products of 8-bit numbers", _CPP),
    "elect": Meaning("chooses one lane of a warp", "Compare the lane with the first bit of __ballot(1)."),
    "ex2": Meaning("computes a power of two", "Use exp2f()."),
    "exit": Meaning("ends the thread", "Return from the kernel."),
    "fence": Meaning("orders memory accesses", "Use __threadfence_block(), __threadfence() or __threadfence_system()."),
    "fma": Meaning("multiplies and adds with one rounding", "Use fmaf() or fma()."),
    "fns": Meaning("finds the n-th set bit", _CPP),
    "getctarank": Meaning("returns the block of a cluster that a shared address belongs to", _CLUSTER),
    "griddepcontrol": Meaning("lets grids overlap", "Kernels of a stream run one after the other: leave it out."),
    "isspacep": Meaning(
        "tests the address space of a pointer", "Use __builtin_amdgcn_is_shared() or __builtin_amdgcn_is_private()."
    ),
    "istypep": Meaning("tests what a handle refers to"),
    "ld": Meaning("loads from memory", "Use the pointer, or __builtin_nontemporal_load()."),
    "ldmatrix": Meaning("loads matrix fragments from shared memory", _MATRIX),
    "ldu": Meaning("loads a value that is the same for all lanes", "Use the pointer."),
    "lg2": Meaning("computes a logarithm to base 2", "Use log2f()."),
    "lop3": Meaning("computes any function of three bits", _CPP),
    "mad": Meaning("multiplies and adds", _CPP),
    "mad24": Meaning("multiplies 24-bit numbers and adds", _CPP),
    "madc": Meaning("multiplies and adds with a carry", "Put the whole carry chain in one asm statement."),
    "mapa": Meaning("gives the address of another block's shared memory", _CLUSTER),
    "match": Meaning("finds the lanes with the same value", "Compare with __shfl() over the lanes."),
    "max": Meaning("takes the larger number", _CPP),
    "mbarrier": Meaning("works on a barrier object in shared memory", _BARRIER),
    "membar": Meaning(
        "orders memory accesses", "Use __threadfence_block(), __threadfence() or __threadfence_system()."
    ),
    "min": Meaning("takes the smaller number", _CPP),
    "mma": Meaning("multiplies matrix fragments", _MATRIX),
    "mma.sp": Meaning("multiplies sparse matrix fragments", _MATRIX),
    "mov": Meaning("copies a value", _CPP),
    "movmatrix": Meaning("transposes matrix fragments", "Exchange the elements with __shfl()."),
    "mul": Meaning("multiplies", _CPP),
    "mul24": Meaning("multiplies 24-bit numbers", _CPP),
    "multimem": Meaning("loads, stores or adds on several GPUs at once", "Use RCCL."),
    "nanosleep": Meaning("pauses a thread", "Use __builtin_amdgcn_s_sleep()."),
    "neg": Meaning("changes the sign", _CPP),
    "not": Meaning("inverts bits", _CPP),
    "or": Meaning("combines bits by OR", _CPP),
    "pmevent": Meaning("triggers a performance monitor", "Leave it out, or use rocprofiler's markers on the host."),
    "popc": Meaning("counts set bits", "Use __popc()."),
    "prefetch": Meaning("brings a line into the cache", _HINT),
    "prefetchu": Meaning("brings a line into the uniform cache", _HINT),
    "prmt": Meaning("picks bytes", "Use __byte_perm()."),
    "rcp": Meaning("computes a reciprocal", "Divide, or use __frcp_rn()."),
    "red": Meaning("changes memory atomically", "Use HIP's atomic functions or __hip_atomic_*."),
    "red.async": Meaning("changes shared memory of a cluster atomically, without waiting", _CLUSTER),
    "redux": Meaning("reduces a value over a warp", "Reduce with __shfl_xor()."),
    "rem": Meaning("computes a remainder", _CPP),
    "ret": Meaning("returns from a function", _CONTROL),
    "rsqrt": Meaning("computes a reciprocal square root", "Use rsqrtf()."),
    "sad": Meaning("adds an absolute difference", _CPP),
    "selp": Meaning("selects by a predicate", _CPP),
    "set": Meaning("compares", _CPP),
    "setmaxnreg": Meaning(
        "changes how many registers a warp has",
        "AMD GPUs give every wavefront of a kernel the same number: leave it out, and use __launch_bounds__.",
    ),
    "setp": Meaning("compares into a predicate", _CPP),
    "shf": Meaning("shifts two registers as one", "Use __funnelshift_l() or __funnelshift_r()."),
    "shfl": Meaning("exchanges values between lanes", "Use __shfl() and similar functions."),
    "shl": Meaning("shifts left", _CPP),
    "shr": Meaning("shifts right", _CPP),
    "sin": Meaning("computes a sine", "Use __sinf()."),
    "slct": Meaning("selects by a sign", _CPP),
    "sqrt": Meaning("computes a square root", "Use sqrtf()."),
    "st": Meaning("stores to memory", "Use the pointer, or __builtin_nontemporal_store()."),
    "st.async": Meaning("stores to shared memory of a cluster without waiting", _CLUSTER),
    "st.bulk": Meaning("clears a block of shared memory", "Write zeros in a loop."),
    "stackrestore": Meaning("frees stack memory", "Leave it out."),
    "stacksave": Meaning("saves the stack pointer", "Leave it out."),
    "stmatrix": Meaning("stores matrix fragments to shared memory", _MATRIX),
    "sub": Meaning("subtracts", _CPP),
    "subc": Meaning(
        "subtracts with the borrow of an earlier instruction", "Put the whole carry chain in one asm statement."
    ),
    "suld": Meaning("loads from a surface", _SURFACE),
    "suq": Meaning("queries a surface", _SURFACE),
    "sured": Meaning("changes a surface atomically", _SURFACE),
    "sust": Meaning("stores to a surface", _SURFACE),
    "szext": Meaning("extends the sign of a bit field", _CPP),
    "tanh": Meaning("computes a hyperbolic tangent", "Use tanhf()."),
    "tcgen05": Meaning("works with the tensor memory and tensor cores of Blackwell GPUs", _MATRIX),
    "tensormap": Meaning("changes the description of a tensor", _BULK),
    "testp": Meaning("tests the class of a number", "Use isnan(), isinf() and similar functions."),
    "tex": Meaning("reads a texture", _TEXTURE),
    "tld4": Meaning("reads four texels of a texture", _TEXTURE),
    "trap": Meaning("ends the program with an error", "Use abort()."),
    "txq": Meaning("queries a texture", _TEXTURE),
    **{
        f"v{operation}{count}": Meaning(words + number, _VIDEO)
        for operation, words in {
            "add": "adds",
            "sub": "subtracts",
            "absdiff": "takes absolute differences of",
            "min": "takes the smaller of",
            "max": "takes the larger of",
            "avrg": "averages",
            "set": "compares",
        }.items()
        for count, number in {
            "": " parts of registers",
            "2": " pairs of half words",
            "4": " groups of four bytes",
        }.items()
        if (operation, count) != ("avrg", "")
    },
    "vmad": Meaning("multiplies and adds parts of registers", _VIDEO),
    "vshl": Meaning("shifts parts of registers left", _VIDEO),
    "vshr": Meaning("shifts parts of registers right", _VIDEO),
    "vote": Meaning("votes across all lanes", "Use __ballot(), __any() and __all()."),
    "wgmma": Meaning("multiplies matrices from shared memory with four warps, asynchronously", _MATRIX),
    "wmma": Meaning("loads, stores or multiplies matrix fragments", "Use nvcuda::wmma, which hipport supplies."),
    "xor": Meaning("combines bits by exclusive OR", _CPP),
}


def meaning(name: str) -> Meaning | None:
    """Return the description of an instruction; None if PTX has no such instruction."""
    while name:
        if name in MEANINGS:
            return MEANINGS[name]
        name = name.rpartition(".")[0]
    return None
