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

/// Xapian behind C. Every function that can fail returns CX_OK or another code and fills `error`; none throws.

enum {
  CX_OK = 0,
  CX_LOCKED,    // another writer holds the database
  CX_CORRUPT,   // the database cannot be read
  CX_FULL,      // no space is left
  CX_MODIFIED,  // the reader's revision is gone, also after opening anew
  CX_MISSING,   // there is no database at the path
  CX_INVALID,   // an argument or a query that Xapian refuses
  CX_LIMIT,     // the process gets no more memory or files
  CX_DENIED,    // permissions, or a read-only file system
  CX_OTHER
};

typedef struct {
  int code;
  char type[48];  // the exception class
  char message[464];
} cx_error;

/// Bytes made by this library; release them with cx_text_free.
typedef struct {
  char *bytes;
  size_t length;
} cx_text;

void cx_text_free(cx_text *text) CX_NOEXCEPT;

typedef struct cx_database cx_database;

/// How a writer is opened.
enum {
  CX_DURABLE = 0,  // every commit is on stable storage, but for the directory entry
  CX_BULK = 1,     // nothing is synced: only for a database that nobody reads yet
  CX_RUN = 2       // blocks are overwritten in place, too: only for a fresh database that is written once, for
                   // Xapian 1.4 damages one that was made by joining
};

/// Opens a database for writing, making it where there is none. 10,000 documents are inverted in memory before they
/// go to the disk, unless XAPIAN_FLUSH_THRESHOLD in the environment says otherwise.
int cx_open_writer(const char *path, const char *stemmer, int mode, cx_database **out, cx_error *error) CX_NOEXCEPT;
int cx_open_reader(const char *path, const char *stemmer, cx_database **out, cx_error *error) CX_NOEXCEPT;

/// From now on a reader whose revision was overwritten says CX_MODIFIED, rather than to go on with the newest one.
void cx_pin(cx_database *reader) CX_NOEXCEPT;

/// Joins the revision that a reader has open with an empty database in memory, into which `cx_put` writes.
int cx_open_overlay(cx_database *reader, const char *stemmer, cx_database **out, cx_error *error) CX_NOEXCEPT;
/// Closes either kind. A transaction that is open is cancelled.
void cx_close(cx_database *database) CX_NOEXCEPT;
/// Moves a reader to the newest revision.
int cx_reopen(cx_database *database, cx_error *error) CX_NOEXCEPT;

/// Takes another stemmer from now on.
int cx_set_stemmer(cx_database *database, const char *stemmer, cx_error *error) CX_NOEXCEPT;

/// From now on a crash inside Xapian, which a damaged database can cause, ends the process with `damaged`, a sentence and
/// a hint; with `full` where it came of a full disk, whose errors Xapian also throws where none can be caught. A crash
/// anywhere for lack of memory also ends with `full`. Other crashes go on as before.
void cx_exit_on_crash(int damaged, int full) CX_NOEXCEPT;
/// The options that the hint of a crash repeats: `followspot OPTIONSrebuild`. It is cut at 1,023 bytes.
void cx_set_crash_options(const char *options) CX_NOEXCEPT;

/// Whether a process that opens the database at `path` and reads its metadata survives: it is tried in a child, but only
/// where `cx_exit_on_crash` was called, for other programs do not expect to be forked. An error counts as surviving.
int cx_survives_reading(const char *path) CX_NOEXCEPT;

/// The version of the Xapian that runs.
const char *cx_version(void) CX_NOEXCEPT;

/// Whether Xapian knows a stemmer of that name.
int cx_has_stemmer(const char *language) CX_NOEXCEPT;

// Writing -------------------------------------------------------------------------------------------------------------

enum {
  CX_TEXT,    // words: under `prefix` with positions, each occurrence with the within-document frequency `slot`; where
              // `number` is not 0, also unprefixed with the frequency `number` and without positions
  CX_TERM,    // one boolean term
  CX_VALUE,   // the bytes of value slot `slot`
  CX_DATA,    // the document's data
  CX_FORMS,   // as CX_TEXT, but without positions under the prefix too
  CX_LANGUAGE // the words from here on are stemmed by the language of that name; by the database's where it is empty
};

/// One part of a document. Offsets count from the `bytes` given with the parts.
typedef struct {
  uint32_t kind;
  uint32_t slot;
  size_t prefix_at, prefix_length;
  size_t at, length;
  double number;
} cx_part;

