// SPDX-License-Identifier: MIT

#ifndef FOLLOWSPOT_CXAPIAN_H
#define FOLLOWSPOT_CXAPIAN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define CX_NOEXCEPT noexcept
extern "C" {
#else
#define CX_NOEXCEPT
#endif

/// A C interface to Xapian. Every function that can fail returns CX_OK, or another code and fills `error`. None throws.

enum {
  CX_OK = 0,
  CX_LOCKED,    // another writer holds the database
  CX_CORRUPT,   // the database cannot be read
  CX_FULL,      // no space is left
  CX_MODIFIED,  // a writer has overwritten the reader's revision, and reopening did not help
  CX_MISSING,   // there is no database at the path
  CX_INVALID,   // Xapian rejects an argument or a query
  CX_LIMIT,     // the process cannot get more memory or open more files
  CX_DENIED,    // permissions, or a read-only file system
  CX_UNREACHABLE,  // another machine does not answer, not in time, or not as Xapian's server does
  CX_OTHER
};

typedef struct {
  int code;
  char type[48];  // the exception class
  char message[464];
  char remote[272];  // host:port if the database is on another machine
} cx_error;

/// Bytes that this library allocated; release them with cx_text_free.
typedef struct {
  char *bytes;
  size_t length;
} cx_text;

void cx_text_free(cx_text *text) CX_NOEXCEPT;

typedef struct cx_database cx_database;

/// How a writer is opened.
enum {
  CX_DURABLE = 0,  // every commit is on stable storage, except the directory entry
  CX_BULK = 1,     // nothing is synced: only for a database that nobody reads yet
  CX_RUN = 2       // also overwrites blocks in place: only for a new database with one commit; Xapian 1.4 damages
                   // databases that were joined
};

/// Opens a database for writing, and creates it if it is missing. Xapian buffers 10,000 documents in memory before it writes
/// them; the environment variable XAPIAN_FLUSH_THRESHOLD changes that.
int cx_open_writer(const char *path, const char *stemmer, int mode, cx_database **out, cx_error *error) CX_NOEXCEPT;
int cx_open_reader(const char *path, const char *stemmer, cx_database **out, cx_error *error) CX_NOEXCEPT;

/// How long to wait for another machine, in milliseconds: for the connection, for one reply, and for all replies together.
typedef struct {
  uint32_t connection, reply, whole;
} cx_patience;

/// Opens the database that Xapian's server offers at a port. The reader stays at its revision. It has no revision number.
int cx_open_remote(const char *host, uint32_t port, const cx_patience *patience, const char *stemmer, cx_database **out,
                   cx_error *error) CX_NOEXCEPT;

/// Keeps a reader at its revision: if that is overwritten, reads return CX_MODIFIED and do not continue with the newest one.
void cx_pin(cx_database *reader) CX_NOEXCEPT;

/// Combines the revision that a reader has open with an empty database in memory, to which `cx_put` writes. The database
/// in memory is called the overlay of the other.
int cx_open_overlay(cx_database *reader, const char *stemmer, cx_database **out, cx_error *error) CX_NOEXCEPT;
/// Combines the revisions that readers have open in one database. Their documents get other numbers: document D of the
/// database at index I of N gets (D - 1) * N + I + 1. A reader with an overlay counts as two databases.
int cx_open_group(cx_database *const *readers, size_t count, const char *stemmer, cx_database **out,
                  cx_error *error) CX_NOEXCEPT;
/// Closes a writer or a reader. An open transaction is cancelled.
void cx_close(cx_database *database) CX_NOEXCEPT;
/// Moves a reader to the newest revision.
int cx_reopen(cx_database *database, cx_error *error) CX_NOEXCEPT;

/// Changes the stemmer.
int cx_set_stemmer(cx_database *database, const char *stemmer, cx_error *error) CX_NOEXCEPT;

/// Handles crashes from now on. A crash inside Xapian, which a damaged database can cause, prints an error and exits with
/// `damaged`, or with `full` if the disk is full. A crash anywhere for lack of memory exits with `full`. Other crashes are
/// not changed.
void cx_exit_on_crash(int damaged, int full) CX_NOEXCEPT;
/// Sets the options in the hint of a crash: `followspot OPTIONSrebuild`. They are truncated to 1,023 bytes.
void cx_set_crash_options(const char *options) CX_NOEXCEPT;

/// Whether a process survives opening the database at `path` and reading its metadata. A forked child tries it, but only
/// after `cx_exit_on_crash`, because other programs do not expect a fork. An error counts as surviving.
int cx_survives_reading(const char *path) CX_NOEXCEPT;

/// The version of the Xapian library in use.
const char *cx_version(void) CX_NOEXCEPT;

/// Whether a character is a word of its own: a symbol outside ASCII.
int cx_is_symbol(uint32_t character) CX_NOEXCEPT;

/// Whether Xapian has a stemmer of that name.
int cx_has_stemmer(const char *language) CX_NOEXCEPT;

// Writing -------------------------------------------------------------------------------------------------------------

enum {
  CX_TEXT,    // words under `prefix`, with positions, and their stems; each occurrence has the within-document frequency
              // `slot`
  CX_TERM,    // one boolean term
  CX_VALUE,   // the bytes of value slot `slot`
  CX_DATA,    // the document's data
  CX_UNPLACED, // as CX_TEXT, but without positions
  CX_JOINED,  // as CX_UNPLACED, but `prefix` without its last byte is that of the stems
  CX_LANGUAGE // the language that stems the words of the following parts; empty for the language of the database
};

/// One part of a document. Offsets count from the `bytes` given with the parts.
typedef struct {
  uint32_t kind;
  uint32_t slot;
  size_t prefix_offset, prefix_length;
  size_t offset, length;
} cx_part;

/// Sets how many changesets the next commits of writers keep for replicas. It changes the environment of the process.
void cx_keep_changesets(int count) CX_NOEXCEPT;

int cx_begin(cx_database *writer, cx_error *error) CX_NOEXCEPT;
int cx_commit(cx_database *writer, cx_error *error) CX_NOEXCEPT;
/// Commits without a transaction, as CX_BULK and CX_RUN require.
int cx_flush(cx_database *writer, cx_error *error) CX_NOEXCEPT;
/// Replaces the document with the unique term, or adds it.
int cx_put(cx_database *writer, const char *unique, size_t unique_length, const char *bytes, const cx_part *parts,
           size_t count, cx_error *error) CX_NOEXCEPT;
/// Adds a document with a number above all existing ones, without a lookup of its unique term.
int cx_append(cx_database *writer, uint32_t number, const char *unique, size_t unique_length, const char *bytes,
              const cx_part *parts, size_t count, cx_error *error) CX_NOEXCEPT;
int cx_remove(cx_database *writer, const char *unique, size_t unique_length, cx_error *error) CX_NOEXCEPT;
int cx_set_metadata(cx_database *writer, const char *key, const char *value, size_t length,
                    cx_error *error) CX_NOEXCEPT;

/// Joins the databases at `sources`, a list of paths that each end with a NUL, into one compact database at `path`. If
/// `renumbers` is 0, the documents keep their numbers, whose ranges must not overlap. Otherwise those of each database follow
/// those of the one before it. `is_over` is called before and after each table; if it does not return 0, joining stops with an
/// error.
int cx_join(const char *sources, size_t length, const char *path, int renumbers, int (*is_over)(void *), void *context,
            cx_error *error) CX_NOEXCEPT;
/// The numbers of the first and the last document; 0 if there is none.
int cx_number_range(cx_database *database, uint32_t *first, uint32_t *last, cx_error *error) CX_NOEXCEPT;

// Reading -------------------------------------------------------------------------------------------------------------

int cx_get_metadata(cx_database *database, const char *key, cx_text *out, cx_error *error) CX_NOEXCEPT;
/// The keys with the prefix, each followed by a NUL.
int cx_metadata_keys(cx_database *database, const char *prefix, cx_text *out, cx_error *error) CX_NOEXCEPT;
int cx_document_count(cx_database *database, uint32_t *out, cx_error *error) CX_NOEXCEPT;
/// Xapian's own commit counter; 0 for a database of another machine.
int cx_revision(cx_database *database, uint64_t *out, cx_error *error) CX_NOEXCEPT;
int cx_uuid(cx_database *database, cx_text *out, cx_error *error) CX_NOEXCEPT;
/// The value in `slot` of the document with that unique term; `found` is 0 if there is no such document.
int cx_get_value(cx_database *database, const char *unique, size_t unique_length, uint32_t slot, int *found,
                 cx_text *out, cx_error *error) CX_NOEXCEPT;

/// Reads the data and the values of the document with that unique term. `found` is 0 if there is none. Of each value the
/// slot and the length come first, 4 bytes each, the most significant first.
int cx_get_content(cx_database *database, const char *unique, size_t unique_length, int *found, cx_text *data,
                   cx_text *values, cx_error *error) CX_NOEXCEPT;
/// Calls `visit` with each value in `slot`, until `visit` does not return 0.
int cx_each_value(cx_database *database, uint32_t slot, void *context,
                  int (*visit)(void *context, const char *bytes, size_t length), cx_error *error) CX_NOEXCEPT;
/// The same for the documents with a term. A document without a value is visited with length 0.
int cx_each_value_of(cx_database *database, const char *term, size_t term_length, uint32_t slot, void *context,
                     int (*visit)(void *context, const char *bytes, size_t length), cx_error *error) CX_NOEXCEPT;
/// The number that the sortable bytes of a value slot encode; see `SortableNumber`.
double cx_number(const char *bytes, size_t length) CX_NOEXCEPT;
/// The first term that has the prefix and is not less than `from`; `found` is 0 if there is none.
int cx_first_term(cx_database *database, const char *prefix, size_t prefix_length, const char *from, size_t from_length,
                  int *found, cx_text *out, cx_error *error) CX_NOEXCEPT;
int cx_term_frequency(cx_database *database, const char *term, size_t length, uint32_t *out,
                      cx_error *error) CX_NOEXCEPT;
/// Whether the term has a position in any of the first `limit` documents that contain it.
int cx_has_positions(cx_database *database, const char *term, size_t length, uint32_t limit, int *out,
                     cx_error *error) CX_NOEXCEPT;
/// The document with that unique term as text: terms with frequencies and positions, values, data.
int cx_describe_stored(cx_database *database, const char *unique, size_t unique_length, int *found, cx_text *out,
                       cx_error *error) CX_NOEXCEPT;
/// The same of a document that is not stored.
int cx_describe_made(cx_database *database, const char *unique, size_t unique_length, const char *bytes,
                     const cx_part *parts, size_t count, cx_text *out, cx_error *error) CX_NOEXCEPT;
/// The fingerprints of stored documents. A fingerprint is a number that depends on the terms of a document, their frequencies
/// and positions, the values and the data.
typedef struct cx_fingerprints cx_fingerprints;

/// Reads all documents, table by table. Only words of fields may have positions, and only slots below `slots` have values.
/// Fingerprints of documents whose
/// posting lists and term list disagree are wrong. `is_over` is called now and then; if it does not return 0, reading stops
/// with an error.
int cx_read_fingerprints(cx_database *reader, uint32_t slots, int (*is_over)(void *), void *context,
                         cx_fingerprints **out, cx_error *error) CX_NOEXCEPT;
void cx_free_fingerprints(cx_fingerprints *fingerprints) CX_NOEXCEPT;
/// The fingerprint of the document with that number.
uint64_t cx_stored_fingerprint(const cx_fingerprints *fingerprints, uint32_t number) CX_NOEXCEPT;
/// The number of the document with a term; 0 if there is none.
int cx_find(cx_database *database, const char *unique, size_t length, uint32_t *number, cx_error *error) CX_NOEXCEPT;
/// The fingerprint of a document that is not stored.
int cx_make_fingerprint(cx_database *database, const char *unique, size_t unique_length, const char *bytes,
                        const cx_part *parts, size_t count, uint64_t *out, cx_error *error) CX_NOEXCEPT;
/// The words of a text as they are indexed. For each word three texts, each with a NUL behind it: the word; its stem, or
/// nothing if it has none; the stem again if that is its own stem, otherwise nothing. If the language is empty, that of the
/// database is used.
int cx_tokens(cx_database *database, const char *text, size_t length, const char *language, cx_text *out,
              cx_error *error) CX_NOEXCEPT;
/// Calls `visit` with each term of the overlay of a reader.
int cx_each_overlay_term(cx_database *database, void *context,
                         int (*visit)(void *context, const char *term, size_t length), cx_error *error) CX_NOEXCEPT;
/// Calls `visit` with each term that has the prefix and is not less than `from`, until `visit` does not return 0.
int cx_each_term(cx_database *database, const char *prefix, size_t prefix_length, const char *from, size_t from_length,
                 void *context, int (*visit)(void *context, const char *term, size_t length),
                 cx_error *error) CX_NOEXCEPT;
/// Runs Xapian's consistency check of the database at `path`, and counts the problems.
int cx_check(const char *path, size_t *problems, cx_error *error) CX_NOEXCEPT;

// Searching -----------------------------------------------------------------------------------------------------------

/// A query in postfix order: operands first, then the operator that takes them.
enum {
  CX_QUERY_TERM,             // the term is the text
  CX_QUERY_WILDCARD,         // all terms that have the text as prefix, weighed as one word
  CX_QUERY_RANGE,            // documents whose value in `slot` is in a closed range: the lower bound is the first `count`
                             // bytes of the text, the upper bound is the rest; an empty rest is no upper bound
  CX_QUERY_EVERYTHING,
  CX_QUERY_NOTHING,
  CX_QUERY_VALUE_SET,        // documents whose value in `slot` is one of those in the text: each follows its length, 2
                             // bytes, little-endian
  CX_QUERY_DATABASES,        // documents of the databases with the UUIDs in the text, each 36 bytes, and of their overlays;
                             // of all databases of other machines if `count` is not 0, otherwise of none of them
  CX_QUERY_DOCUMENTS,        // documents of the database with the UUID in the first 36 bytes of the text: the first and last
                             // numbers of ascending ranges follow, 4 bytes each, little-endian
  CX_QUERY_RECENCY_BOOST,    // every document: `weight` at or above the number `low` in `slot`, halving every `high` below
                             // it; 0 without a number
  CX_QUERY_MAGNITUDE_BOOST,  // every document: proportional to the logarithm of the number in `slot`, `weight` at `high`,
                             // which is above 0; 0 without a number
  CX_QUERY_PHRASE,           // `count` operands, in order and adjacent
  CX_QUERY_AND,              // `count` operands
  CX_QUERY_OR,               // `count` operands
  CX_QUERY_SYNONYM,          // `count` operands, weighed as one word
  CX_QUERY_WORD,             // the same of terms only; not below a synonym, and not on another machine
  CX_QUERY_PREFIXES,         // the same of all terms that have one of `count` terms as prefix
  CX_QUERY_NEAR,             // `count` operands, in any order, within `slot` words
  CX_QUERY_SCALE,            // one operand, its relevance times `weight`; `count` is 1
  CX_QUERY_AND_NOT,          // 2 operands
  CX_QUERY_FILTER            // 2 operands, of which the second does not affect relevance
};

/// One node of a query. Its text has `length` bytes, from `offset` of the `bytes` given with the nodes.
typedef struct {
  uint32_t kind;
  uint32_t slot;
  uint32_t count;
  size_t offset, length;
  double low, high, weight;
} cx_query_node;

typedef struct {
  double score;
  size_t identity_offset, identity_length;
  size_t data_offset, data_length;
  size_t values_offset, values_length;  // as `cx_get_content` gives them
  size_t value_offset, value_length;  // the value of the slot that orders the hits; empty if relevance orders them
  uint32_t document;  // its number in the database that was searched
} cx_hit;

typedef struct {
  cx_hit *hits;
  size_t count;
  uint32_t matches;  // exact if it is at most `check_at_least`, otherwise an estimate
  cx_text bytes;     // the hits refer to them by offset
} cx_hits;

/// The order of hits: by relevance, or by the value of a slot, with documents without a value last.
enum { CX_BY_RELEVANCE, CX_ASCENDING, CX_DESCENDING };

/// Runs a query. Hits are ordered by relevance (see ranking.cc) or by `sort_slot`, then by the value of `identity_slot`.
/// They have the data and the values of their documents if `wants_data` is not 0, or if the documents are on another
/// machine. With databases of other machines, hits with equal values of `sort_slot` have no order, and boosts count among
/// the hits that are best without them there.
int cx_search(cx_database *reader, const char *bytes, const cx_query_node *nodes, size_t count, uint32_t offset,
              uint32_t limit, uint32_t check_at_least, uint32_t identity_slot, uint32_t sort_slot, int sort,
              int wants_data, cx_hits *out, cx_error *error) CX_NOEXCEPT;

/// Bytes that are valid during a call only.
typedef struct {
  const char *bytes;
  size_t length;
} cx_bytes;

/// Calls `visit` with the values in `slots` of every match, in no order, until `visit` does not return 0. A document without
/// a value has length 0.
int cx_each_match(cx_database *reader, const char *bytes, const cx_query_node *nodes, size_t count,
                  const uint32_t *slots, size_t slot_count, void *context,
                  int (*visit)(void *context, const cx_bytes *values), cx_error *error) CX_NOEXCEPT;
void cx_hits_free(cx_hits *hits) CX_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
