// SPDX-License-Identifier: MIT

#ifndef FAULTPOINT_H
#define FAULTPOINT_H

/// What becomes of a call.
enum fate { FATE_GO, FATE_TEAR, FATE_FAIL };

/// Kinds of calls, one bit each.
enum kind {
  KIND_WRITE = 1 << 0,
  KIND_SYNC = 1 << 1,
  KIND_RENAME = 1 << 2,
  KIND_CREATE = 1 << 3,  // opening that makes or empties a file, making directories
  KIND_OPEN = 1 << 4,    // other opening
  KIND_READ = 1 << 5,
  KIND_TRUNCATE = 1 << 6,
  KIND_REMOVE = 1 << 7,
  KIND_LINK = 1 << 8,
  KIND_ALLOCATE = 1 << 9,
  KIND_NOTICE = 1 << 10,  // instances of change notices, wherever they watch
  KIND_WATCH = 1 << 11,
};

/// Counts one call and says what becomes of it; a call at which the process is to be killed does not return.
enum fate faultpoint_judge(enum kind kind, const char *call, const char *place, int descriptor);

/// Ends the process as kill -9 does.
__attribute__((noreturn)) void faultpoint_die(void);

/// The error number of failing calls.
int faultpoint_errno(void);

/// Whether calls of that kind are counted at all.
int faultpoint_counts(enum kind kind);

#endif
