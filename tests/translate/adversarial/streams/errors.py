"""Statuses of wrong calls, and those of cudaPeekAtLastError and cudaGetLastError behind them."""

from __future__ import annotations

from tests.translate.adversarial.fields import Case

HEAD = """\
__global__ void nothing() {}
__global__ void with_shared(int* out) {
  extern __shared__ int kept[];
  if (out) *out = kept[0];
}
__device__ int symbol[4];
// A call's status, what is said to be the last error, and what is left of that.
#define TRY(call)                     \\
  do {                                \\
    put(call);                        \\
    put(cudaPeekAtLastError());       \\
    put(cudaGetLastError());          \\
    put(cudaGetLastError());          \\
  } while (0)
#define LAUNCH(...)                   \\
  do {                                \\
    __VA_ARGS__;                      \\
    put(cudaPeekAtLastError());       \\
    put(cudaGetLastError());          \\
    put(cudaGetLastError());          \\
  } while (0)
"""

CALLS = (
    "void* p; TRY(cudaMalloc(&p, (size_t)1 << 60));",
    "TRY(cudaMalloc((void**)nullptr, 16));",
    "void* p = (void*)8; TRY(cudaMalloc(&p, 0)); put(p == nullptr);",
    "TRY(cudaFree(nullptr));",
    "TRY(cudaFreeHost(nullptr));",
    "int x; TRY(cudaFree(&x));",
    "int x; TRY(cudaFreeHost(&x));",
    "void* p; cudaMalloc(&p, 16); TRY(cudaFree(p)); TRY(cudaFree(p));",
    "void* p; cudaMalloc(&p, 16); TRY(cudaFreeHost(p)); cudaFree(p);",
    "char* p; cudaMalloc(&p, 64); TRY(cudaFree(p + 16)); TRY(cudaFree(p));",
    "int x = 0, y = 1; TRY(cudaMemcpy(&x, &y, 4, cudaMemcpyHostToHost)); put(x);",
    "int x = 0, y = 1; TRY(cudaMemcpy(&x, &y, 4, (cudaMemcpyKind)9));",
    "int x = 0; TRY(cudaMemcpy(nullptr, &x, 4, cudaMemcpyHostToDevice));",
    "int x = 0; TRY(cudaMemcpy(nullptr, &x, 0, cudaMemcpyHostToDevice));",
    "int x = 0; TRY(cudaMemcpy(&x, nullptr, 4, cudaMemcpyDeviceToHost));",
    "char *p, h[64]; cudaMalloc(&p, 64); TRY(cudaMemcpy2D(p, 4, h, 8, 8, 2, cudaMemcpyHostToDevice)); cudaFree(p);",
    "char *p, h[64]; cudaMalloc(&p, 64); TRY(cudaMemcpy2D(p, 8, h, 4, 8, 2, cudaMemcpyHostToDevice)); cudaFree(p);",
    "char* p; cudaMalloc(&p, 64); TRY(cudaMemset2D(p, 4, 1, 8, 2)); cudaFree(p);",
    "TRY(cudaMemset(nullptr, 0, 4));",
    "TRY(cudaMemset(nullptr, 0, 0));",
    "int x[9]; TRY(cudaMemcpyToSymbol(symbol, x, 20));",
    "int x[9]; TRY(cudaMemcpyToSymbol(symbol, x, 8, 12));",
    "int x[9]; TRY(cudaMemcpyFromSymbol(x, symbol, 4, 16));",
    "int x; void* p; TRY(cudaGetSymbolAddress(&p, (const void*)&x));",
    "int x; size_t n; TRY(cudaGetSymbolSize(&n, (const void*)&x));",
    "TRY(cudaSetDevice(99));",
    "TRY(cudaSetDevice(-1));",
    "int d; TRY(cudaGetDevice(nullptr)); TRY(cudaGetDevice(&d)); put(d);",
    "TRY(cudaGetDeviceCount(nullptr));",
    "cudaDeviceProp p; TRY(cudaGetDeviceProperties(&p, 99));",
    "int v; TRY(cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 99));",
    "int v; TRY(cudaDeviceGetAttribute(&v, (cudaDeviceAttr)9999, 0));",
    "int v; TRY(cudaDeviceCanAccessPeer(&v, 0, 99));",
    "int v = 7; TRY(cudaDeviceCanAccessPeer(&v, 0, 0)); put(v);",
    "TRY(cudaDeviceEnablePeerAccess(0, 0));",
    "TRY(cudaDeviceEnablePeerAccess(99, 0));",
    "TRY(cudaDeviceDisablePeerAccess(0));",
    "TRY(cudaSetDeviceFlags(9999));",
    "LAUNCH((nothing<<<1, 0>>>()));",
    "LAUNCH((nothing<<<0, 1>>>()));",
    "LAUNCH((nothing<<<1, 1025>>>()));",
    "LAUNCH((nothing<<<dim3(1, 70000), 1>>>()));",
    "LAUNCH((nothing<<<1, dim3(2, 2, 65)>>>()));",
    "LAUNCH((nothing<<<1, dim3(64, 32)>>>()));",
    "LAUNCH((with_shared<<<1, 1, 1 << 20>>>(nullptr)));",
    "LAUNCH((nothing<<<1, 1>>>()));",
    "TRY(cudaLaunchKernel((const void*)nothing, dim3(1), dim3(0), nullptr, 0, 0));",
    "TRY(cudaLaunchKernel((const void*)nothing, dim3(1), dim3(2000), nullptr, 0, 0));",
    "TRY(cudaLaunchKernel((const void*)nullptr, dim3(1), dim3(1), nullptr, 0, 0));",
    "int x; TRY(cudaLaunchKernel((const void*)&x, dim3(1), dim3(1), nullptr, 0, 0));",
    "TRY(cudaLaunchCooperativeKernel((const void*)nothing, dim3(1 << 24), dim3(1024), nullptr, 0, 0));",
    "TRY(cudaFuncSetAttribute((const void*)with_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 28));",
    "TRY(cudaFuncSetAttribute((const void*)with_shared, (cudaFuncAttribute)999, 1));",
    "int x; TRY(cudaFuncSetAttribute((const void*)&x, cudaFuncAttributeMaxDynamicSharedMemorySize, 1));",
    "int x; cudaFuncAttributes a; TRY(cudaFuncGetAttributes(&a, (const void*)&x));",
    "TRY(cudaFuncGetAttributes((cudaFuncAttributes*)nullptr, (const void*)nothing));",
    "int n; TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nothing, 0, 0));",
    "TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor((int*)nullptr, nothing, 32, 0));",
    "TRY(cudaStreamCreate(nullptr));",
    "cudaStream_t s; TRY(cudaStreamCreateWithFlags(&s, 77));",
    "cudaStream_t s; cudaStreamCreate(&s); unsigned f = 9; TRY(cudaStreamGetFlags(s, &f)); put(f); "
    "TRY(cudaStreamGetFlags(s, nullptr)); cudaStreamDestroy(s);",
    "cudaStream_t s; int p = 9; cudaStreamCreate(&s); TRY(cudaStreamGetPriority(s, &p)); put(p); cudaStreamDestroy(s);",
    "TRY(cudaStreamSynchronize(0)); TRY(cudaStreamQuery(0)); TRY(cudaStreamQuery(cudaStreamPerThread));",
    "TRY(cudaStreamDestroy(0));",
    "TRY(cudaStreamWaitEvent(0, nullptr, 0));",
    "cudaEvent_t e; cudaEventCreate(&e); TRY(cudaStreamWaitEvent(0, e, 0)); TRY(cudaEventQuery(e)); "
    "TRY(cudaEventSynchronize(e)); cudaEventDestroy(e);",
    "cudaEvent_t e; cudaEventCreate(&e); TRY(cudaStreamWaitEvent(0, e, 99)); cudaEventDestroy(e);",
    "TRY(cudaEventCreate(nullptr));",
    "cudaEvent_t e; TRY(cudaEventCreateWithFlags(&e, 0x80));",
    "cudaEvent_t e; TRY(cudaEventCreateWithFlags(&e, cudaEventInterprocess));",
    "TRY(cudaEventRecord(nullptr, 0));",
    "TRY(cudaEventSynchronize(nullptr));",
    "TRY(cudaEventQuery(nullptr));",
    "TRY(cudaEventDestroy(nullptr));",
    "cudaEvent_t a, b; float t; cudaEventCreate(&a); cudaEventCreate(&b); TRY(cudaEventElapsedTime(&t, a, b)); "
    "cudaEventRecord(a); TRY(cudaEventElapsedTime(&t, a, b)); cudaEventRecord(b); cudaEventSynchronize(b); "
    "TRY(cudaEventElapsedTime(&t, a, b)); put(t >= 0); TRY(cudaEventElapsedTime(nullptr, a, b)); cudaEventDestroy(a); "
    "cudaEventDestroy(b);",
    "cudaEvent_t a, b; float t; cudaEventCreate(&a); cudaEventCreateWithFlags(&b, cudaEventDisableTiming); "
    "cudaEventRecord(a); cudaEventRecord(b); cudaEventSynchronize(b); TRY(cudaEventElapsedTime(&t, a, b)); "
    "cudaEventDestroy(a); cudaEventDestroy(b);",
    "TRY(cudaLaunchHostFunc(0, nullptr, nullptr));",
    "TRY(cudaStreamAddCallback(0, nullptr, nullptr, 0));",
    "TRY(cudaStreamAddCallback(0, called, nullptr, 5));",
    "TRY(cudaHostAlloc((void**)nullptr, 16, 0));",
    "void* p; TRY(cudaHostAlloc(&p, 16, 0x100));",
    "void* p = (void*)8; TRY(cudaMallocHost(&p, 0)); put(p == nullptr);",
    "int x; void* p; TRY(cudaHostGetDevicePointer(&p, &x, 0));",
    "int x; unsigned f; TRY(cudaHostGetFlags(&f, &x));",
    "int* p; cudaHostAlloc((void**)&p, 4, cudaHostAllocMapped); void* d; TRY(cudaHostGetDevicePointer(&d, p, 1)); "
    "TRY(cudaHostGetDevicePointer(&d, p, 0)); cudaFreeHost(p);",
    "int x; TRY(cudaHostUnregister(&x));",
    "TRY(cudaHostRegister(nullptr, 16, 0));",
    "char* h = (char*)malloc(8192); TRY(cudaHostRegister(h, 0, 0)); TRY(cudaHostRegister(h, 8192, 0)); "
    "TRY(cudaHostRegister(h, 8192, 0)); TRY(cudaHostUnregister(h)); TRY(cudaHostUnregister(h)); free(h);",
    "cudaPointerAttributes a; int x; TRY(cudaPointerGetAttributes(&a, &x));",
    "cudaPointerAttributes a; TRY(cudaPointerGetAttributes(&a, nullptr));",
    "cudaPointerAttributes a; int* p; cudaMalloc(&p, 64); TRY(cudaPointerGetAttributes(&a, p + 3)); put(a.type == "
    "cudaMemoryTypeDevice); "
    "put(a.device); put(a.devicePointer == p + 3); put(a.hostPointer == nullptr); cudaFree(p);",
    "cudaPointerAttributes a; int* p; cudaMallocHost(&p, 64); TRY(cudaPointerGetAttributes(&a, p + 3)); put(a.type "
    "== cudaMemoryTypeHost); "
    "put(a.hostPointer == p + 3); cudaFreeHost(p);",
    "cudaPointerAttributes a; int* p; cudaMallocManaged(&p, 64); TRY(cudaPointerGetAttributes(&a, p + 3)); "
    "put(a.type == cudaMemoryTypeManaged); "
    "put(a.devicePointer == a.hostPointer); cudaFree(p);",
    "int* p; TRY(cudaMallocManaged(&p, 0));",
    "int* p; TRY(cudaMallocManaged(&p, 64, 99));",
    "size_t pitch; char* p; TRY(cudaMallocPitch((void**)&p, &pitch, (size_t)1 << 50, 1 << 9));",
    "size_t pitch; char* p; TRY(cudaMallocPitch((void**)&p, &pitch, 33, 3)); put(pitch >= 33); put(pitch % 32); "
    "cudaFree(p);",
    "size_t n; TRY(cudaDeviceGetLimit(&n, (cudaLimit)99)); TRY(cudaDeviceSetLimit((cudaLimit)99, 1));",
    "size_t n; TRY(cudaDeviceGetLimit(nullptr, cudaLimitStackSize)); TRY(cudaDeviceGetLimit(&n, "
    "cudaLimitMallocHeapSize));",
    "cudaGraph_t g; TRY(cudaGraphCreate(&g, 5)); TRY(cudaGraphCreate(nullptr, 0));",
    "TRY(cudaGraphDestroy(nullptr)); TRY(cudaGraphExecDestroy(nullptr));",
    "TRY(cudaGraphLaunch(nullptr, 0));",
    "cudaGraph_t g; TRY(cudaStreamEndCapture(0, &g));",
    "cudaStream_t s; cudaGraph_t g; cudaStreamCreate(&s); TRY(cudaStreamEndCapture(s, &g)); cudaStreamDestroy(s);",
    "TRY(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));",
    "cudaStream_t s; cudaGraph_t g; cudaStreamCreate(&s); TRY(cudaStreamBeginCapture(s, "
    "cudaStreamCaptureModeRelaxed)); "
    "TRY(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed)); TRY(cudaStreamEndCapture(s, &g)); "
    "cudaStreamDestroy(s); if (g) cudaGraphDestroy(g);",
    "cudaStream_t s; cudaGraph_t g = nullptr; cudaStreamCreate(&s); cudaStreamBeginCapture(s, "
    "cudaStreamCaptureModeRelaxed); TRY(cudaStreamSynchronize(s)); TRY(cudaStreamEndCapture(s, &g)); put(g == "
    "nullptr); "
    "cudaStreamDestroy(s);",
    "cudaStream_t s; cudaGraph_t g = nullptr; cudaStreamCreate(&s); cudaStreamBeginCapture(s, "
    "cudaStreamCaptureModeRelaxed); TRY(cudaStreamQuery(s)); TRY(cudaStreamEndCapture(s, &g)); put(g == nullptr); "
    "cudaStreamDestroy(s);",
    "cudaStream_t s; cudaGraph_t g = nullptr; cudaStreamCreate(&s); cudaStreamBeginCapture(s, "
    "cudaStreamCaptureModeGlobal); void* p; TRY(cudaMalloc(&p, 16)); TRY(cudaStreamEndCapture(s, &g)); "
    "put(g == nullptr); cudaStreamDestroy(s);",
    "cudaStream_t s, t; cudaEvent_t e; cudaGraph_t g = nullptr; cudaStreamCreate(&s); cudaStreamCreate(&t); "
    "cudaEventCreate(&e); cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed); cudaEventRecord(e, s); "
    "TRY(cudaStreamWaitEvent(t, e, 0)); nothing<<<1, 1, 0, t>>>(); TRY(cudaStreamEndCapture(t, &g)); "
    "TRY(cudaStreamEndCapture(s, &g)); put(g == nullptr); cudaStreamDestroy(s); cudaStreamDestroy(t); "
    "cudaEventDestroy(e);",
    "cudaStream_t s; cudaStreamCaptureStatus c; cudaGraph_t g; cudaStreamCreate(&s); TRY(cudaStreamIsCapturing(s, "
    "&c)); "
    "put(c); cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed); TRY(cudaStreamIsCapturing(s, &c)); put(c); "
    "TRY(cudaStreamEndCapture(s, &g)); size_t n = 9; TRY(cudaGraphGetNodes(g, nullptr, &n)); put(n); "
    "cudaStreamDestroy(s);",
    "cudaGraph_t g; cudaGraphCreate(&g, 0); cudaGraphNode_t a, b; TRY(cudaGraphAddEmptyNode(&a, g, nullptr, 1)); "
    "TRY(cudaGraphAddEmptyNode(&a, g, nullptr, 0)); TRY(cudaGraphAddEmptyNode(&b, g, &a, 1)); size_t n = 9; "
    "TRY(cudaGraphGetRootNodes(g, nullptr, &n)); put(n); cudaGraphNodeType type; TRY(cudaGraphNodeGetType(b, &type)); "
    "put(type); TRY(cudaGraphDestroyNode(a)); TRY(cudaGraphGetNodes(g, nullptr, &n)); put(n); cudaGraphDestroy(g);",
    "cudaGraph_t g; cudaGraphCreate(&g, 0); cudaGraphExec_t x; TRY(cudaGraphInstantiate(&x, g, 0)); "
    "TRY(cudaGraphLaunch(x, 0)); TRY(cudaGraphInstantiate((cudaGraphExec_t*)nullptr, g, 0)); cudaGraphExecDestroy(x); "
    "cudaGraphDestroy(g);",
    "cudaArray_t a; const cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(); TRY(cudaMallocArray(&a, &f, 0, "
    "4));",
    "cudaArray_t a; cudaChannelFormatDesc f = {7, 3, 0, 0, cudaChannelFormatKindFloat}; TRY(cudaMallocArray(&a, &f, "
    "4, 4));",
    "TRY(cudaFreeArray(nullptr));",
    "cudaTextureObject_t t; TRY(cudaCreateTextureObject(&t, nullptr, nullptr, nullptr));",
    "TRY(cudaDestroyTextureObject(0)); TRY(cudaDestroySurfaceObject(0));",
    "cudaMemPool_t m; TRY(cudaDeviceGetDefaultMemPool(&m, 99)); TRY(cudaDeviceGetDefaultMemPool(&m, 0));",
    "void* p; TRY(cudaMallocAsync(&p, 64, (cudaStream_t)0)); TRY(cudaFreeAsync(p, 0)); TRY(cudaFreeAsync(nullptr, 0));",
    "int v = 0; TRY(cudaDriverGetVersion(nullptr)); TRY(cudaRuntimeGetVersion(&v)); put(v > 0);",
    "char id[64]; TRY(cudaDeviceGetPCIBusId(id, 2, 0)); TRY(cudaDeviceGetPCIBusId(id, 64, 99)); int d; "
    "TRY(cudaDeviceGetByPCIBusId(&d, \"zz\"));",
    "TRY(cudaPeekAtLastError()); TRY(cudaGetLastError());",
    "cudaSetDevice(99); put(cudaPeekAtLastError()); put(cudaPeekAtLastError()); cudaFree(nullptr); "
    "put(cudaGetLastError()); put(cudaGetLastError());",
    "cudaSetDevice(99); nothing<<<1, 1>>>(); put(cudaGetLastError()); put(cudaDeviceSynchronize());",
    "nothing<<<1, 5000>>>(); cudaSetDevice(99); put(cudaGetLastError()); put(cudaGetLastError());",
    "nothing<<<1, 5000>>>(); put(cudaDeviceSynchronize()); put(cudaGetLastError());",
)  # fmt: skip
"""Statements that a running program can be left with: none of these errors stays for all later calls."""


