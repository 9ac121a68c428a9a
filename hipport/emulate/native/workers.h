// SPDX-License-Identifier: MIT
// Threads of the host that run work-groups. They are kept from one launch to the next: starting one takes longer than many
// kernels do.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace hipport::emulate {

// The threads that help with one launch.
class Helpers {
 public:
  // `work` must not throw.
  Helpers(unsigned count, std::function<void()> work);
  // Waits until all that were called have done the work.
  ~Helpers();
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;

  // Have the work done by all of them, at the same time as what this thread goes on to do. A second call does nothing.
  void call();
  bool are_called() const { return job_ != nullptr; }

 private:
  struct Job;
  unsigned count_;
  std::function<void()> work_;
  std::shared_ptr<Job> job_;
  friend class Workers;
};

}  // namespace hipport::emulate
