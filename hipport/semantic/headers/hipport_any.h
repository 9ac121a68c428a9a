// A value of a type that is not known: it is made from anything, becomes anything and goes with anything.
#pragma once

#ifdef __cplusplus
struct hipport_any {
  hipport_any() = default;
  template <class T>
  hipport_any(const T&);
  template <class T>
  operator T() const;
  operator long() const;  // for `switch`, which looks at no template
};

// A type of CUDA's.
#define HIPPORT_TYPE(name)          \
  struct name : hipport_any {       \
    using hipport_any::hipport_any; \
  };

template <class T>
struct hipport_plain {
  using type = T;
};
template <class T>
struct hipport_plain<const T> : hipport_plain<T> {};
template <class T>
struct hipport_plain<T&> : hipport_plain<T> {};
template <class T>
struct hipport_plain<T&&> : hipport_plain<T> {};
template <class T, decltype(sizeof(0)) n>
struct hipport_plain<T[n]> {
  using type = T*;
};
template <class T, decltype(sizeof(0)) n>
struct hipport_plain<const T[n]> {
  using type = const T*;
};

#define HIPPORT_IS_ANY(T) __is_base_of(hipport_any, typename hipport_plain<T>::type)

template <bool holds, class T>
struct hipport_if {};
template <class T>
struct hipport_if<true, T> {
  using type = T;
};

// What two operands make: a value of the type that is known, if one is.
template <class L, class R, bool = HIPPORT_IS_ANY(L)>
struct hipport_common {
  using type = L;
};
template <class L, class R>
struct hipport_common<L, R, true> {
  using type = R;
};

template <class L, class R>
using hipport_common_of =
    typename hipport_common<typename hipport_plain<L>::type, typename hipport_plain<R>::type>::type;

#define HIPPORT_OPERATOR(op, ...) \
  template <class L, class R>     \
  typename hipport_if<HIPPORT_IS_ANY(L) || HIPPORT_IS_ANY(R), __VA_ARGS__>::type operator op(L&&, R&&);
#define HIPPORT_COMPARISON(op) HIPPORT_OPERATOR(op, bool)
#define HIPPORT_ASSIGNMENT(op) \
  template <class L, class R>  \
  typename hipport_if<HIPPORT_IS_ANY(R), L&>::type operator op(L&, R&&);
#define HIPPORT_ARITHMETIC(op)                  \
  HIPPORT_OPERATOR(op, hipport_common_of<L, R>) \
  HIPPORT_ASSIGNMENT(op## =)

HIPPORT_COMPARISON(==)
HIPPORT_COMPARISON(!=)
HIPPORT_COMPARISON(<)
HIPPORT_COMPARISON(>)
HIPPORT_COMPARISON(<=)
HIPPORT_COMPARISON(>=)
HIPPORT_ARITHMETIC(+)
HIPPORT_ARITHMETIC(-)
HIPPORT_ARITHMETIC(*)
HIPPORT_ARITHMETIC(/)
HIPPORT_ARITHMETIC(%)
HIPPORT_ARITHMETIC(&)
HIPPORT_ARITHMETIC(|)
HIPPORT_ARITHMETIC(^)
HIPPORT_OPERATOR(<<, L)  // of a stream, too
HIPPORT_OPERATOR(>>, L)
HIPPORT_ASSIGNMENT(<<=)
HIPPORT_ASSIGNMENT(>>=)

// What a function of the device gives back, by the most frequent kinds: what a pointer points to, as loads and atomic
// functions do; the second of three values, as shuffles and arithmetic do.
template <class... T>
struct hipport_known {
  using type = hipport_any;
};
template <class T, class... Rest>
struct hipport_known<T*, Rest...> : hipport_plain<T> {};
template <class... Rest>
struct hipport_known<void*, Rest...> : hipport_known<> {};
template <class... Rest>
struct hipport_known<const void*, Rest...> : hipport_known<> {};
template <class First, class T, class Third, class... Rest>
struct hipport_known<First, T, Third, Rest...> {
  using type = T;
};
template <class T, class Second, class Third, class... Rest>
struct hipport_known<T*, Second, Third, Rest...> : hipport_known<T*> {};
template <class... T>
using hipport_result = typename hipport_known<typename hipport_plain<T>::type...>::type;
#endif
