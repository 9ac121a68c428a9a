# find_package(hipport): the functions of hipport.cmake.
#   cmake -S . -B build -D CMAKE_PREFIX_PATH="$(hipport cmake-dir)"
include("${CMAKE_CURRENT_LIST_DIR}/hipport.cmake")
