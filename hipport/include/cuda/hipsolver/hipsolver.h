// SPDX-License-Identifier: MIT
// hipSOLVER's dense, sparse and refactorization functions, mapped to cuSOLVER.
#pragma once

#include <hip/hip_runtime.h>

#include <cusolverDn.h>
#include <cusolverRf.h>
#include <cusolverSp.h>

#include <hipport_cuda/names/cusolver.h>
