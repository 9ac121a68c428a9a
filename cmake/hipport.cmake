# Builds HIP programs from CUDA sources, which stay the only sources: they are translated while the project is built.
#
#   find_package(hipport REQUIRED)
#   hipport_add_executable(NAME [options of add_executable] SOURCE...)
#   hipport_add_library(NAME [STATIC|SHARED|OBJECT] SOURCE...)
#
# .cu sources become HIP, C and C++ sources stay what they are; both are translated with the headers of the project that
# they include, found as the target finds them. What changes is translated again, and compiled again if that makes a
# difference. HIPPORT_OPTIONS has options for each translation, such as --rocm 6.2.

cmake_minimum_required(VERSION 3.21)

if(NOT HIPPORT_EXECUTABLE)
  find_program(HIPPORT_EXECUTABLE hipport REQUIRED DOC "The program hipport")
endif()

set(HIPPORT_OPTIONS "" CACHE STRING "Options for each translation of a source, such as --rocm 6.2")

function(hipport_add_executable name)
  add_executable(${name})
  _hipport_sources(${name} ${ARGN})
endfunction()

function(hipport_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "STATIC;SHARED;OBJECT" "" "")
  set(kind "")
  foreach(known STATIC SHARED OBJECT)
    if(arg_${known})
      set(kind ${known})
    endif()
  endforeach()
  add_library(${name} ${kind})
  _hipport_sources(${name} ${arg_UNPARSED_ARGUMENTS})
endfunction()

# Gives a target the translations of its sources.
function(_hipport_sources target)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT "HIP" IN_LIST languages)
    message(FATAL_ERROR "hipport: the language HIP is not enabled. Say project(... LANGUAGES CXX HIP).")
  endif()
  find_package(hip REQUIRED)
  execute_process(COMMAND "${HIPPORT_EXECUTABLE}" include-dir OUTPUT_VARIABLE headers
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  target_include_directories(${target} PRIVATE "${headers}")
  target_link_libraries(${target} PRIVATE hip::host)
  # What `hipport build` passes: other threads keep code where C++ leaves a value undefined, and clang 19 its differences.
  set(clang "$<COMPILE_LANG_AND_ID:HIP,Clang,ROCMClang>")
  if(CMAKE_HIP_COMPILER_VERSION VERSION_GREATER_EQUAL 15)
    target_compile_options(${target} PRIVATE
      "$<${clang}:SHELL:-Xclang -no-enable-noundef-analysis -fno-strict-return>")
  endif()
  if(CMAKE_HIP_COMPILER_VERSION MATCHES "^19[.]")
    target_compile_options(${target} PRIVATE "$<${clang}:SHELL:-mllvm -amdgpu-sdwa-peephole=0>")
  endif()
  foreach(source IN LISTS ARGN)
    if(source MATCHES "\\.(cu|c|cc|cpp|cxx)$")
      _hipport_translate(${target} "${source}" translated)
      target_sources(${target} PRIVATE "${translated}")
    else()
      target_sources(${target} PRIVATE "${source}")
    endif()
  endforeach()
endfunction()

# The command that translates one source.
function(_hipport_translate target source result)
  get_filename_component(source "${source}" ABSOLUTE)
  file(RELATIVE_PATH inner "${CMAKE_CURRENT_SOURCE_DIR}" "${source}")
  string(REPLACE "../" "__/" inner "${inner}")
  string(REGEX REPLACE "\\.cu$" ".hip" inner "${inner}")
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}.hipport")
  set(output "${folder}/units/${inner}")
  set(includes "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
  separate_arguments(options NATIVE_COMMAND "${HIPPORT_OPTIONS}")
  set(touch "")
  if(CMAKE_GENERATOR MATCHES "Makefiles")
    # make compares dates alone; ninja knows by itself that a translation which stays the same is up to date.
    set(touch COMMAND "${CMAKE_COMMAND}" -E touch "${output}")
  endif()
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${HIPPORT_EXECUTABLE}" translate-unit "${source}" -o "${output}" --mirror "${folder}/mirror"
            --depfile "${output}.d" ${options} "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>"
    ${touch}
    DEPENDS "${source}"
    DEPFILE "${output}.d"
    COMMENT "Translating ${source} to HIP"
    COMMAND_EXPAND_LISTS VERBATIM)
  # What the translator does not find, such as generated headers, the compiler finds where it would have before.
  get_filename_component(beside "${source}" DIRECTORY)
  set_source_files_properties("${output}" PROPERTIES INCLUDE_DIRECTORIES "${beside}")
  set(${result} "${output}" PARENT_SCOPE)
endfunction()
