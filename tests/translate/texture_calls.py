"""Calls of all functions that read and write textures and surfaces, for all types that CUDA's headers accept.

Each function is called for each type, in its forms by turns; in all of them with HIPPORT_TEST_ALL=1.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.shared import EVERYTHING

_SCALARS = ("char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned int", "float")
_VECTORS = ("char", "uchar", "short", "ushort", "int", "uint", "float")
TYPES = (*_SCALARS, *(f"{name}{size}" for name in _VECTORS for size in (1, 2, 4)))
_READS = {
    "tex1Dfetch": "i",
    "tex1D": "f",
    "tex1DLod": "f, f",
    "tex1DGrad": "f, f, f",
    "tex2D": "f, f",
    "tex2DLod": "f, f, f",
    "tex2DGrad": "f, f, f2, f2",
    "tex3D": "f, f, f",
    "tex3DLod": "f, f, f, f",
    "tex3DGrad": "f, f, f, f4, f4",
    "tex1DLayered": "f, i",
    "tex1DLayeredLod": "f, i, f",
    "tex1DLayeredGrad": "f, i, f, f",
    "tex2DLayered": "f, f, i",
    "tex2DLayeredLod": "f, f, i, f",
    "tex2DLayeredGrad": "f, f, i, f2, f2",
    "texCubemap": "f, f, f",
    "texCubemapLod": "f, f, f, f",
    "texCubemapGrad": "f, f, f, f4, f4",
    "texCubemapLayered": "f, f, f, i",
    "texCubemapLayeredLod": "f, f, f, i, f",
    "texCubemapLayeredGrad": "f, f, f, i, f4, f4",
}
_SPARSE = {
    "tex2D": "f, f, &b",
    "tex2DLod": "f, f, f, &b",
    "tex3D": "f, f, f, &b",
    "tex2DLayered": "f, f, i, &b",
    "tex2Dgather": "f, f, &b, 1",
}
_SURFACES = {
    "surf1D": "i",
    "surf2D": "i, i",
    "surf3D": "i, i, i",
    "surf1DLayered": "i, i",
    "surf2DLayered": "i, i, i",
    "surfCubemap": "i, i, i",
    "surfCubemapLayered": "i, i, i",
}


def calls() -> list[str]:
    """Return statements for the frame of `program`, one for each type, function and form."""
    return [
        f"using T = {type_}; T r = {{}}; {statement}"
        for turn, type_ in enumerate(TYPES)
        for number, forms in enumerate(_functions())
        for statement in (forms if EVERYTHING else forms[(turn + number) % len(forms) :][:1])
    ]


def program(statements: list[str]) -> str:
    """Return a program with a kernel on a line of its own for each statement, from the second line on."""
    places = "float f, int i, float2 f2, float4 f4"
    frame = f"__global__ void k{{}}(void* o, cudaTextureObject_t t, cudaSurfaceObject_t s, {places})"
    kernels = (f"{frame.format(n)} {{ bool b; (void)b; {text} }}\n" for n, text in enumerate(statements))
    return "#include <cuda_runtime.h>\n" + "".join(kernels)


def _functions() -> Iterator[tuple[str, ...]]:
    """Yield the forms of each function's calls."""
    for name, places in _READS.items():
        yield f"*(T*)o = {name}<T>(t, {places});", f"{name}(&r, t, {places}); *(T*)o = r;"
    yield ("*(T*)o = tex2Dgather<T>(t, f, f, 1);",)
    for name, places in _SPARSE.items():
        yield (f"*(T*)o = {name}<T>(t, {places});",)
    for name, places in _SURFACES.items():
        yield (
            f"*(T*)o = {name}read<T>(s, {places});",
            f"*(T*)o = {name}read<T>(s, {places}, cudaBoundaryModeZero);",
            f"{name}read(&r, s, {places}); *(T*)o = r;",
        )
        yield f"{name}write(r, s, {places});", f"{name}write<T>(r, s, {places}, cudaBoundaryModeClamp);"
