// SPDX-License-Identifier: MIT
// The pool of operating system threads on which blocks run.
#pragma once

#include "block.h"
#include "shared.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>

namespace hipport::cpu {

// Return how many blocks run at a time: HIPPORT_CPU_THREADS, or one per processor.
HIPPORT_RUNTIME unsigned worker_count() {
  static const unsigned count = [] {
    const char* text = std::getenv("HIPPORT_CPU_THREADS");
    const int wanted = text != nullptr ? std::atoi(text) : static_cast<int>(std::thread::hardware_concurrency());
    // ThreadSanitizer finds races between blocks only if several workers run them.
    return static_cast<unsigned>(std::max(wanted, checks::enabled ? 16 : sanitizers::races ? 4 : 1));
  }();
  return count;
}

class Pool {
 public:
  static Pool& instance() {
    static Pool pool;
    return pool;
  }

  // Call `job` on `helpers` workers, or on as many as there can be, and on this thread; return when all have finished.
  void run(unsigned helpers, const std::function<void()>& job) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      helpers = start_workers(helpers);
      job_ = &job;
      wanted_ = running_ = helpers;
    }
    if (helpers > 0) start_.notify_all();
    job();
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait(lock, [this] { return running_ == 0; });
    job_ = nullptr;
  }

 private:
  Pool() = default;

  // Return how many of the workers that are wanted there are: the system may have no more threads.
  unsigned start_workers(unsigned wanted) {
    try {
      while (threads_.size() < wanted) threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
    }
    return std::min(wanted, static_cast<unsigned>(threads_.size()));
  }

  ~Pool() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      ending_ = true;
    }
    start_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void work() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      start_.wait(lock, [this] { return ending_ || wanted_ > 0; });
      if (ending_) return;
      --wanted_;
      const std::function<void()>& job = *job_;
      lock.unlock();
      job();
      lock.lock();
      if (--running_ == 0) done_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable start_, done_;
  std::vector<std::thread> threads_;
  const std::function<void()>* job_ = nullptr;
  unsigned wanted_ = 0, running_ = 0;
  bool ending_ = false;
};

}  // namespace hipport::cpu
