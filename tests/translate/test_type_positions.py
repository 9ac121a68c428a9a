"""Types of CUDA in every position that C++ has for a type, in one list: all of them are renamed."""

from __future__ import annotations

import re

import pytest

from hipport.mappings.loader import Tables
from hipport.translate.context import Context
from hipport.translate.convert import convert_source

TYPES = {
    "cudaStream_t": "hipStream_t",
    "cudaDeviceProp": "hipDeviceProp_t",
    "cudaMemcpyKind": "hipMemcpyKind",
    "cublasHandle_t": "hipblasHandle_t",
    "CUstream": "hipStream_t",
    "cuComplex": "hipComplex",
}
POSITIONS = """\
struct A { operator T() const { return s; } T s; };
struct A { explicit operator T &() { return s; } T s; };
struct A { INLINE operator const T() const noexcept { return s; } T s; };
struct A { T s; operator T *(); }; inline A::operator T *() { return &s; }
struct A { T s; operator T() const; }; A::operator T() const { return s; }
struct A { virtual operator T() const = 0; };
struct A { operator T() const &&; operator T() const & = delete; };
template <class U> struct A { U u; template <class V> operator T() const { return T(); } };
T f(); T g(T a, T b = T()) { return a; }
inline auto f() -> T; auto g() -> const T & { static T t; return t; }
auto f = [](T a, T *b) -> T { return a; };
auto f = [s = T()] { return s; };
decltype(T()) x; decltype(auto) f(T a);
static const T table[] = {T()}; T *p = new T, *q = new T[3], **r = nullptr;
using U = T; typedef T V, *W; using F = T (*)(T); typedef T (*G)(const T &);
template <class U = T> struct A {}; template <T *P> struct B {}; template <> struct A<T> {}; template struct A<T>;
A<T> a; A<const T *> b;
template <typename U> T f(U u) { return T(u); } template <> T f<T>(T u) { return u; } template T f<int>(int);
void f() try { } catch (T e) { } catch (const T &e) { }
void f() { throw T(); } int n = sizeof(T), m = sizeof(T[2]), o = alignof(T), q = sizeof T();
int f() noexcept(noexcept(T())); void g() noexcept(sizeof(T) == 8);
extern T g_s; extern "C" T api(T, const T *); static inline T *h(T (&a)[3]); T (*fp)(T) = nullptr;
T (&ref)[2] = arr; T (A::*mp)(T); T A::*dm;
thread_local T tls; alignas(16) T al; [[maybe_unused]] T un; static constexpr T ce{}; inline T iv{}; constinit T ci{};
struct S { int a; T b; } s = {1, T()}; union U { T a; int b; }; struct { T q; } anon;
enum class E : int { x = sizeof(T) };
namespace ns { T v; struct Q { T v; }; T f(T a); } namespace { T anon2; }
namespace a::b { using T2 = ::T; ::T w; const ::T *x(::T); }
template <class U> concept Same = std::is_same_v<U, T>; template <class U> requires std::is_same_v<U, T> void f(U);
void g(Same auto x, T y) requires true;
template <class U> using R = std::conditional_t<true, U, T>; template <template <class> class C> C<T> mk();
template <class U> T U::*mem; template <class U> typename U::template X<T> y;
auto [x, y] = std::pair<T, T>{}; auto z = std::vector<T>(3, T()); auto w = std::make_unique<T[]>(2); T arr[2][3];
T *const cp = 0; T const &cr = x; T &&rr = T(); const volatile T cv{};
void f(T, T *, T &, T &&, const T[], T (*)(T), T = {}, T... rest); void g(T a[static 2]);
void h(void (*cb)(T, void *), void *);
int x = std::is_same<T, decltype(f())>::value ? sizeof(T) : alignof(T *);
static_assert(std::is_trivial<T>::value && !std::is_const<const T>{}, "");
template <class U> auto f(U u) -> decltype(T(u), void()) {}
template <class U, std::enable_if_t<std::is_same<U, T>::value, int> = 0> void g(U) {}
extern template class std::vector<T>; template <> struct std::hash<T> { size_t operator()(T t) const { return 0; } };
void f() { co_yield T(); co_await g(T()); co_return T(); }
T f() { return T{}; } T *f2() { return nullptr; } T &f3(); T const f4(); const T *const f5(int); T **f6(T **);
unsigned f7(T);
static T __attribute__((unused)) q; __attribute__((noinline)) T r(); T s __attribute__((aligned(8)));
[[nodiscard]] T t(); [[deprecated("x")]] T u(); __host__ T v(); __host__ __device__ inline T w(T);
void f() { for (T s : v) use(s); for (T i = T(); i != T(); ++i) use(i); if (T s = T()) use(s); }
void f() { while (T s = T()) use(s); switch (T s = T(); 1) { default: break; } }
struct B : public Base<T> { using Base<T>::Base; B() : Base<T>(T()), s_{}, t_(T{}) {} T s_{}; T t_ = T(); };
struct B { mutable T u_; static T v_; volatile T w; T x : 3; }; T B::v_ = T();
struct C { friend T make(); friend class D<T>; enum { size = sizeof(T) }; static_assert(sizeof(T) > 0, ""); };
struct C { T operator()(T a) const; T operator[](int) const; T operator->(); bool operator==(const T &o) const; };
void f() { auto a = (T)0; auto b = static_cast<T>(0); auto c = reinterpret_cast<T *>(p); T{}; (T){}; }
void f() { auto d = const_cast<T const *>(p); auto e = *(T *)p; auto g = (T const &)x; }
template <class... U> struct P { std::tuple<T, U...> t; std::map<T, std::vector<T>> m; std::function<T(T, int)> f; };
struct D { D(T s) : s(s) {} D &operator=(T x) { return *this; } D(const D &, T = T()) = default; T s; };
struct D { explicit(true) D(T *); T get() const volatile && noexcept { return s; } T s; };
void f() { struct L { T s; operator T() { return s; } } l; class M; enum { q = sizeof(T) }; using X = T; }
void f() { auto g = [&]() mutable -> T { return l; }; goto e; e: T t; { T u; } return; }
void f() { T a = cond ? T() : T(); T b = (a, T()); T c[] = {a, b}; T d = *&a; T *e = &(T &)a; }
void f() { T g = [] { return T(); }(); delete (T *)e; typeid(T); }
"""


@pytest.mark.parametrize("name", TYPES)
def test_types_are_renamed_in_all_positions(tables: Tables, name: str) -> None:
    for position in POSITIONS.splitlines():
        source, expected = (re.sub(r"\bT\b", each, position) for each in (name, TYPES[name]))
        data = convert_source(f"#include <cuda.h>\n{source}\n".encode(), "a.cu", Context(tables)).data
        translated = [line for line in data.decode().splitlines() if not line.startswith("#include")]
        assert translated == [expected]


@pytest.mark.parametrize("definition", ["operator cudaStream_t", "const operator cudaStream_t"])
def test_a_function_behind_macros_is_a_definition_and_a_conversion_is_none(tables: Tables, definition: str) -> None:
    """`HD INLINE cudaStream_t f(int x) {` has the form of a conversion function."""
    function = "HD INLINE int cudaFree(int x) { return x; }\nint a = cudaFree(3);\n"
    own = f"{function}struct A {{ {definition}() {{ return 0; }} }};\n"
    data = convert_source(own.encode(), "a.cu", Context(tables)).data.decode()
    assert "hipFree" not in data
    assert "operator hipStream_t" in data
