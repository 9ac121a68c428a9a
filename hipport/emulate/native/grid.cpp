// SPDX-License-Identifier: MIT
#include "grid.h"

#include "grid_sync.h"
#include "hostcall.h"
#include "runner.h"
#include "sharing.h"
#include "tools.h"
#include "watch.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace hipport::emulate {
namespace {

// How long a thread rests, now and then, whose work-group waits for others.
constexpr auto kRest = std::chrono::milliseconds(5);

template <typename T>
void put(std::vector<uint8_t>& to, const Argument& argument, T value) {
  if (argument.offset + argument.size <= to.size())
    std::memcpy(to.data() + argument.offset, &value, std::min<size_t>(sizeof value, argument.size));
}

// Return the memory that the kernel reads its arguments from, with those that the compiler added.
std::vector<uint8_t> with_hidden(const GridLaunch& launch, const PrintBuffer* prints, const GridSync& sync) {
  const Kernel& kernel = *launch.kernel;
  std::vector<uint8_t> all(std::max<size_t>(kernel.descriptor.argument_bytes, launch.arguments.size()) + 256);
  std::copy(launch.arguments.begin(), launch.arguments.end(), all.begin());
  const uint32_t grid[] = {launch.grid.x, launch.grid.y, launch.grid.z};
  const uint32_t block[] = {launch.block.x, launch.block.y, launch.block.z};
  for (const Argument& argument : kernel.arguments) {
    const std::string& kind = argument.kind;
    for (unsigned i = 0; i < 3; ++i) {
      const char axis = "xyz"[i];
      if (kind == std::string("hidden_block_count_") + axis) put<uint32_t>(all, argument, grid[i]);
      if (kind == std::string("hidden_group_size_") + axis) put<uint16_t>(all, argument, uint16_t(block[i]));
      if (kind == std::string("hidden_remainder_") + axis || kind == std::string("hidden_global_offset_") + axis)
        put<uint64_t>(all, argument, 0);
    }
    if (kind == "hidden_grid_dims") put<uint16_t>(all, argument, grid[2] > 1 ? 3 : grid[1] > 1 ? 2 : 1);
    if (kind == "hidden_dynamic_lds_size") put<uint32_t>(all, argument, launch.dynamic_local_bytes);
    if (kind == "hidden_hostcall_buffer") put<uint64_t>(all, argument, hostcall_buffer());
    if (kind == "hidden_heap_v1") put<uint64_t>(all, argument, device_heap());
    if (kind == "hidden_printf_buffer" && prints != nullptr) put<uint64_t>(all, argument, prints->address());
    if (kind == "hidden_multigrid_sync_arg" && launch.cooperative)
      put<uint64_t>(all, argument, reinterpret_cast<uint64_t>(&sync));
    if (kind == "hidden_private_base") put<uint32_t>(all, argument, kPrivateAperture);
    if (kind == "hidden_shared_base") put<uint32_t>(all, argument, kLocalAperture);
  }
  return all;
}

Size3 group_of(const GridLaunch& launch, uint64_t number) {
  return {uint32_t(number % launch.grid.x), uint32_t(number / launch.grid.x % launch.grid.y),
          uint32_t(number / launch.grid.x / launch.grid.y)};
}

// Return the work-group after another one: x comes first.
Size3 next_group(const GridLaunch& launch, Size3 group) {
  if (++group.x < launch.grid.x) return group;
  group.x = 0;
  if (++group.y < launch.grid.y) return group;
  group.y = 0;
  ++group.z;
  return group;
}

// Return how many work-groups a thread takes at a time: more than one if there are many, since it is not free to share
// the count of those that are left.
uint64_t share_of(uint64_t groups, uint64_t threads) { return std::clamp<uint64_t>(groups / threads / 64, 1, 16); }

// Run all work-groups in turns, as a cooperative launch needs it: they wait for each other.
void run_together(const GridLaunch& launch, const std::vector<uint8_t>& arguments, const Packet& packet,
                  const GridSync& sync, Watch& watch) {
  std::vector<std::unique_ptr<Runner>> all;
  GridResources resources;
  const uint64_t count = uint64_t(launch.grid.x) * launch.grid.y * launch.grid.z;
  for (uint64_t i = 0; i < count; ++i) {
    all.push_back(std::make_unique<Runner>(launch, arguments, packet, sync, watch));
    all.back()->meet_at(&resources);
    all.back()->start(group_of(launch, i));
  }
  for (bool left = true; left;) {
    left = false;
    for (const auto& runner : all) left |= runner->step();
  }
}

// From gfx12 on the numbers of a work-group in y and z are the halves of a register.
void check_numbers(const GridLaunch& launch) {
  constexpr uint32_t most = 1 << 16;
  if (launch.object->processor().generation >= 12 && std::max(launch.grid.y, launch.grid.z) > most)
    throw Fault("the grid has more than 65536 work-groups in y or z, which gfx12 cannot number");
}

// Return the buffer for printf() if the kernel takes one.
std::unique_ptr<PrintBuffer> print_buffer(const Kernel& kernel) {
  const auto takes = [](const Argument& argument) { return argument.kind == "hidden_printf_buffer"; };
  if (std::none_of(kernel.arguments.begin(), kernel.arguments.end(), takes)) return nullptr;
  return std::make_unique<PrintBuffer>();
}

// Return the code for all wavefronts of a row of threads at once, if rows are whole wavefronts, more than one.
GroupCode group_code(const GridLaunch& launch, Program& program) {
  constexpr uint64_t fewest_groups = 16;
  const unsigned lanes = launch.kernel->lanes, row = launch.block.x;
  const uint64_t groups = uint64_t(launch.grid.x) * launch.grid.y * launch.grid.z;
  if (row % lanes != 0 || row <= lanes || row > kMaxThreads || launch.cooperative || groups < fewest_groups) return {};
  return program.group_code(launch.kernel->entry_address, row / lanes, usual_vectors());
}

}  // namespace

