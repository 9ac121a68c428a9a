// SPDX-License-Identifier: MIT
// `nv/target`: code for the host, or for some device. An AMD GPU provides what `__CUDA_ARCH__` up to 620 stands for, as
// in translated conditions, and is exactly no architecture of NVIDIA's.
#ifndef HIPPORT_COMPAT_NV_TARGET_H
#define HIPPORT_COMPAT_NV_TARGET_H

#if defined(__NVCC__) || defined(__CUDA__) || defined(__HIP_PLATFORM_NVIDIA__)
#include <nv/target>
#else

#if defined(__HIP_DEVICE_COMPILE__) && __HIP_DEVICE_COMPILE__
#define NV_IS_DEVICE 1
#define NV_IS_HOST 0
#define NV_PROVIDES_SM_35 1
#define NV_PROVIDES_SM_37 1
#define NV_PROVIDES_SM_50 1
#define NV_PROVIDES_SM_52 1
#define NV_PROVIDES_SM_53 1
#define NV_PROVIDES_SM_60 1
#define NV_PROVIDES_SM_61 1
#define NV_PROVIDES_SM_62 1
#else
#define NV_IS_DEVICE 0
#define NV_IS_HOST 1
#define NV_PROVIDES_SM_35 0
#define NV_PROVIDES_SM_37 0
#define NV_PROVIDES_SM_50 0
#define NV_PROVIDES_SM_52 0
#define NV_PROVIDES_SM_53 0
#define NV_PROVIDES_SM_60 0
#define NV_PROVIDES_SM_61 0
#define NV_PROVIDES_SM_62 0
#endif
#define NV_PROVIDES_SM_70 0
#define NV_PROVIDES_SM_72 0
#define NV_PROVIDES_SM_75 0
#define NV_PROVIDES_SM_80 0
#define NV_PROVIDES_SM_86 0
#define NV_PROVIDES_SM_87 0
#define NV_PROVIDES_SM_88 0
#define NV_PROVIDES_SM_89 0
#define NV_PROVIDES_SM_90 0
#define NV_PROVIDES_SM_100 0
#define NV_PROVIDES_SM_101 0
#define NV_PROVIDES_SM_103 0
#define NV_PROVIDES_SM_110 0
#define NV_PROVIDES_SM_120 0
#define NV_PROVIDES_SM_121 0
#define NV_IS_EXACTLY_SM_35 0
#define NV_IS_EXACTLY_SM_37 0
#define NV_IS_EXACTLY_SM_50 0
#define NV_IS_EXACTLY_SM_52 0
#define NV_IS_EXACTLY_SM_53 0
#define NV_IS_EXACTLY_SM_60 0
#define NV_IS_EXACTLY_SM_61 0
#define NV_IS_EXACTLY_SM_62 0
#define NV_IS_EXACTLY_SM_70 0
#define NV_IS_EXACTLY_SM_72 0
#define NV_IS_EXACTLY_SM_75 0
#define NV_IS_EXACTLY_SM_80 0
#define NV_IS_EXACTLY_SM_86 0
#define NV_IS_EXACTLY_SM_87 0
#define NV_IS_EXACTLY_SM_88 0
#define NV_IS_EXACTLY_SM_89 0
#define NV_IS_EXACTLY_SM_90 0
#define NV_IS_EXACTLY_SM_100 0
#define NV_IS_EXACTLY_SM_101 0
#define NV_IS_EXACTLY_SM_103 0
#define NV_IS_EXACTLY_SM_110 0
#define NV_IS_EXACTLY_SM_120 0
#define NV_IS_EXACTLY_SM_121 0
#define NV_HAS_FEATURE_SM_90a 0
#define NV_HAS_FEATURE_SM_100a 0
#define NV_ANY_TARGET 1
#define NV_NO_TARGET 0

// Code is given in parentheses, which the braces of a block replace, or without them if it has no comma.
#define HIPPORT_NV_BARE(...) __VA_ARGS__
#define HIPPORT_NV_PASTE_(a, b) a##b
#define HIPPORT_NV_PASTE(a, b) HIPPORT_NV_PASTE_(a, b)
#define HIPPORT_NV_SECOND(first, second, ...) second
#define HIPPORT_NV_IN_PARENTHESES(...) , 1
#define HIPPORT_NV_QUESTION(...) HIPPORT_NV_SECOND(__VA_ARGS__, 0, )
#define HIPPORT_NV_BLOCK_1(code) {HIPPORT_NV_BARE code}
#define HIPPORT_NV_BLOCK_0(code) {code}
#define HIPPORT_NV_BLOCK(code) \
  HIPPORT_NV_PASTE(HIPPORT_NV_BLOCK_, HIPPORT_NV_QUESTION(HIPPORT_NV_IN_PARENTHESES code))(code)
