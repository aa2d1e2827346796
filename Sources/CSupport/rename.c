#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // renameat2
#endif
#include "csupport.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int cs_rename_to_free(const char *from, const char *to) {
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // A file system that cannot do it in one step, such as NFS: a kill in between leaves both names.
  if (link(from, to) != 0) return errno;
  unlink(from);
  return 0;
}