void run_grid(const GridLaunch& launch) {
  check_numbers(launch);
  begin_launch();
  const std::unique_ptr<PrintBuffer> prints = print_buffer(*launch.kernel);
  const uint64_t count = uint64_t(launch.grid.x) * launch.grid.y * launch.grid.z;
  const GridSync sync(count, uint64_t(launch.block.x) * launch.block.y * launch.block.z);
  const std::vector<uint8_t> arguments = with_hidden(launch, prints.get(), sync);
  Packet packet;
  packet.block_x = uint16_t(launch.block.x);
  packet.block_y = uint16_t(launch.block.y);
  packet.block_z = uint16_t(launch.block.z);
  packet.grid_x = launch.grid.x * launch.block.x;
  packet.grid_y = launch.grid.y * launch.block.y;
  packet.grid_z = launch.grid.z * launch.block.z;
  packet.arguments = reinterpret_cast<uint64_t>(arguments.data());
  Program& program = launch.object->program(launch.kernel->lanes);  // decoded once, before threads share it
  if (!has_tool()) program.fuse(launch.kernel->entry_address, usual_vectors());
  const GroupCode code = has_tool() ? GroupCode{} : group_code(launch, program);
  const uint64_t cores = launch.cooperative ? 1 : processors();
  Queue queue(count, share_of(count, cores));
  std::exception_ptr failure;
  std::atomic<bool> has_failed{false};
  std::mutex mutex;
  Watch watch(launch, program, queue.taken());
  MoreHelpers more;
  const auto work = [&](const auto& when_long, const auto& after_share) {
    try {
      if (launch.cooperative) return run_together(launch, arguments, packet, sync, watch);
      Runner runner(launch, arguments, packet, sync, watch, code);
      for (Range range = queue.take(); range.count != 0; range = queue.take()) {
        Size3 group = group_of(launch, range.first);
        while (range.count != 0) {
          ++range.first, --range.count;
          runner.finish(group, [&](bool stands) {
            when_long();
            if (stands && has_failed) throw Fault("a work-group that this one waits for has failed");
            if (stands && queue.give_back(std::exchange(range, {}))) more.call();
            if (stands) std::this_thread::sleep_for(kRest);
          });
          group = next_group(launch, group);
        }
        after_share();
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!has_failed.exchange(true)) failure = std::current_exception();
      queue.clear();
    }
  };
  const auto nothing = [] {};
  more.work = [&] { work(nothing, nothing); };
  {
    Pace pace(program.pace(launch.kernel->entry_address), count);
    Helpers helpers(unsigned(std::min(cores, count) - 1), more.work);
    if (!pace.is_short()) helpers.call();
    work([&] { helpers.call(); },
         [&] {
           if (!pace.goes_on_alone()) helpers.call();
         });
    pace.finish(helpers.are_called());
  }
  more.finish();
  if (prints != nullptr) prints->flush(launch.object->formats());
  if (failure) std::rethrow_exception(failure);
}

}  // namespace hipport::emulate
