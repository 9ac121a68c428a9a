// The headers of a compiler, which Python's package of libclang does not have, as far as programs need them.
#ifndef HIPPORT_STDDEF
#define HIPPORT_STDDEF
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
#ifndef __cplusplus
typedef __WCHAR_TYPE__ wchar_t;
#endif
typedef __WINT_TYPE__ wint_t;
typedef struct {
  long long whole __attribute__((aligned(__alignof__(long long))));
  long double real __attribute__((aligned(__alignof__(long double))));
} max_align_t;
#ifdef __cplusplus
namespace std {
typedef decltype(nullptr) nullptr_t;
}
using std::nullptr_t;
#define NULL __null
#else
#define NULL ((void*)0)
#endif
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
