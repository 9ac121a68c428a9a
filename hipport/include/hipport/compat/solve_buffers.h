// SPDX-License-Identifier: MIT
// The buffers of the analyses of sparse triangular systems, by the descriptor of the solve.
#ifndef HIPPORT_COMPAT_SOLVE_BUFFERS_H
#define HIPPORT_COMPAT_SOLVE_BUFFERS_H

#include <map>
#include <mutex>

namespace hipport {
namespace compat {

// Any thread may use the buffers to solve.
template <typename Descriptor>
class BuffersOf {
 public:
  static void keep(Descriptor descriptor, void* buffer) {
    const std::lock_guard<std::mutex> hold(mutex());
    all()[descriptor] = buffer;
  }
  static void* of(Descriptor descriptor) {
    const std::lock_guard<std::mutex> hold(mutex());
    const typename std::map<Descriptor, void*>::const_iterator found = all().find(descriptor);
    return found == all().end() ? nullptr : found->second;
  }
  static void forget(Descriptor descriptor) {
    const std::lock_guard<std::mutex> hold(mutex());
    all().erase(descriptor);
  }

 private:
  static std::map<Descriptor, void*>& all() {
    static std::map<Descriptor, void*> buffers;
    return buffers;
  }
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
};

}  // namespace compat
}  // namespace hipport

#endif
