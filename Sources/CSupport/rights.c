// SPDX-License-Identifier: MIT

#include "csupport.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/// The owner keeps the rights to read and write, because an index is also written for a read-only store.
static struct cs_rights of_status(const struct stat *status) {
  struct cs_rights rights = {(status->st_mode & 0066) | 0600, status->st_uid, status->st_gid};
  return rights;
}

int cs_rights_of(const char *path, struct cs_rights *rights) {
  struct stat status;
  if (stat(path, &status) != 0) return errno;
  *rights = of_status(&status);
  return 0;
}

/// The permission bits for a file or directory. Whoever may read in a directory may also enter it. If the group cannot
/// be set, members of the actual group get the rights of others.
static mode_t bits(const struct stat *status, struct cs_rights rights) {
  mode_t mode = rights.mode;
  if (status->st_gid != rights.group) mode = (mode & 0606) | (((mode & 0006) << 3) & mode);
  if (S_ISDIR(status->st_mode)) mode |= (mode & 0444) >> 2;
  return mode;
}

static int has_rights(const struct stat *status, struct cs_rights rights) {
  return status->st_gid == rights.group && (geteuid() != 0 || status->st_uid == rights.owner) &&
         (status->st_mode & 0777) == bits(status, rights);
}

void cs_give_rights(int descriptor, struct cs_rights rights) {
  struct stat status;
  if (fstat(descriptor, &status) != 0 || has_rights(&status, rights)) return;
  const int is_directory = S_ISDIR(status.st_mode);
  // A file with a second name may belong to another user, so root must not change its owner.
  if (!is_directory && (!S_ISREG(status.st_mode) || status.st_nlink > 1)) return;
  // Only root may change the owner. A user may set any group that the user is a member of.
  const uid_t owner = geteuid() == 0 ? (uid_t)rights.owner : (uid_t)-1;
  if (fchown(descriptor, owner, rights.group) == 0 && fstat(descriptor, &status) != 0) return;
  const mode_t mode = (status.st_mode & 07000) | bits(&status, rights);
  // Only the owner of the file can change its mode. The owner did so, or will do so later.
  if ((status.st_mode & 07777) == mode || fchmod(descriptor, mode) == 0) return;
  // A service may not be allowed to keep the set-group-ID bit that a directory inherited.
  if (is_directory && fchmod(descriptor, mode & 0777) != 0) return;
}

void cs_give_rights_at(int directory, const char *name, struct cs_rights rights) {
  struct stat status;
  if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || has_rights(&status, rights)) return;
  if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return;
  const int descriptor = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return;
  cs_give_rights(descriptor, rights);
  close(descriptor);
}
