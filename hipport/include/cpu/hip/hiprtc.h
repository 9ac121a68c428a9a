// SPDX-License-Identifier: MIT
#error "hipport: the CPU target has no hipRTC; compile the kernels into the program"
