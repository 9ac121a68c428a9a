# A toolchain file for HIP as distributions package it. AMD's own packages in /opt/rocm do not need it.
#   cmake -S . -B build -D CMAKE_TOOLCHAIN_FILE="$(hipport cmake-dir)/distribution.cmake"
#
# CMake's language HIP expects all of ROCm below one folder, lib/cmake in it. Debian and Ubuntu have the files below
# lib/<architecture>/cmake, with clang beside other clangs. HIP_CLANG_VERSION (default: the one that the device libraries
# are packaged for, which is the one that hipcc uses) chooses among those.

cmake_minimum_required(VERSION 3.21)

file(GLOB _hip_lang /usr/lib/*-linux-gnu/cmake/hip-lang /usr/lib64/cmake/hip-lang /usr/lib/cmake/hip-lang)
if(NOT _hip_lang)
  message(FATAL_ERROR "HIP's CMake files are missing. Install libamdhip64-dev.")
endif()
list(GET _hip_lang 0 _hip_lang)
if(_hip_lang MATCHES "^/usr/lib/([^/]+-linux-gnu)/")
  set(CMAKE_LIBRARY_ARCHITECTURE "${CMAKE_MATCH_1}")
endif()

# A folder that looks as CMake wants it. Configuration checks run this file too; they find what the project made.
if(NOT DEFINED ENV{HIPPORT_ROCM_ROOT})
  set(ENV{HIPPORT_ROCM_ROOT} "${CMAKE_BINARY_DIR}/hipport-rocm")
  file(MAKE_DIRECTORY "$ENV{HIPPORT_ROCM_ROOT}/lib/cmake")
  file(CREATE_LINK "${_hip_lang}" "$ENV{HIPPORT_ROCM_ROOT}/lib/cmake/hip-lang" SYMBOLIC)
endif()
set(CMAKE_HIP_COMPILER_ROCM_ROOT "$ENV{HIPPORT_ROCM_ROOT}")

# Where clang does not look by itself: for all clangs (Debian 12), or with one of them.
file(GLOB _bitcode /usr/lib/*-linux-gnu/amdgcn/bitcode/ocml.bc)
file(GLOB _of_clang /usr/lib/llvm-*/lib/clang/*/amdgcn/bitcode/ocml.bc /usr/lib64/rocm/llvm/lib/clang/*/amdgcn/bitcode/ocml.bc)
list(SORT _of_clang COMPARE NATURAL ORDER DESCENDING)
list(APPEND _bitcode ${_of_clang})

if(NOT CMAKE_HIP_COMPILER)
  file(GLOB _clangs /usr/lib/llvm-*/bin/clang++)
  list(SORT _clangs COMPARE NATURAL ORDER DESCENDING)
  # Code of a newer LLVM than the device libraries' can use them, that of an older one cannot.
  if(HIP_CLANG_VERSION)
    set(_clangs "/usr/lib/llvm-${HIP_CLANG_VERSION}/bin/clang++")
  elseif(EXISTS /usr/lib/llvm-15/bin/clang++ AND NOT _of_clang)
    set(_clangs /usr/lib/llvm-15/bin/clang++)
  else()
    foreach(_folder IN LISTS _of_clang)
      string(REGEX REPLACE "/lib/clang/.*" "/bin/clang++" _beside "${_folder}")
      if(EXISTS "${_beside}")
        list(INSERT _clangs 0 "${_beside}")
        break()
      endif()
    endforeach()
  endif()
  if(NOT _clangs)
    message(FATAL_ERROR "No clang in /usr/lib/llvm-*. Install hipcc.")
  endif()
  list(GET _clangs 0 CMAKE_HIP_COMPILER)
endif()

# The version that a file in AMD's packages tells clang.
file(STRINGS /usr/include/hip/hip_version.h _hip_version REGEX "#define HIP_VERSION_(MAJOR|MINOR|PATCH) ")
string(REGEX MATCHALL "[0-9]+" _hip_version "${_hip_version}")
list(JOIN _hip_version "." _hip_version)
# They belong to the compiler, not to CMAKE_HIP_FLAGS, which a project may set before it enables the language.
set(CMAKE_HIP_COMPILER_ARG1 "--rocm-path=/usr --hip-version=${_hip_version}")
if(_bitcode)
  list(GET _bitcode 0 _bitcode)
  get_filename_component(_bitcode "${_bitcode}" DIRECTORY)
  string(APPEND CMAKE_HIP_COMPILER_ARG1 " --rocm-device-lib-path=${_bitcode}")
endif()
# HIP's CMake files look for it beside the compiler; Debian packages it for one clang only.
file(GLOB _builtins "/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.builtins-${CMAKE_HOST_SYSTEM_PROCESSOR}.a")
if(_builtins)
  list(GET _builtins 0 _builtins)
  set(CLANGRT_BUILTINS "${_builtins}" CACHE FILEPATH "What clang adds to libgcc")
endif()
# Named once more, as the packages do, it would come after the C++ library, which then does not find C's headers.
set(CMAKE_HIP_IMPLICIT_INCLUDE_DIRECTORIES /usr/include)
