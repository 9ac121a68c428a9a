// A value of a type that is not known: it is made from anything, becomes anything and goes with anything.
#pragma once

#ifdef __cplusplus
#define HIPPORT_BINARY(op, mine, theirs)                   \
  friend hipport_any operator op(hipport_any, hipport_any);       \
  template <class T>                                       \
  friend theirs operator op(const T&, hipport_any);                \
  template <class T>                                       \
  friend mine operator op(hipport_any, const T&);
#define HIPPORT_ASSIGNMENT(op)                             \
  template <class T>                                       \
  friend T& operator op(T&, hipport_any);

struct hipport_any {
  hipport_any() = default;
  template <class T>
  hipport_any(const T&);
  template <class T>
  operator T() const;

  // Friends, so that they are no candidates where two other types meet.
  HIPPORT_BINARY(+, T, T)
  HIPPORT_BINARY(-, T, T)
  HIPPORT_BINARY(*, T, T)
  HIPPORT_BINARY(/, T, T)
  HIPPORT_BINARY(%, T, T)
  HIPPORT_BINARY(&, T, T)
  HIPPORT_BINARY(|, T, T)
  HIPPORT_BINARY(^, T, T)
  HIPPORT_BINARY(<<, T, T)
  HIPPORT_BINARY(>>, hipport_any, T)
  HIPPORT_BINARY(==, bool, bool)
  HIPPORT_BINARY(!=, bool, bool)
  HIPPORT_BINARY(<, bool, bool)
  HIPPORT_BINARY(>, bool, bool)
  HIPPORT_BINARY(<=, bool, bool)
  HIPPORT_BINARY(>=, bool, bool)
  HIPPORT_ASSIGNMENT(+=)
  HIPPORT_ASSIGNMENT(-=)
  HIPPORT_ASSIGNMENT(*=)
  HIPPORT_ASSIGNMENT(/=)
  HIPPORT_ASSIGNMENT(%=)
  HIPPORT_ASSIGNMENT(&=)
  HIPPORT_ASSIGNMENT(|=)
  HIPPORT_ASSIGNMENT(^=)
  HIPPORT_ASSIGNMENT(<<=)
  HIPPORT_ASSIGNMENT(>>=)
};

// A type of CUDA's: it compares with values of its own and of any other type.
#define HIPPORT_COMPARISON(name, op)                        \
  friend bool operator op(const name&, const name&);        \
  template <class T>                                        \
  friend bool operator op(const name&, const T&);           \
  template <class T>                                        \
  friend bool operator op(const T&, const name&);
#define HIPPORT_TYPE(name)            \
  struct name : hipport_any {         \
    using hipport_any::hipport_any;   \
    HIPPORT_COMPARISON(name, ==)      \
    HIPPORT_COMPARISON(name, !=)      \
    HIPPORT_COMPARISON(name, <)       \
    HIPPORT_COMPARISON(name, >)       \
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