int cx_begin(cx_database *writer, cx_error *error) CX_NOEXCEPT;
int cx_commit(cx_database *writer, cx_error *error) CX_NOEXCEPT;
/// Writes what is pending without a transaction: the way of CX_BULK and CX_RUN.
int cx_flush(cx_database *writer, cx_error *error) CX_NOEXCEPT;
/// Replaces, or adds, the document of the unique term.
int cx_put(cx_database *writer, const char *unique, size_t unique_length, const char *bytes, const cx_part *parts,
           size_t count, cx_error *error) CX_NOEXCEPT;
/// Adds a document under a number that is higher than all before it, without looking for its unique term.
int cx_append(cx_database *writer, uint32_t number, const char *unique, size_t unique_length, const char *bytes,
              const cx_part *parts, size_t count, cx_error *error) CX_NOEXCEPT;
int cx_remove(cx_database *writer, const char *unique, size_t unique_length, cx_error *error) CX_NOEXCEPT;
int cx_set_metadata(cx_database *writer, const char *key, const char *value, size_t length,
                    cx_error *error) CX_NOEXCEPT;

/// Writes one compact database to `path` from those at `sources`, a list of paths with a NUL behind each. Their
/// documents keep their numbers, whose ranges must not overlap. `is_over` is asked before and after each table; what is
/// not 0 ends the joining with an error.
int cx_join(const char *sources, size_t length, const char *path, int (*is_over)(void *), void *context,
            cx_error *error) CX_NOEXCEPT;

// Reading -------------------------------------------------------------------------------------------------------------

int cx_get_metadata(cx_database *database, const char *key, cx_text *out, cx_error *error) CX_NOEXCEPT;
/// The keys that begin with `prefix`, each followed by a NUL.
int cx_metadata_keys(cx_database *database, const char *prefix, cx_text *out, cx_error *error) CX_NOEXCEPT;
int cx_document_count(cx_database *database, uint32_t *out, cx_error *error) CX_NOEXCEPT;
/// Xapian's own commit counter.
int cx_revision(cx_database *database, uint64_t *out, cx_error *error) CX_NOEXCEPT;
int cx_uuid(cx_database *database, cx_text *out, cx_error *error) CX_NOEXCEPT;
/// The value in `slot` of the document with that unique term; `found` is 0 where there is no such document.
int cx_get_value(cx_database *database, const char *unique, size_t unique_length, uint32_t slot, int *found,
                 cx_text *out, cx_error *error) CX_NOEXCEPT;
/// Calls `visit` with the value of `slot` of each document that has one, until `visit` returns other than 0.
int cx_each_value(cx_database *database, uint32_t slot, void *context,
                  int (*visit)(void *context, const char *bytes, size_t length), cx_error *error) CX_NOEXCEPT;
/// The same for the documents that a term leads to. A document without the value is visited with nothing.
int cx_each_value_of(cx_database *database, const char *term, size_t term_length, uint32_t slot, void *context,
                     int (*visit)(void *context, const char *bytes, size_t length), cx_error *error) CX_NOEXCEPT;
/// The number whose sortable bytes a value slot holds: the double that `SortableNumber` made them of.
double cx_number(const char *bytes, size_t length) CX_NOEXCEPT;
/// The first term that is not less than `from`; `found` is 0 behind the last.
int cx_term_at_or_after(cx_database *database, const char *from, size_t from_length, int *found, cx_text *out,
                        cx_error *error) CX_NOEXCEPT;
int cx_term_frequency(cx_database *database, const char *term, size_t length, uint32_t *out,
                      cx_error *error) CX_NOEXCEPT;
/// Whether the term has a position in any of the first `most` documents that have it.
int cx_has_positions(cx_database *database, const char *term, size_t length, uint32_t most, int *out,
                     cx_error *error) CX_NOEXCEPT;
/// Everything in the document of that unique term, as text: terms with frequencies and positions, values, data.
int cx_describe_stored(cx_database *database, const char *unique, size_t unique_length, int *found, cx_text *out,
                       cx_error *error) CX_NOEXCEPT;
/// The same of a document that is only made, not stored.
int cx_describe_made(cx_database *database, const char *unique, size_t unique_length, const char *bytes,
                     const cx_part *parts, size_t count, cx_text *out, cx_error *error) CX_NOEXCEPT;
