// CUDA's vector types, for where its headers are not found.
#pragma once

#define HIPPORT_VECTORS(name, type)                \
  struct name##1 { type x; };                      \
  struct name##2 { type x, y; };                   \
  struct name##3 { type x, y, z; };                \
  struct name##4 { type x, y, z, w; };             \
  typedef struct name##1 name##1;                  \
  typedef struct name##2 name##2;                  \
  typedef struct name##3 name##3;                  \
  typedef struct name##4 name##4;                  \
  struct name##1 make_##name##1(type);             \
  struct name##2 make_##name##2(type, type);       \
  struct name##3 make_##name##3(type, type, type); \
  struct name##4 make_##name##4(type, type, type, type);

HIPPORT_VECTORS(char, signed char)
HIPPORT_VECTORS(uchar, unsigned char)
HIPPORT_VECTORS(short, short)
HIPPORT_VECTORS(ushort, unsigned short)
HIPPORT_VECTORS(int, int)
HIPPORT_VECTORS(uint, unsigned)
HIPPORT_VECTORS(long, long)
HIPPORT_VECTORS(ulong, unsigned long)
HIPPORT_VECTORS(longlong, long long)
HIPPORT_VECTORS(ulonglong, unsigned long long)
HIPPORT_VECTORS(float, float)
HIPPORT_VECTORS(double, double)

typedef struct dim3 dim3;
struct dim3 {
  unsigned x, y, z;
#ifdef __cplusplus
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
#endif
};
