// SPDX-License-Identifier: MIT

#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // posix_spawn_file_actions_addtcsetpgrp_np
#endif
#include "csupport.h"

#include <spawn.h>

int cs_add_foreground(void *actions, int terminal) {
  return posix_spawn_file_actions_addtcsetpgrp_np(actions, terminal);
}
