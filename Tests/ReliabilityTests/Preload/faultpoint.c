// SPDX-License-Identifier: MIT

// Counts the calls by which a process works on files below one directory, and lets one of them go wrong. It is loaded
// before the other libraries (LD_PRELOAD) and told by its environment:
//
//   FAULTPOINT_DIRECTORY  calls on files elsewhere are neither counted nor touched
//   FAULTPOINT_CALLS      the kinds that count, such as "write,sync,rename"
//   FAULTPOINT_AT         the number of the call that goes wrong, from 1; 0 for none
//   FAULTPOINT_FATE       kill: the process ends before the call; torn: after half of a write; fail: the call fails
//   FAULTPOINT_ERRNO      the error number of failing calls
//   FAULTPOINT_LASTING    1: all counted calls from that one on fail
//   FAULTPOINT_WHILE      a file without which no call goes wrong; all are counted
//   FAULTPOINT_TRACE      a file that gets one line a counted call: number, call, path, descriptor, fate
//   FAULTPOINT_SECONDS    the process is ended by SIGALRM after so long: it hangs
//
// The calls go to the kernel directly, so that nothing here depends on when the C library's own are found.
#define _GNU_SOURCE
#include "faultpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static struct {
  char directory[PATH_MAX];
  size_t length;
  unsigned kinds;
  long at;
  char fate;  // 'k', 't', 'f' or 0
  int error;
  int is_lasting;
  const char *gate;
  int trace;
} plan = {.trace = -1};

static atomic_long counted;

static const struct {
  const char *name;
  enum kind kind;
} names[] = {
    {"write", KIND_WRITE},   {"sync", KIND_SYNC},         {"rename", KIND_RENAME}, {"create", KIND_CREATE},
    {"open", KIND_OPEN},     {"read", KIND_READ},         {"truncate", KIND_TRUNCATE}, {"remove", KIND_REMOVE},
    {"link", KIND_LINK},     {"allocate", KIND_ALLOCATE}, {"notice", KIND_NOTICE}, {"watch", KIND_WATCH},
};

