// SPDX-License-Identifier: MIT
// nvcc's questions about closures. A closure with `__device__` is no special type for Clang: host code knows its
// `operator()` and what that returns, which is what programs ask for.
#ifndef HIPPORT_COMPAT_LAMBDAS_H
#define HIPPORT_COMPAT_LAMBDAS_H

#if !defined(__CUDACC__)
#define __nv_is_extended_device_lambda_closure_type(type) false
#define __nv_is_extended_device_lambda_with_preserved_return_type(type) false
#define __nv_is_extended_host_device_lambda_closure_type(type) false
#endif

#endif
