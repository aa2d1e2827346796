// SPDX-License-Identifier: MIT

// How the process was started, also where `/proc` is not mounted.
#include "csupport.h"

#include <sys/auxv.h>

/// Swift's runtime reads the arguments from `/proc/self/cmdline`, and finds none without that file. This function of it
/// takes them from an interpreter of Swift.
void _swift_stdlib_overrideUnsafeArgvArgc(char **arguments, int count) __attribute__((weak));

/// glibc calls a constructor with the arguments of `main`.
__attribute__((constructor)) static void give_arguments(int count, char **arguments) {
  if (_swift_stdlib_overrideUnsafeArgvArgc) _swift_stdlib_overrideUnsafeArgvArgc(arguments, count);
}

const char *cs_executable(void) { return (const char *)getauxval(AT_EXECFN); }
