// SPDX-License-Identifier: MIT
// With which release of HIP the file was linked that calls a function: some functions kept their names when numbers of
// enumerators and layouts of structures changed.
#pragma once

namespace hipport::emulate {

// Releases as major times 100 plus minor. Graph nodes have other types from 5.3 on, memory other types and
// `HIP_MEMCPY3D` other members from 6.0 on.
constexpr unsigned kRelease53 = 503, kRelease60 = 600;

// Return the release of HIP that the file was linked with whose code has an address. The minor number is that of the
// library that is installed, if its file's name says it, or else the largest; it is known for release 5 only.
unsigned linked_release(void* address);

}  // namespace hipport::emulate
