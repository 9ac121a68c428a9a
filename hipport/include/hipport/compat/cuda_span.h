// SPDX-License-Identifier: MIT
// `cuda/std/span`: the standard library's since C++20, whose functions are `constexpr` and so for device code, else this.
#ifndef HIPPORT_COMPAT_CUDA_SPAN_H
#define HIPPORT_COMPAT_CUDA_SPAN_H

#include "cuda_std.h"

#if defined(HIPPORT_COMPAT_CUDA)

#include <cuda/std/span>

#elif __cplusplus >= 202002L

#include <span>

#elif defined(HIPPORT_COMPAT_HIP) && __cplusplus >= 201402L

namespace cuda {
namespace std {

constexpr ::std::size_t dynamic_extent = static_cast<::std::size_t>(-1);

// The length is kept in the object also where the type has it.
template <typename T, ::std::size_t Extent = dynamic_extent>
class span {
 public:
  using element_type = T;
  using value_type = ::std::remove_cv_t<T>;
  using size_type = ::std::size_t;
  using difference_type = ::std::ptrdiff_t;
  using pointer = T*;
  using const_pointer = const T*;
  using reference = T&;
  using const_reference = const T&;
  using iterator = T*;
  using reverse_iterator = ::std::reverse_iterator<iterator>;
  static constexpr size_type extent = Extent;

  HIPPORT_COMPAT constexpr span() noexcept : data_(nullptr), size_(0) {
    static_assert(Extent == dynamic_extent || Extent == 0, "a span of a fixed extent needs elements");
  }
  HIPPORT_COMPAT constexpr span(pointer first, size_type count) : data_(first), size_(count) {}
  HIPPORT_COMPAT constexpr span(pointer first, pointer last) : data_(first), size_(last - first) {}
  template <size_type N>
  HIPPORT_COMPAT constexpr span(element_type (&array)[N]) noexcept : data_(array), size_(N) {}
  template <typename Container,
            typename = ::std::enable_if_t<
                !::std::is_array<::std::remove_reference_t<Container>>::value &&
                ::std::is_convertible<::std::remove_pointer_t<decltype(::std::declval<Container&>().data())> (*)[],
                                      element_type (*)[]>::value>>
  HIPPORT_COMPAT constexpr span(Container&& container) : data_(container.data()), size_(container.size()) {}

  HIPPORT_COMPAT constexpr pointer data() const noexcept { return data_; }
  HIPPORT_COMPAT constexpr size_type size() const noexcept { return size_; }
  HIPPORT_COMPAT constexpr size_type size_bytes() const noexcept { return size_ * sizeof(T); }
  HIPPORT_COMPAT constexpr bool empty() const noexcept { return size_ == 0; }
  HIPPORT_COMPAT constexpr iterator begin() const noexcept { return data_; }
  HIPPORT_COMPAT constexpr iterator end() const noexcept { return data_ + size_; }
  HIPPORT_COMPAT constexpr reverse_iterator rbegin() const noexcept { return reverse_iterator(end()); }
  HIPPORT_COMPAT constexpr reverse_iterator rend() const noexcept { return reverse_iterator(begin()); }
  HIPPORT_COMPAT constexpr reference operator[](size_type index) const { return data_[index]; }
  HIPPORT_COMPAT constexpr reference front() const { return data_[0]; }
  HIPPORT_COMPAT constexpr reference back() const { return data_[size_ - 1]; }

  HIPPORT_COMPAT constexpr span<T> first(size_type count) const { return {data_, count}; }
  HIPPORT_COMPAT constexpr span<T> last(size_type count) const { return {data_ + (size_ - count), count}; }
  HIPPORT_COMPAT constexpr span<T> subspan(size_type offset, size_type count = dynamic_extent) const {
    return {data_ + offset, count == dynamic_extent ? size_ - offset : count};
  }
  template <size_type Count>
  HIPPORT_COMPAT constexpr span<T, Count> first() const {
    return {data_, Count};
  }
  template <size_type Count>
  HIPPORT_COMPAT constexpr span<T, Count> last() const {
    return {data_ + (size_ - Count), Count};
  }
  template <size_type Offset, size_type Count = dynamic_extent>
  HIPPORT_COMPAT constexpr span<T, Count> subspan() const {
    return {data_ + Offset, Count == dynamic_extent ? size_ - Offset : Count};
  }

 private:
  pointer data_;
  size_type size_;
};

}  // namespace std
}  // namespace cuda

#endif

#endif
