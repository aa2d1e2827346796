// SPDX-License-Identifier: MIT

#include "csupport.h"

#include <sys/eventfd.h>

int cs_event_descriptor(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