#define HIPPORT_NV_IF_1(code, ...) HIPPORT_NV_BLOCK(code)
#define HIPPORT_NV_IF_0(code, other, ...) HIPPORT_NV_BLOCK(other)
#define NV_IF_TARGET(condition, ...) HIPPORT_NV_PASTE(HIPPORT_NV_IF_, condition)(__VA_ARGS__, (), )
#define NV_IF_ELSE_TARGET(condition, code, other) NV_IF_TARGET(condition, code, other)

// The first of up to eight conditions that holds; behind them stands one that always does, with nothing.
#define NV_DISPATCH_TARGET(...) HIPPORT_NV_AT_1(__VA_ARGS__, 1, (), )
#define HIPPORT_NV_AT_1(condition, ...) HIPPORT_NV_PASTE(HIPPORT_NV_AT_1_, condition)(__VA_ARGS__)
#define HIPPORT_NV_AT_1_1(code, ...) HIPPORT_NV_IF_1(code, )
#define HIPPORT_NV_AT_1_0(code, ...) HIPPORT_NV_AT_2(__VA_ARGS__)
#define HIPPORT_NV_AT_2(condition, ...) HIPPORT_NV_PASTE(HIPPORT_NV_AT_2_, condition)(__VA_ARGS__)
#define HIPPORT_NV_AT_2_1(code, ...) HIPPORT_NV_IF_1(code, )
#define HIPPORT_NV_AT_2_0(code, ...) HIPPORT_NV_AT_3(__VA_ARGS__)
#define HIPPORT_NV_AT_3(condition, ...) HIPPORT_NV_PASTE(HIPPORT_NV_AT_3_, condition)(__VA_ARGS__)
#define HIPPORT_NV_AT_3_1(code, ...) HIPPORT_NV_IF_1(code, )
#define HIPPORT_NV_AT_3_0(code, ...) HIPPORT_NV_AT_4(__VA_ARGS__)
#define HIPPORT_NV_AT_4(condition, ...) HIPPORT_NV_PASTE(HIPPORT_NV_AT_4_, condition)(__VA_ARGS__)
#define HIPPORT_NV_AT_4_1(code, ...) HIPPORT_NV_IF_1(code, )
#define HIPPORT_NV_AT_4_0(code, ...) HIPPORT_NV_AT_5(__VA_ARGS__)
#define HIPPORT_NV_AT_5(condition, ...) HIPPORT_NV_PASTE(HIPPORT_NV_AT_5_, condition)(__VA_ARGS__)
#define HIPPORT_NV_AT_5_1(code, ...) HIPPORT_NV_IF_1(code, )
#define HIPPORT_NV_AT_5_0(code, ...) HIPPORT_NV_AT_6(__VA_ARGS__)
#define HIPPORT_NV_AT_6(condition, ...) HIPPORT_NV_PASTE(HIPPORT_NV_AT_6_, condition)(__VA_ARGS__)
#define HIPPORT_NV_AT_6_1(code, ...) HIPPORT_NV_IF_1(code, )
#define HIPPORT_NV_AT_6_0(code, ...) HIPPORT_NV_AT_7(__VA_ARGS__)
#define HIPPORT_NV_AT_7(condition, ...) HIPPORT_NV_PASTE(HIPPORT_NV_AT_7_, condition)(__VA_ARGS__)
#define HIPPORT_NV_AT_7_1(code, ...) HIPPORT_NV_IF_1(code, )
#define HIPPORT_NV_AT_7_0(code, ...) HIPPORT_NV_AT_8(__VA_ARGS__)
#define HIPPORT_NV_AT_8(condition, ...) HIPPORT_NV_PASTE(HIPPORT_NV_AT_8_, condition)(__VA_ARGS__)
#define HIPPORT_NV_AT_8_1(code, ...) HIPPORT_NV_IF_1(code, )
#define HIPPORT_NV_AT_8_0(code, ...) HIPPORT_NV_AT_9(__VA_ARGS__)
#define HIPPORT_NV_AT_9(condition, ...) HIPPORT_NV_PASTE(HIPPORT_NV_AT_9_, condition)(__VA_ARGS__)
#define HIPPORT_NV_AT_9_1(code, ...) HIPPORT_NV_IF_1(code, )

#endif

#endif
