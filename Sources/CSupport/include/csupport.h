// SPDX-License-Identifier: MIT

#ifndef FOLLOWSPOT_CSUPPORT_H
#define FOLLOWSPOT_CSUPPORT_H

#include <stddef.h>
#include <stdint.h>

/// SipHash-2-4 with a 128-bit result. `key` has 16 bytes, and `digest` receives 16 bytes. Source: Aumasson and
/// Bernstein, "SipHash: a fast short-input PRF", 2012, and its 128-bit variant.
void cs_siphash128(const void *bytes, size_t length, const uint8_t key[16], uint8_t digest[16]);

/// SipHash with this project's fixed key. It detects errors, but does not resist an adversary.
void cs_digest(const void *bytes, size_t length, uint8_t digest[16]);

/// The digest as 32 hexadecimal digits and a NUL.
void cs_digest_hexadecimal(const void *bytes, size_t length, char digits[33]);

/// The path with which the program was executed, as the kernel keeps it; null if it is not known. It may be relative to
/// the working directory of that moment.
const char *cs_executable(void);

/// The number of cores to which this process is bound, as by `taskset`; 0 if the system does not say it.
int cs_bound_cores(void);

/// Takes an exclusive open-file-description lock on the whole file. The lock belongs to the open file description, not
/// to the process. So two openings in one process exclude each other, and closing another descriptor keeps the lock.
/// Returns 0, or an errno value: EAGAIN if another opening holds the lock.
int cs_lock_exclusive(int descriptor);

/// Releases the lock at once. Closing the file alone would leave it to a child process until that executes its program.
void cs_unlock(int descriptor);

/// Returns 1 if another opening holds such a lock on the file, otherwise 0.
int cs_lock_is_held(int descriptor);

/// Renames a file to an unused name, and never replaces another file. Returns 0, or an errno value.
int cs_rename_to_free(const char *from, const char *to);

/// The access rights of a file: its owner, its group, and the rights to read and write.
struct cs_rights {
  uint32_t mode, owner, group;
};

/// Reads the rights of a file, or those of a directory for a file in it. Follows links. Returns 0, or an errno value.
int cs_rights_of(const char *path, struct cs_rights *rights);

/// Sets the rights of an open file or directory, as SQLite does for the files beside a database. Only root changes the
/// owner, and what is not permitted is skipped. The umask of the process does not matter.
void cs_give_rights(int descriptor, struct cs_rights rights);

/// Does the same for a file or directory in an open directory. Does not follow symbolic links.
void cs_give_rights_at(int directory, const char *name, struct cs_rights rights);

/// Sends one datagram to the socket of a service manager. `path` is the value of NOTIFY_SOCKET; `@` starts an abstract
/// name. Never blocks. Returns 0 or an errno value.
int cs_notify(const char *path, const char *text, size_t length);

/// Opens a descriptor that becomes readable after 8 bytes, an integer above 0, were written to it, until 8 bytes are read.
/// Neither call blocks. Returns -1 on an error.
int cs_event_descriptor(void);

/// Installs handlers for SIGTERM, SIGINT and, unless it is ignored, SIGHUP. They only store the signal. Ignores
/// SIGPIPE. Returns the read end of a pipe that becomes readable on the first signal, or -1.
int cs_catch_stop_signals(void);

/// Returns 1 if these handlers are installed, otherwise 0.
int cs_catches_stop_signals(void);

/// Restores the actions of before. Call it only while the handlers are installed.
void cs_release_stop_signals(void);

/// Returns the signal that was caught, or 0.
int cs_stop_signal(void);

/// Forgets the caught signal, so that the process can continue.
void cs_forget_stop_signal(void);

/// Adds an action to the `posix_spawn_file_actions_t` of a process that is to be started: its process group becomes the
/// foreground of the terminal before its program runs. Returns 0 or an errno value.
int cs_add_foreground(void *actions, int terminal);

/// A pointer of the calling thread, initially null. Code that sets it restores the earlier value.
void *cs_thread_mark(void);
void cs_set_thread_mark(void *value);

#endif
