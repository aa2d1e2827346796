// SPDX-License-Identifier: MIT

#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // SOCK_CLOEXEC
#endif
#include "csupport.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int cs_notify(const char *path, const char *text, size_t length) {
  struct sockaddr_un address;
  memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  const size_t count = strlen(path);
  if (count < 2 || (path[0] != '/' && path[0] != '@')) return EINVAL;
  if (count >= sizeof address.sun_path) return ENAMETOOLONG;
  memcpy(address.sun_path, path, count);
  // An abstract name starts with a NUL, and its length follows from the address length.
  if (path[0] == '@') address.sun_path[0] = 0;
  const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + count + (path[0] == '/'));
  const int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return errno;
  const ssize_t sent = sendto(descriptor, text, length, MSG_NOSIGNAL, (struct sockaddr *)&address, size);
  const int code = sent == (ssize_t)length ? 0 : sent < 0 ? errno : EIO;
  close(descriptor);
  return code;
}
