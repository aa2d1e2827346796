// SPDX-License-Identifier: MIT

#include "csupport.h"

static _Thread_local void *mark;

void *cs_thread_mark(void) { return mark; }
void cs_set_thread_mark(void *value) { mark = value; }
