"""Algorithms of Thrust with its iterators, policies, functors and types, each on the device and by its host backend."""

from __future__ import annotations

import random
from collections.abc import Iterator
from string import Template

from tests.translate.adversarial.fields import Case

HEAD = """\
#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/equal.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/find.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/generate.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/logical.h>
#include <thrust/merge.h>
#include <thrust/mismatch.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/replace.h>
#include <thrust/reverse.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/swap.h>
#include <thrust/tabulate.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>

#define BOTH __host__ __device__
// Two numbers, compared by the first only, and added up.
struct Point {
  int x, y;
  BOTH Point(int both = 0) : x(both % 50), y(both / 50) {}
  BOTH Point(int x, int y) : x(x), y(y) {}
  BOTH bool operator<(const Point& b) const { return x < b.x; }
  BOTH bool operator>(const Point& b) const { return x > b.x; }
  BOTH bool operator==(const Point& b) const { return x == b.x; }
  BOTH bool operator!=(const Point& b) const { return x != b.x; }
  BOTH Point operator+(const Point& b) const { return Point(x + b.x, y + b.y); }
  BOTH Point operator-(const Point& b) const { return Point(x - b.x, y - b.y); }
  BOTH Point operator*(const Point& b) const { return Point(x * b.x, y * b.y); }
};
BOTH inline int whole(Point p) { return p.x + 3 * p.y; }
template <typename T>
BOTH int whole(T x) { return (int)x; }
struct Odd {
  template <typename T>
  BOTH bool operator()(const T& x) const { return whole(x) & 1; }
};
struct Small {
  template <typename T>
  BOTH bool operator()(const T& x) const { return whole(x) % 16 < 5; }
};
struct ByDigit {
  template <typename T>
  BOTH bool operator()(const T& a, const T& b) const { return whole(a) % 10 < whole(b) % 10; }
};
struct SameTens {
  template <typename T>
  BOTH bool operator()(const T& a, const T& b) const { return whole(a) / 10 == whole(b) / 10; }
};
template <typename T>
struct Affine {
  int by;
  BOTH T operator()(const T& x) const { return T((whole(x) * by + 7) & 63); }
};
template <typename T>
struct Larger {
  BOTH T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};
template <typename T>
struct OfIndex {
  BOTH T operator()(int i) const { return T((i * 37 + 11) & 63); }
};
template <typename T>
struct Constant {
  BOTH T operator()() const { return T(5); }
};
struct SumOfTuple {
  template <typename Tuple>
  BOTH int operator()(const Tuple& t) const { return whole(thrust::get<0>(t)) + 5 * whole(thrust::get<1>(t)); }
};
template <typename T>
struct Swapped {
  template <typename Tuple>
  BOTH void operator()(Tuple t) const {
    const T a = thrust::get<0>(t), b = thrust::get<1>(t);
    thrust::get<0>(t) = a + b;
    thrust::get<1>(t) = a;
  }
};
template <typename Vector>
static void fill(Vector& v, int n, int seed, int range) {
  thrust::host_vector<typename Vector::value_type> h(n);
  for (int i = 0; i < n; ++i) h[i] = typename Vector::value_type((int)(mixed(i + seed) % range));
  v = h;
}
template <typename Vector>
static ull hash_of_all(ull sum, const Vector& v) {
  const thrust::host_vector<typename Vector::value_type> h = v;
  for (size_t i = 0; i < h.size(); ++i) sum = mixed(sum ^ (ull)(unsigned)whole(h[i]));
  return sum;
}
"""

