// SPDX-License-Identifier: MIT

// Lets an allocation of SQLite or of Xapian fail. Those of Swift are left alone: Swift ends the process when one fails.
#define _GNU_SOURCE
#include "faultpoint.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

/// Where the code of a library lies.
struct range {
  const char *name;
  uintptr_t start, end;
};

static struct range sqlite = {.name = "libsqlite3.so"};
static struct range xapian = {.name = "libxapian.so"};
// The door to Xapian is part of the program. So is the Swift runtime where it is linked in: then nothing of it counts.
static struct range program = {.name = ""};
static int has_swift_library;

typedef void *(*operator_new)(size_t);

/// Set when operator new is about to ask for memory that it must not get; the answer takes it back, for the exception
/// itself needs memory.
static __thread int is_refused __attribute__((tls_model("initial-exec")));

static int look(struct dl_phdr_info *library, size_t size, void *unused) {
  (void)size, (void)unused;
  struct range *ranges[] = {&sqlite, &xapian, &program};
  if (strstr(library->dlpi_name, "libswiftCore.so")) has_swift_library = 1;
  for (size_t index = 0; index < sizeof ranges / sizeof *ranges; index++) {
    struct range *range = ranges[index];
    if (range->end != 0) continue;
    if (range->name[0] ? !strstr(library->dlpi_name, range->name) : library->dlpi_name[0] != 0) continue;
    range->start = library->dlpi_addr;
    for (int part = 0; part < library->dlpi_phnum; part++) {
      const ElfW(Phdr) *header = &library->dlpi_phdr[part];
      uintptr_t end = library->dlpi_addr + header->p_vaddr + header->p_memsz;
      if (header->p_type == PT_LOAD && end > range->end) range->end = end;
    }
  }
  return 0;
}

__attribute__((constructor)) static void prepare(void) {
  dl_iterate_phdr(look, NULL);
  if (!has_swift_library) program.start = program.end = 0;
}

static int lies_in(const struct range *range, const void *address) {
  return (uintptr_t)address >= range->start && (uintptr_t)address < range->end;
}

static int is_judged_to_fail(const char *call, const struct range *caller) {
  return faultpoint_judge(KIND_ALLOCATE, call, caller->name, -1) == FATE_FAIL;
}

static int is_refused_here(const char *call, const void *caller) {
  if (is_refused) {
    is_refused = 0;
  } else if (!faultpoint_counts(KIND_ALLOCATE) || !lies_in(&sqlite, caller) || !is_judged_to_fail(call, &sqlite)) {
    return 0;
  }
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t size) {
  return is_refused_here("malloc", __builtin_return_address(0)) ? NULL : __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  return is_refused_here("calloc", __builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}
void *realloc(void *old, size_t size) {
  return is_refused_here("realloc", __builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}

static int is_refused_to_xapian(const char *call, const void *caller) {
  if (!faultpoint_counts(KIND_ALLOCATE)) return 0;
  if (lies_in(&xapian, caller)) return is_judged_to_fail(call, &xapian);
  return lies_in(&program, caller) && is_judged_to_fail(call, &program);
}

/// C++'s operator new throws when malloc has nothing to give: the exception is its own. It is looked up here, for other
/// libraries use it before this one is prepared.
static void *made(const char *symbol, _Atomic(operator_new) *found, size_t size, int is_failing) {
  if (!*found) *found = (operator_new)dlsym(RTLD_NEXT, symbol);
  is_refused = is_failing;
  return (*found)(size);
}

void *_Znwm(size_t size) {
  static _Atomic(operator_new) found;
  return made("_Znwm", &found, size, is_refused_to_xapian("new", __builtin_return_address(0)));
}

void *_Znam(size_t size) {
  static _Atomic(operator_new) found;
  return made("_Znam", &found, size, is_refused_to_xapian("new[]", __builtin_return_address(0)));
}
