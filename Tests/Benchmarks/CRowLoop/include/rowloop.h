// SPDX-License-Identifier: MIT

#ifndef FOLLOWSPOT_ROWLOOP_H
#define FOLLOWSPOT_ROWLOOP_H

/// The partner of the model benchmark: what a short C program does with SQLite's own functions to write and read the
/// same rows, history included, one prepared statement a table and one transaction a call. Each returns the number of
/// rows, or -1.

/// Writes `count` rows of entity number 1 with keys from `first`, one transaction row and a change row each.
long rowloop_write(const char *store, long first, long count, const char *title, const char *detail);

/// Sets the score of the first `count` rows, and deletes them: one row of the history each, in transaction number
/// `transaction`.
long rowloop_update(const char *store, long count, long transaction);
long rowloop_delete(const char *store, long count, long transaction);

/// Reads every row into a structure with copies of its texts, ordered by key.
long rowloop_read(const char *store);

/// Asks for the number of rows, and for every key in order.
long rowloop_count(const char *store);
long rowloop_keys(const char *store);

#endif
