// SPDX-License-Identifier: MIT
#include "workers.h"

#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace hipport::emulate {

struct Helpers::Job {
  std::function<void()> work;
  std::mutex mutex;
  std::condition_variable finished;
  unsigned left;
};

// All threads that were started. Several launches may take some of them at a time.
class Workers {
 public:
  // They wait until the process ends, behind all destructors.
  static Workers& all() {
    static Workers& found = *new Workers;
    return found;
  }

  void start(const std::shared_ptr<Helpers::Job>& job, unsigned count) {
    const std::lock_guard lock(mutex_);
    if (const pid_t here = getpid(); here != process_) idle_.clear(), process_ = here;  // a fork has no other threads
    for (unsigned i = 0; i < count; ++i) {
      Worker* worker;
      if (idle_.empty()) {
        worker = new Worker;
        worker->job = job;
        try {
          std::thread([this, worker] { serve(*worker); }).detach();
        } catch (const std::system_error&) {  // the system has no more threads: those that there are do the work
          delete worker;
          const std::lock_guard lock(job->mutex);
          job->left -= count - i;
          return;
        }
        continue;
      }
      worker = idle_.back();
      idle_.pop_back();
      const std::lock_guard own(worker->mutex);
      worker->job = job;
      worker->wake.notify_one();
    }
  }

 private:
  struct Worker {
    std::mutex mutex;
    std::condition_variable wake;
    std::shared_ptr<Helpers::Job> job;
  };

  void serve(Worker& worker) {
    for (;;) {
      std::unique_lock own(worker.mutex);
      worker.wake.wait(own, [&worker] { return worker.job != nullptr; });
      const std::shared_ptr<Helpers::Job> job = std::exchange(worker.job, nullptr);
      own.unlock();
      job->work();
      {
        const std::lock_guard lock(mutex_);
        idle_.push_back(&worker);
      }
      const std::lock_guard lock(job->mutex);
      if (--job->left == 0) job->finished.notify_one();
    }
  }

  std::mutex mutex_;
  std::vector<Worker*> idle_;
  pid_t process_ = getpid();
};

Helpers::Helpers(unsigned count, std::function<void()> work) : count_(count), work_(std::move(work)) {}

void Helpers::call() {
  if (count_ == 0 || job_ != nullptr) return;
  job_ = std::make_shared<Job>();
  job_->work = work_;
  job_->left = count_;
  Workers::all().start(job_, count_);
}

Helpers::~Helpers() {
  if (job_ == nullptr) return;
  std::unique_lock lock(job_->mutex);
  job_->finished.wait(lock, [this] { return job_->left == 0; });
}

}  // namespace hipport::emulate