_TYPES = ("int", "unsigned", "long long", "float", "double", "short", "uchar", "Point")
_LESS = ("", ", thrust::less<T>()", ", thrust::greater<T>()", ", ByDigit()")
_STEPS = (
    "thrust::stable_sort(${p}ALL(a)$less);",
    "thrust::stable_sort_by_key(${p}ALL(a), b.begin()$less);",
    "thrust::sort(${p}ALL(a)); thrust::sort(${p}ALL(b), thrust::less<T>());",
    "thrust::stable_sort_by_key(${p}ALL(a), ZIP(b.begin(), k.begin())$less);",
    "thrust::stable_sort(${p}a.rbegin(), a.rend());",
    "n = thrust::unique(${p}ALL(a)$same) - a.begin(); put_in(n); REST(a);",
    "n = thrust::unique_by_key(${p}ALL(a), b.begin()$same).first - a.begin(); put_in(n); REST(a); REST(b);",
    "n = thrust::unique_copy(${p}ALL(a), c.begin()$same) - c.begin(); put_in(n);",
    "n = thrust::unique_count(${p}ALL(a)$same); put_in(n);",
    "put_in(whole(thrust::reduce(${p}ALL(a))));",
    "put_in(whole(thrust::reduce(${p}ALL(a), T(3), Larger<T>())));",
    "put_in(thrust::reduce(${p}TRANSFORM(a.begin(), Small()), TRANSFORM(a.end(), Small()), 0));",
    "n = thrust::reduce_by_key(${p}ALL(a), b.begin(), c.begin(), b.begin()).first - c.begin(); put_in(n);",
    "n = thrust::reduce_by_key(${p}ALL(a), ONES(1), c.begin(), k.begin(), SameTens()).second - k.begin(); put_in(n);",
    "n = thrust::reduce_by_key(${p}ALL(a), b.begin(), DISCARD, c.begin(), thrust::equal_to<T>(), Larger<T>()).second "
    "- c.begin(); put_in(n);",
    "thrust::inclusive_scan(${p}ALL(a), c.begin());",
    "thrust::inclusive_scan(${p}ALL(a), c.begin(), Larger<T>());",
    "thrust::exclusive_scan(${p}ALL(a), c.begin(), T($n), Larger<T>());",
    "thrust::exclusive_scan(${p}ALL(k), k.begin(), $n);",
    "thrust::inclusive_scan_by_key(${p}ALL(a), b.begin(), c.begin()$same);",
    "thrust::exclusive_scan_by_key(${p}ALL(a), k.begin(), k.begin(), $n);",
    "thrust::exclusive_scan_by_key(${p}ALL(a), b.begin(), c.begin(), T($n), SameTens(), Larger<T>());",
    "thrust::transform(${p}ALL(a), b.begin(), Affine<T>{$n});",
    "thrust::transform(${p}ALL(a), b.begin(), c.begin(), Larger<T>());",
    "thrust::transform(${p}ALL(a), c.begin(), [=] BOTH(T x) { return x + T(n & 3); });",
    "thrust::transform_if(${p}ALL(a), b.begin(), c.begin(), Affine<T>{$n}, Odd());",
    "thrust::transform_if(${p}ALL(a), c.begin(), Affine<T>{$n}, Small());",
    "thrust::transform(${p}ZIP(a.begin(), b.begin()), ZIP(a.end(), b.end()), k.begin(), SumOfTuple());",
    "put_in(whole(thrust::transform_reduce(${p}ALL(a), Affine<T>{$n}, T(1), Larger<T>())));",
    "thrust::transform_inclusive_scan(${p}ALL(a), c.begin(), Affine<T>{$n}, Larger<T>());",
    "thrust::transform_exclusive_scan(${p}ALL(a), c.begin(), Affine<T>{$n}, T(1), Larger<T>());",
    "n = thrust::copy_if(${p}ALL(a), c.begin(), Odd()) - c.begin(); put_in(n);",
    "n = thrust::copy_if(${p}ALL(a), b.begin(), c.begin(), Small()) - c.begin(); put_in(n);",
    "n = thrust::copy_if(${p}COUNT(0), COUNT((int)a.size()), a.begin(), k.begin(), Odd()) - k.begin(); put_in(n);",
    "n = thrust::remove_if(${p}ALL(a), Odd()) - a.begin(); put_in(n); REST(a);",
    "n = thrust::remove(${p}ALL(b), T($n)) - b.begin(); put_in(n); REST(b);",
    "n = thrust::remove_copy_if(${p}ALL(a), b.begin(), c.begin(), Small()) - c.begin(); put_in(n);",
    "n = thrust::stable_partition(${p}ALL(a), Odd()) - a.begin(); put_in(n);",
    "n = thrust::stable_partition(${p}ALL(a), b.begin(), Small()) - a.begin(); put_in(n);",
    "n = thrust::partition_point(${p}ALL(a), Odd()) - a.begin(); if (thrust::is_partitioned(${p}ALL(a), Odd())) "
    "put_in(n);",
    "{ Vector d(2 * a.size(), T(1)); auto e = thrust::stable_partition_copy(${p}ALL(a), d.begin(), d.begin() + "
    "a.size(), "
    "Small()); put_in(e.first - d.begin()); put_in(e.second - d.begin()); hash_in(d); }",
    "SORTED { n = thrust::set_union(${p}ALL(a), ALL(b), d.begin()$order) - d.begin(); put_in(n); hash_in(d); }",
    "SORTED { n = thrust::set_intersection(${p}ALL(a), ALL(b), d.begin()$order) - d.begin(); put_in(n); hash_in(d); }",
    "SORTED { n = thrust::set_difference(${p}ALL(a), ALL(b), d.begin()$order) - d.begin(); put_in(n); hash_in(d); }",
    "SORTED { n = thrust::set_symmetric_difference(${p}ALL(a), ALL(b), d.begin()) - d.begin(); put_in(n); "
    "hash_in(d); }",
    "SORTED { n = thrust::merge(${p}ALL(a), ALL(b), d.begin()$order) - d.begin(); put_in(n); hash_in(d); }",
    "SORTED { Ints e(a.size() + b.size()); thrust::merge_by_key(${p}ALL(a), ALL(b), k.begin(), COUNT(9), d.begin(), "
    "e.begin()); hash_in(d); hash_in(e); }",
    "SORTED { Ints e(a.size() + b.size()); n = thrust::set_union_by_key(${p}ALL(a), ALL(b), k.begin(), COUNT(5), "
    "d.begin(), e.begin()).first - d.begin(); put_in(n); hash_in(d); hash_in(e); }",
    "SORTED { Ints e(a.size()); n = thrust::set_intersection_by_key(${p}ALL(a), ALL(b), k.begin(), d.begin(), "
    "e.begin()).second - e.begin(); put_in(n); hash_in(d); hash_in(e); }",
    "SORTED { Ints e(a.size()); thrust::lower_bound(${p}ALL(a), ALL(b), e.begin()); hash_in(e); }",
    "SORTED { Ints e(a.size()); thrust::upper_bound(${p}ALL(a), ALL(b), e.begin(), thrust::less<T>()); hash_in(e); }",
    "SORTED { Ints e(a.size()); thrust::binary_search(${p}ALL(a), ALL(b), e.begin()); hash_in(e); }",
    "SORTED { put_in(thrust::lower_bound(${p}ALL(a), T($n)) - a.begin()); put_in(thrust::binary_search(${p}ALL(a), "
    "T(9))); }",
    "SORTED { auto e = thrust::equal_range(${p}ALL(a), T($n)); put_in(e.first - a.begin()); put_in(e.second - "
    "e.first); }",
    "put_in(thrust::count(${p}ALL(a), T($n))); put_in(thrust::count_if(${p}ALL(b), Odd()));",
    "put_in(thrust::find(${p}ALL(a), T($n)) - a.begin()); put_in(thrust::find_if(${p}ALL(b), Small()) - b.begin());",
    "put_in(thrust::find_if_not(${p}a.rbegin(), a.rend(), Small()) - a.rbegin());",
    "put_in(thrust::min_element(${p}ALL(a)) - a.begin()); put_in(thrust::max_element(${p}ALL(b)$less) - b.begin());",
    "{ auto e = thrust::minmax_element(${p}ALL(a)); put_in(e.first - a.begin()); put_in(whole(T(*e.second))); }",
    "put_in(thrust::inner_product(${p}ALL(k), k.begin(), 5, thrust::maximum<int>(), thrust::minus<int>()));",
    "thrust::adjacent_difference(${p}ALL(k), k.begin());",
    "thrust::adjacent_difference(${p}ALL(a), c.begin(), Larger<T>());",
    "thrust::gather(${p}ALL(at), a.begin(), c.begin()); thrust::gather_if(${p}ALL(at), b.begin(), a.begin(), "
    "c.begin(), "
    "Odd());",
    "thrust::scatter(${p}a.begin(), a.begin() + at.size(), at.begin(), c.begin());",
    "thrust::scatter_if(${p}a.begin(), a.begin() + at.size(), at.begin(), b.begin(), c.begin(), Small());",
    "thrust::replace(${p}ALL(a), T($n), T(50)); thrust::replace_if(${p}ALL(b), a.begin(), Odd(), T(2));",
    "thrust::replace_copy_if(${p}ALL(a), c.begin(), Small(), T($n));",
    "thrust::fill(${p}a.begin() + 3, a.begin() + 9, T($n)); thrust::fill_n(${p}c.begin(), 5, T(1));",
    "thrust::sequence(${p}ALL(k), $n, 3); thrust::tabulate(${p}ALL(c), OfIndex<T>());",
    "thrust::generate(${p}c.begin(), c.begin() + 7, Constant<T>());",
    "thrust::reverse(${p}ALL(a)); thrust::reverse_copy(${p}ALL(b), c.begin());",
    "thrust::swap_ranges(${p}a.begin(), a.begin() + a.size() / 2, b.begin());",
    "put_in(thrust::equal(${p}ALL(a), b.begin(), SameTens())); put_in(thrust::mismatch(${p}ALL(a), b.begin()).first "
    "- a.begin());",
    "put_in(thrust::is_sorted(${p}ALL(a))); put_in(thrust::is_sorted_until(${p}ALL(b)$less) - b.begin());",
    "put_in(thrust::all_of(${p}ALL(a), Odd()) + 2 * thrust::any_of(${p}ALL(a), Small()) + 4 * "
    "thrust::none_of(${p}ALL(b), "
    "Odd()));",
    "thrust::for_each(${p}ZIP(a.begin(), b.begin()), ZIP(a.end(), b.end()), Swapped<T>());",
    "thrust::for_each_n(${p}ZIP(c.begin(), a.begin()), a.size() / 3, Swapped<T>());",
    "thrust::copy(${p}PERMUTED(a.begin(), at.begin()), PERMUTED(a.begin(), at.end()), c.begin());",
    "thrust::copy(${p}ALL(at), PERMUTED(k.begin(), at.begin()));",
    "thrust::copy_n(${p}a.rbegin(), a.size() / 2, c.begin());",
    "thrust::copy(${p}ALL(a), OUTPUT(c.begin(), Affine<T>{$n}));",
    "thrust::inclusive_scan(${p}TRANSFORM(a.begin(), Odd()), TRANSFORM(a.end(), Odd()), k.begin(), "
    "thrust::plus<int>());",
    "thrust::exclusive_scan(${p}ONES(2), ONES(2) + k.size(), k.begin(), $n);",
    "{ Vector d = a; d.insert(d.begin() + 2, T($n)); d.erase(d.begin() + 5, d.begin() + 8); d.push_back(T(4)); "
    "hash_in(d); }",
)  # fmt: skip
"""Statements: `T`, vectors `a`, `b`, `c` of it, `k` of int, `at` of indices that differ."""