_GPUS = frozenset(("gfx90a", "gfx1100"))
_CPU = frozenset(("cpu",))
LEFT_OUT = {
    # A pointer as a symbol is a symbol of that type to the CPU target, whose symbols are variables.
    "cudaGetSymbolSize(&n, (const void*)&x)": _CPU,
    "cudaGetSymbolAddress(&p, (const void*)&x)": _CPU,
    # The CPU target launches by addresses only kernels whose types it has seen, and says so.
    "cudaLaunchKernel((const void*)&x": _CPU,
    # HIP's releases differ in what they call a launch of too many threads (docs/emulation.md).
    "nothing<<<1, 5000>>>()": _GPUS | _CPU,
    # HP101 before ROCm 5.3.
    **dict.fromkeys(("cudaLimitStackSize", "cudaMemoryTypeManaged", "cudaDeviceSetLimit"), _GPUS),
    # The number of a type of graph nodes is another before 5.3.
    "cudaGraphAddEmptyNode(&a": _GPUS,
    # Other statuses in some releases: tests/emulate/wrong_calls.hip.
    **dict.fromkeys(("cudaPointerGetAttributes(&a, &x)", "cudaHostGetDevicePointer(&d, p, 1)"), _GPUS),
    **dict.fromkeys(("cudaDeviceGetPCIBusId(id, 2", "cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 28"), _GPUS),
}
"""Parts of calls that are not compared on these targets."""
AMDS = {
    # Grids and blocks that AMD GPUs can have.
    **dict.fromkeys(("dim3(2, 2, 65)", "dim3(1, 70000)"), "0 0 0 0"),
    # What is no kernel.
    "cudaFuncGetAttributes(&a, (const void*)&x)": "d d d 0 0",
    "cudaLaunchKernel((const void*)&x": "62 62 62 0 0",
    **dict.fromkeys(("(cudaFuncAttribute)999", "cudaFuncSetAttribute((const void*)&x"), "0 0 0 0 0"),
    # Another status, or none.
    "{7, 3, 0, 0": "1 1 1 0 0",
    "cudaStreamEndCapture(t, &g)": "0 0 0 0 387 387 387 0 388 388 388 0 1 0",
    **dict.fromkeys(("cudaDeviceEnablePeerAccess(0, 0)", "cudaDeviceDisablePeerAccess(0)"), "65 65 65 0 0"),
    "cudaHostAlloc(&p, 16, 0x100)": "0 0 0 0 0",
    "TRY(cudaHostRegister(h, 8192, 0)); TRY(cudaHostUnregister(h))": "1 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 2c9 2c9 2c9 0 0",
    "TRY(cudaFreeHost(p)); cudaFree(p)": "0 0 0 0 1",
    # Null pointers that CUDA takes.
    **dict.fromkeys(("cudaFreeArray(nullptr)", "cudaPointerGetAttributes(&a, nullptr)"), "1 1 1 0 0"),
    "cudaFreeAsync(nullptr": "0 0 0 0 0 0 0 0 1 1 1 0 0",
}
"""Parts of calls for which AMD's runtime returns another status than CUDA's, with what they print (docs/compat.md)."""
_LAUNCH, _KERNEL = "9 9 0 0", "9 9 9 0 0"
GPUS = {"dim3(1 << 24), dim3(1024)": _KERNEL}
"""The same where the CPU target does as CUDA: more than 2^32 - 1 threads in a dimension are refused first."""
CPUS = {
    **dict.fromkeys(("nothing<<<1, 0>>>", "nothing<<<0, 1>>>", "nothing<<<1, 1025>>>", "dim3(64, 32)"), _LAUNCH),
    **dict.fromkeys(("dim3(0), nullptr", "dim3(2000), nullptr"), _KERNEL),
}
"""The same for the CPU target alone, which has the statuses of HIP 7."""


def _left_out(call: str) -> frozenset[str]:
    return next((targets for part, targets in LEFT_OUT.items() if part in call), frozenset())


def _amds(call: str) -> dict[str, str]:
    everywhere = {target: said for part, said in AMDS.items() if part in call for target in (*_CPU, *_GPUS)}
    on_gpus = {target: said for part, said in GPUS.items() if part in call for target in _GPUS}
    return everywhere | on_gpus | {target: said for part, said in CPUS.items() if part in call for target in _CPU}


ERRORS = [Case([call], left_out=_left_out(call), amds=_amds(call)) for call in CALLS]
