// SPDX-License-Identifier: MIT
// The release of MIOpen whose interface the CPU target has.
#pragma once

#define MIOPEN_VERSION_MAJOR 3
#define MIOPEN_VERSION_MINOR 4
#define MIOPEN_VERSION_PATCH 0
