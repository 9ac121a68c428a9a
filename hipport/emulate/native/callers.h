// SPDX-License-Identifier: MIT
// With which release of HIP the file was linked that calls a function: some functions kept their names when numbers of
// enumerators and layouts of structures changed.
#pragma once

namespace hipport::emulate {

// Releases as major times 100 plus minor. Graph nodes have other types and `hipMemAllocationProp` other members from 5.3
// on, memory other types and `HIP_MEMCPY3D` other members from 6.0 on, nodes that set memory other parameters from 7.0 on.
// tests/emulate/releases compares the headers of all releases with what these functions take.
constexpr unsigned kRelease53 = 503, kRelease56 = 506, kRelease60 = 600, kRelease70 = 700;

// Return the release of HIP that the file was linked with whose code has an address. The minor number is that of the
// library that is installed, if its file's name says it, or else the largest; it is known for release 5 only.
unsigned linked_release(void* address);

}  // namespace hipport::emulate
