// SPDX-License-Identifier: MIT
// `__cvta_generic_to_shared` and related functions; translated inline PTX uses them, too.
#ifndef HIPPORT_COMPAT_ADDRESS_SPACES_H
#define HIPPORT_COMPAT_ADDRESS_SPACES_H

#include "../ptx/cvta.h"

#endif
