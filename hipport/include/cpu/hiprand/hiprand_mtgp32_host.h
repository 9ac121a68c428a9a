// SPDX-License-Identifier: MIT
// Stops the compiler with one line: there is no such file.
#include "hipport: the CPU target does not support hipRAND's MTGP32"