static long number_of(const char *variable) {
  const char *text = getenv(variable);
  return text ? strtol(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void prepare(void) {
  const char *directory = getenv("FAULTPOINT_DIRECTORY");
  const char *calls = getenv("FAULTPOINT_CALLS");
  if (!directory || !calls || !realpath(directory, plan.directory)) return;
  plan.length = strlen(plan.directory);
  const char *fate = getenv("FAULTPOINT_FATE");
  plan.fate = fate ? fate[0] : 0;
  plan.at = number_of("FAULTPOINT_AT");
  plan.error = (int)number_of("FAULTPOINT_ERRNO");
  plan.is_lasting = (int)number_of("FAULTPOINT_LASTING");
  plan.gate = getenv("FAULTPOINT_WHILE");
  const char *trace = getenv("FAULTPOINT_TRACE");
  if (trace)
    plan.trace = (int)syscall(SYS_openat, AT_FDCWD, trace, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  alarm((unsigned)number_of("FAULTPOINT_SECONDS"));
  char list[256];
  snprintf(list, sizeof list, "%s", calls);
  unsigned kinds = 0;
  for (char *rest = list, *word; (word = strsep(&rest, ","));)
    for (size_t index = 0; index < sizeof names / sizeof *names; index++)
      if (strcmp(word, names[index].name) == 0) kinds |= names[index].kind;
  // The last thing that is set: nothing counts before.
  plan.kinds = kinds;
}

int faultpoint_counts(enum kind kind) { return (plan.kinds & kind) != 0; }
int faultpoint_errno(void) { return plan.error; }

void faultpoint_die(void) {
  syscall(SYS_kill, getpid(), SIGKILL);
  for (;;) pause();
}

static void note(long number, const char *call, const char *place, int descriptor, const char *fate) {
  if (plan.trace < 0) return;
  char line[PATH_MAX + 128];
  int length = snprintf(line, sizeof line, "%ld\t%s\t%s\t%d\t%s\n", number, call, place, descriptor, fate);
  if (length > (int)sizeof line) length = sizeof line;
  syscall(SYS_write, plan.trace, line, (size_t)length);
}

static int is_open(const char *gate) {
  int before = errno;
  int is_there = !gate || syscall(SYS_faccessat, AT_FDCWD, gate, F_OK) == 0;
  errno = before;
  return is_there;
}

enum fate faultpoint_judge(enum kind kind, const char *call, const char *place, int descriptor) {
  if (!faultpoint_counts(kind)) return FATE_GO;
  long number = atomic_fetch_add(&counted, 1) + 1;
  if (plan.at == 0 || number < plan.at || (number > plan.at && !plan.is_lasting) || !is_open(plan.gate)) {
    note(number, call, place, descriptor, "goes");
    return FATE_GO;
  }
  switch (plan.fate) {
    case 'k': note(number, call, place, descriptor, "killed"); faultpoint_die();
    case 't': note(number, call, place, descriptor, "torn"); return FATE_TEAR;
    case 'f': note(number, call, place, descriptor, "fails"); errno = plan.error; return FATE_FAIL;
    default: return FATE_GO;
  }
}

// MARK: Where a call works

/// The path below the directory, or NULL where it lies elsewhere.
static const char *below(const char *path) {
  if (plan.length == 0 || strncmp(path, plan.directory, plan.length) != 0) return NULL;
  if (path[plan.length] == '/') return path + plan.length + 1;
  return path[plan.length] == 0 ? "." : NULL;
}

static enum fate at_descriptor(enum kind kind, const char *call, int descriptor) {
  if (!faultpoint_counts(kind) || descriptor < 0) return FATE_GO;
  int before = errno;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
  errno = before;
  if (length <= 0) return FATE_GO;
  path[length] = 0;
  const char *place = below(path);
  return place ? faultpoint_judge(kind, call, place, descriptor) : FATE_GO;
}

static enum fate at_path(enum kind kind, const char *call, int directory, const char *name) {
  if (!faultpoint_counts(kind) || !name) return FATE_GO;
  char path[2 * PATH_MAX];
  if (name[0] == '/') {
    snprintf(path, sizeof path, "%s", name);
  } else {
    char link[64], base[PATH_MAX];
    if (directory == AT_FDCWD) snprintf(link, sizeof link, "/proc/self/cwd");
    else snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, base, sizeof base - 1);
    if (length <= 0) return FATE_GO;
    base[length] = 0;
    snprintf(path, sizeof path, "%s/%s", base, name);
  }
  const char *place = below(path);
  return place ? faultpoint_judge(kind, call, place, -1) : FATE_GO;
}

// MARK: Writing and reading

#define WRITING(name, declared, whole, half)                            \
  ssize_t name declared {                                               \
    switch (at_descriptor(KIND_WRITE, #name, descriptor)) {             \
      case FATE_FAIL: return -1;                                        \
      case FATE_TEAR: half; faultpoint_die();                           \
      default: return whole;                                            \
    }                                                                   \
  }

WRITING(write, (int descriptor, const void *bytes, size_t count), syscall(SYS_write, descriptor, bytes, count),
        syscall(SYS_write, descriptor, bytes, count / 2))
WRITING(pwrite, (int descriptor, const void *bytes, size_t count, off_t at),
        syscall(SYS_pwrite64, descriptor, bytes, count, at), syscall(SYS_pwrite64, descriptor, bytes, count / 2, at))
WRITING(pwrite64, (int descriptor, const void *bytes, size_t count, off64_t at),
        syscall(SYS_pwrite64, descriptor, bytes, count, at), syscall(SYS_pwrite64, descriptor, bytes, count / 2, at))
WRITING(writev, (int descriptor, const struct iovec *pieces, int count),
        syscall(SYS_writev, descriptor, pieces, count), syscall(SYS_writev, descriptor, pieces, count / 2))

#define FAILING(type, name, declared, judged, whole) \
  type name declared { return judged == FATE_FAIL ? -1 : (type)(whole); }

FAILING(ssize_t, read, (int descriptor, void *bytes, size_t count), at_descriptor(KIND_READ, "read", descriptor),
        syscall(SYS_read, descriptor, bytes, count))
FAILING(ssize_t, pread, (int descriptor, void *bytes, size_t count, off_t at),
        at_descriptor(KIND_READ, "pread", descriptor), syscall(SYS_pread64, descriptor, bytes, count, at))
FAILING(ssize_t, pread64, (int descriptor, void *bytes, size_t count, off64_t at),
        at_descriptor(KIND_READ, "pread64", descriptor), syscall(SYS_pread64, descriptor, bytes, count, at))

// MARK: Sizes and syncs

FAILING(int, fsync, (int descriptor), at_descriptor(KIND_SYNC, "fsync", descriptor), syscall(SYS_fsync, descriptor))
FAILING(int, fdatasync, (int descriptor), at_descriptor(KIND_SYNC, "fdatasync", descriptor),
        syscall(SYS_fdatasync, descriptor))
FAILING(int, ftruncate, (int descriptor, off_t size), at_descriptor(KIND_TRUNCATE, "ftruncate", descriptor),
        syscall(SYS_ftruncate, descriptor, size))
FAILING(int, ftruncate64, (int descriptor, off64_t size), at_descriptor(KIND_TRUNCATE, "ftruncate64", descriptor),
        syscall(SYS_ftruncate, descriptor, size))
FAILING(int, fallocate, (int descriptor, int mode, off_t at, off_t size),
        at_descriptor(KIND_TRUNCATE, "fallocate", descriptor), syscall(SYS_fallocate, descriptor, mode, at, size))

// MARK: Names

static int opened(int directory, const char *path, int flags, mode_t mode) {
  int is_new = (flags & O_CREAT) && syscall(SYS_faccessat, directory, path, F_OK) != 0;
  int makes = is_new || (flags & O_TRUNC);
  const char *call = makes ? "create" : (flags & O_ACCMODE) == O_RDONLY ? "open" : "open to write";
  if (at_path(makes ? KIND_CREATE : KIND_OPEN, call, directory, path) == FATE_FAIL) return -1;
  return (int)syscall(SYS_openat, directory, path, flags, mode);
}

#define OPENING(name, declared, directory)           \
  int name declared {                                \
    mode_t mode = 0;                                 \
    if (flags & (O_CREAT | O_TMPFILE)) {             \
      va_list rest;                                  \
      va_start(rest, flags);                         \
      mode = va_arg(rest, mode_t);                   \
      va_end(rest);                                  \
    }                                                \
    return opened(directory, path, flags, mode);     \
  }

OPENING(open, (const char *path, int flags, ...), AT_FDCWD)
OPENING(open64, (const char *path, int flags, ...), AT_FDCWD)
OPENING(openat, (int directory, const char *path, int flags, ...), directory)
OPENING(openat64, (int directory, const char *path, int flags, ...), directory)

FAILING(int, mkdir, (const char *path, mode_t mode), at_path(KIND_CREATE, "mkdir", AT_FDCWD, path),
        syscall(SYS_mkdirat, AT_FDCWD, path, mode))
FAILING(int, rename, (const char *from, const char *to), at_path(KIND_RENAME, "rename", AT_FDCWD, to),
        syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0))
FAILING(int, renameat, (int old, const char *from, int new, const char *to), at_path(KIND_RENAME, "renameat", new, to),
        syscall(SYS_renameat2, old, from, new, to, 0))
FAILING(int, renameat2, (int old, const char *from, int new, const char *to, unsigned flags),
        at_path(KIND_RENAME, "renameat2", new, to), syscall(SYS_renameat2, old, from, new, to, flags))
FAILING(int, link, (const char *from, const char *to), at_path(KIND_LINK, "link", AT_FDCWD, to),
        syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0))
FAILING(int, unlink, (const char *path), at_path(KIND_REMOVE, "unlink", AT_FDCWD, path),
        syscall(SYS_unlinkat, AT_FDCWD, path, 0))
FAILING(int, rmdir, (const char *path), at_path(KIND_REMOVE, "rmdir", AT_FDCWD, path),
        syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR))

// MARK: Change notices

FAILING(int, inotify_init1, (int flags), faultpoint_judge(KIND_NOTICE, "inotify_init1", "-", -1),
        syscall(SYS_inotify_init1, flags))
FAILING(int, inotify_add_watch, (int descriptor, const char *path, uint32_t mask),
        at_path(KIND_WATCH, "inotify_add_watch", AT_FDCWD, path),
        syscall(SYS_inotify_add_watch, descriptor, path, mask))
