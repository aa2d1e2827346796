#ifndef FOLLOWSPOT_CSUPPORT_H
#define FOLLOWSPOT_CSUPPORT_H

#include <stddef.h>
#include <stdint.h>

/// SipHash-2-4 with 128 bits of output. `key` is 16 bytes, `digest` receives 16 bytes.
/// Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012, and its 128-bit variant.
void cs_siphash128(const void *bytes, size_t length, const uint8_t key[16], uint8_t digest[16]);

/// The same under this project's fixed key: it guards against error, not against an adversary.
void cs_digest(const void *bytes, size_t length, uint8_t digest[16]);

/// The same as 32 hexadecimal digits and a NUL.
void cs_digest_hexadecimal(const void *bytes, size_t length, char digits[33]);

/// Takes an exclusive open-file-description lock on the whole file. The lock belongs to the open file, not to the
/// process, so two openings inside one process exclude each other, and closing another descriptor keeps it.
/// Returns 0, or an errno value: EAGAIN when another opening holds it.
int cs_lock_exclusive(int descriptor);

/// Gives the lock back at once. Closing the file alone leaves it to a child that was started meanwhile, until the child
/// runs its own program.
void cs_unlock(int descriptor);

/// 1 where another opening holds such a lock on the file, else 0.
int cs_lock_is_held(int descriptor);

/// Renames a file to a name that nothing has yet; another file of that name stays. Returns 0, or an errno value.
int cs_rename_to_free(const char *from, const char *to);

/// Who may use a file: its owner, its group and the rights to read and write.
struct cs_rights {
  uint32_t mode, owner, group;
};

/// The rights of a file, or of a directory as they are for a file in it. Links are followed. Returns 0, or an errno
/// value.
int cs_rights_of(const char *path, struct cs_rights *rights);

/// Gives an open file or directory these rights, as SQLite does with the files that it makes beside a store: the owner
/// is changed by root alone, and what is not permitted is left as it is. The umask of the process plays no part.
void cs_give_rights(int descriptor, struct cs_rights rights);

/// The same for a file or directory in an open directory. Links are not followed.
void cs_give_rights_at(int directory, const char *name, struct cs_rights rights);

/// Sends one datagram to the socket of a service manager: `path` as in NOTIFY_SOCKET, `@` being the beginning of an
/// abstract name. Never waits. Returns 0 or an errno value.
int cs_notify(const char *path, const char *text, size_t length);

/// Installs handlers for SIGTERM, SIGINT and, where it is not ignored, SIGHUP that only remember the signal, and
/// ignores SIGPIPE.
/// Returns the reading end of a pipe that becomes readable on the first signal, or -1.
int cs_catch_stop_signals(void);

/// The signal that was caught, or 0.
int cs_stop_signal(void);

/// One pointer of the calling thread, null at first. Whoever sets it puts back what was there.
void *cs_thread_mark(void);
void cs_set_thread_mark(void *value);

#endif