MACROS = """\
#define ALL(v) v.begin(), v.end()
#define ZIP(a, b) thrust::make_zip_iterator(thrust::make_tuple(a, b))
#define TRANSFORM(at, f) thrust::make_transform_iterator(at, f)
#define OUTPUT(at, f) thrust::make_transform_output_iterator(at, f)
#define COUNT(n) thrust::make_counting_iterator(n)
#define ONES(n) thrust::make_constant_iterator(n)
#define DISCARD thrust::make_discard_iterator()
#define PERMUTED(values, at) thrust::make_permutation_iterator(values, at)
#define SORTED                                                          \\
  thrust::sort(ALL(a)), thrust::sort(ALL(b));                           \\
  Vector d(a.size() + b.size(), T(0));
// What is behind the result of unique and remove is left open.
#define REST(v) thrust::fill(v.begin() + n, v.end(), T(0))
#define put_in(x) sum = mixed(sum ^ (ull)(x))
#define hash_in(v) sum = hash_of_all(sum, v)
"""


def _step(choose: random.Random, text: str) -> Iterator[str]:
    names = {
        "p": choose.choice(("", "policy, ")),
        "less": choose.choice(_LESS),
        "same": choose.choice(("", "", ", thrust::equal_to<T>()", ", SameTens()")),
        "order": choose.choice(("", ", thrust::less<T>()")),
        "n": str(choose.randint(1, 30)),
    }
    yield f"  {{ {Template(text).substitute(names)} }}"
    yield "  hash_in(a); hash_in(b); hash_in(c); hash_in(k); sums.push_back(sum);"


