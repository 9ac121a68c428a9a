// SPDX-License-Identifier: MIT
// Headers of hipCUB that <hipcub/hipcub.hpp> leaves out before ROCm 5.4, without BlockRakingLayout, which does not compile
// before, and BlockAdjacentDifference, which does not beside BlockDiscontinuity in ROCm 5.2.
#ifndef HIPPORT_COMPAT_CUB_HEADERS_H
#define HIPPORT_COMPAT_CUB_HEADERS_H

#include "core.h"

#if defined(HIPPORT_COMPAT_HIP)

#include <hipcub/hipcub.hpp>
// The others need what it includes.
#include <hipcub/block/block_merge_sort.hpp>
#include <hipcub/block/block_radix_rank.hpp>
#include <hipcub/block/block_run_length_decode.hpp>
#include <hipcub/block/block_shuffle.hpp>
#include <hipcub/block/radix_rank_sort_operations.hpp>
#include <hipcub/device/device_merge_sort.hpp>
#include <hipcub/device/device_partition.hpp>
#include <hipcub/device/device_spmv.hpp>
#include <hipcub/grid/grid_barrier.hpp>
#include <hipcub/grid/grid_even_share.hpp>
#include <hipcub/grid/grid_mapping.hpp>
#include <hipcub/grid/grid_queue.hpp>

#endif

#endif