/// The words of a text as they are indexed: for each, the raw term, NUL, its stemmed term or nothing, NUL. An empty
/// language is the database's.
int cx_tokens(cx_database *database, const char *text, size_t length, const char *language, cx_text *out,
              cx_error *error) CX_NOEXCEPT;
/// Calls `visit` with each term that begins with `prefix`, from the first on that is not less than `from`, until `visit`
/// returns other than 0.
int cx_each_term(cx_database *database, const char *prefix, size_t prefix_length, const char *from, size_t from_length,
                 void *context, int (*visit)(void *context, const char *term, size_t length),
                 cx_error *error) CX_NOEXCEPT;
/// Xapian's own consistency check of the database at `path`; `problems` counts what it found.
int cx_check(const char *path, size_t *problems, cx_error *error) CX_NOEXCEPT;

// Searching -----------------------------------------------------------------------------------------------------------

/// A query in postfix order: operands first, then the operator that takes them.
enum {
  CX_QUERY_TERM,        // `at`, `length`
  CX_QUERY_WILDCARD,    // all terms with the prefix `at`, `length`, the `count` most frequent
  CX_QUERY_RANGE,       // documents whose value in `slot` is between the first `count` of the bytes at `at`, `length` and
                        // the other ones, both included; without other ones there is no upper bound
  CX_QUERY_EVERYTHING,
  CX_QUERY_NOTHING,
  CX_QUERY_AMONG,       // documents whose value in `slot` is one of those at `at`, `length`: each behind its length in 2
                        // bytes, the lesser first
  CX_QUERY_RECENCY,     // every document: relevance `weight` where the number in `slot` is `low` or more, half as much for
                        // every `high` less, 0 where there is none
  CX_QUERY_MAGNITUDE,   // every document: relevance by the logarithm of the number in `slot`, `weight` where it is `high`,
                        // which is above 0; 0 where there is none
  CX_QUERY_PHRASE,      // the `count` operands before it, in order and adjacent
  CX_QUERY_AND,         // `count` operands
  CX_QUERY_OR,          // `count` operands
  CX_QUERY_SYNONYM,     // `count` operands, which count for relevance as one word
  CX_QUERY_NEAR,        // the `count` operands before it, in any order, inside `slot` words
  CX_QUERY_SCALE,       // the operand before it, its relevance times `weight`; `count` is 1
  CX_QUERY_AND_NOT,     // 2 operands
  CX_QUERY_FILTER       // 2 operands, of which the second does not count for relevance
};

typedef struct {
  uint32_t kind;
  uint32_t slot;
  uint32_t count;
  size_t at, length;
  double low, high, weight;
} cx_query_node;

typedef struct {
  double score;
  size_t identity_at, identity_length;
  size_t data_at, data_length;
} cx_hit;

typedef struct {
  cx_hit *hits;
  size_t count;
  uint32_t matches;  // exact where at least `check_at_least` were looked at, else an estimate
  cx_text bytes;     // what the offsets of hits count in
} cx_hits;

/// How hits are ordered: by relevance, or by the value of a slot, where what has none comes last.
enum { CX_BY_RELEVANCE, CX_ASCENDING, CX_DESCENDING };

/// Runs a query: BM25 with k1 = 1.2 and b = 0.75, ordered by relevance or by `sort_slot`, then by the value of
/// `identity_slot`.
int cx_search(cx_database *reader, const char *bytes, const cx_query_node *nodes, size_t count, uint32_t offset,
              uint32_t limit, uint32_t check_at_least, uint32_t identity_slot, uint32_t sort_slot, int sort,
              cx_hits *out, cx_error *error) CX_NOEXCEPT;

/// The stems, of words of any field, that tell the best `top` documents of a query from others, with NUL behind each:
/// `most` at most, the best first, those of the query left out.
int cx_expand(cx_database *reader, const char *bytes, const cx_query_node *nodes, size_t count, uint32_t top,
              uint32_t most, cx_text *out, cx_error *error) CX_NOEXCEPT;

/// Gives `visit` the value of `slot` of every document that matches, in no order, until it returns other than 0.
int cx_each_match(cx_database *reader, const char *bytes, const cx_query_node *nodes, size_t count, uint32_t slot,
                  void *context, int (*visit)(void *context, const char *bytes, size_t length),
                  cx_error *error) CX_NOEXCEPT;
void cx_hits_free(cx_hits *hits) CX_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