def thrust(choose: random.Random, number: int) -> Case:
    """Return a case of some steps; behind their hashes stands how many differ from those of the host's backend."""
    kind = choose.choice(_TYPES)
    size = choose.choice((33, 200, 1000, 3001))
    steps = [line for text in choose.sample(_STEPS, choose.randint(4, 6)) for line in _step(choose, text)]
    filled = "".join(f" fill({name}, {size}, {choose.randrange(999)}, {choose.choice((2, 10, 60))});" for name in "abc")
    declared = "\n".join((
        "template <typename Vector, typename Ints, typename Policy>",
        f"static std::vector<ull> work{number}(Policy policy) {{",
        f"  typedef {kind} T; std::vector<ull> sums; ull sum = 0; long long n = 0; Vector a, b, c; Ints k, at(16);",
        f" {filled} fill(k, {size}, 1, 40);",
        "  for (int i = 0; i < 16; ++i) at[i] = i * 5 % 17;",
        "  (void)n; (void)policy;",
        *steps,
        "  return sums;\n}",
    ))  # fmt: skip
    policy = choose.choice(("thrust::device", "thrust::cuda::par", "thrust::cuda::par.on(stream)"))
    lines = [
        "cudaStream_t stream; cudaStreamCreate(&stream);",
        f"typedef {kind} T; typedef thrust::device_vector<int> OnDevice; typedef thrust::host_vector<int> OnHost;",
        f"const auto found = work{number}<thrust::device_vector<T>, OnDevice>({policy});",
        f"const auto right = work{number}<thrust::host_vector<T>, OnHost>(thrust::host);",
        "int wrong = -1; for (size_t i = 0; i < found.size(); ++i) { put(found[i]); "
        "if (found[i] != right[i] && wrong < 0) wrong = (int)i; }",
        "put(wrong); cudaStreamDestroy(stream);",
    ]
    return Case(lines, declared)
