// SPDX-License-Identifier: MIT

// What the files of this module share.
#ifndef FOLLOWSPOT_CXAPIAN_INTERNAL_H
#define FOLLOWSPOT_CXAPIAN_INTERNAL_H

#include "cxapian.h"

#include <xapian.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

/// The stemmers of a language. If `is_stemmed` is false, all of them do nothing.
struct cx_stemmers {
  Xapian::Stem plain;
  /// No stem if it would equal the word.
  Xapian::Stem differing;
  bool is_stemmed;
};

/// A writer, a reader, or a reader joined with an overlay in memory.
struct cx_database {
  /// What is read. It shares the state of `writable` if this is a writer.
  Xapian::Database database;
  Xapian::WritableDatabase writable;
  Xapian::TermGenerator generator;
  Xapian::Stem stemmer;
  /// By language; the empty name is that of the database.
  std::map<std::string, cx_stemmers> stemmers;
  bool in_transaction = false;
  std::string path;
  bool has_failed = false;
  /// Whether reads must stay at one revision, because results of several reads are combined.
  bool is_pinned = false;
  /// The directories and revisions of the databases that it is made of; empty if it is one database.
  std::vector<std::pair<std::string, uint64_t>> parts;
  /// Whether it is the database of another machine, or contains one.
  bool is_remote = false;
  /// The host and the port of each of its databases, empty for one on this machine. Empty if all are on this machine.
  std::vector<std::string> remotes;
  /// When reading from other machines ends with an error.
  std::chrono::steady_clock::time_point deadline;
};

namespace cx {

/// Moves the cursor of the table of posting lists to that of a term, before it is opened: many are read in the order of
/// their terms.
///
/// Xapian reads all blocks on the way to a list again, but takes those at which the table's own cursor is. Looking up the
/// frequency moves that cursor, which keeps the blocks that two terms have in common.
inline void go_to_postings(const Xapian::Database &database, const std::string &term) { database.get_termfreq(term); }

// errors.cc

/// The error number of the system call that failed; 0 if the system reported no error.
int system_error(const Xapian::Error &thrown);
/// Whether an error of the system says that there is no space left.
inline bool is_full(int number) noexcept { return number == ENOSPC || number == EDQUOT || number == EFBIG; }
/// The CX_ code of an exception.
int code_of(const Xapian::Error &thrown);
/// Fills `error` from the exception that is being handled, and returns its CX_ code.
int report_exception(cx_error *error) noexcept;

// crash.cc

/// Records the path of the database that this thread opens: the message of a crash names it.
void remember(const char *path) noexcept;

/// Marks this thread as being inside Xapian: a crash is then reported as damage.
struct CallScope {
  CallScope() noexcept;
  ~CallScope();
};

/// Runs `body` and turns exceptions into codes. All calls into Xapian go through it, because C and Swift cannot catch.
template <class Body>
int guard(cx_error *error, Body body) noexcept {
  CallScope scope;
  try {
    body();
    return CX_OK;
  } catch (...) {
    return report_exception(error);
  }
}

// remote.cc

/// Ends a search of other machines that has taken too long, although each reply came in time.
void check_deadline(const cx_database &database);
/// The host and the port of the database of a document; empty if it is on this machine.
inline const std::string &remote_of(const cx_database &database, Xapian::docid id) {
  static const std::string none;
  return database.remotes.empty() ? none : database.remotes[(id - 1) % database.remotes.size()];
}
/// The host and the port of the database that failed; empty if it is on this machine.
std::string remote_of(const Xapian::Error &thrown);

/// What the server of another machine gets instead of a posting source of this module, which it does not know: one that
/// matches all documents, or none.
class RemoteSource {
  std::unique_ptr<Xapian::PostingSource> source;

 public:
  explicit RemoteSource(bool matches_all);
  std::string name() const;
  std::string serialise() const;
};

/// A posting source of all document numbers up to the last one. Another machine gets a `RemoteSource` instead.
class EveryDocument : public Xapian::PostingSource {
  const bool on_remote;

 protected:
  Xapian::docid at = 0, last = 0;
  Xapian::doccount count = 0;

  explicit EveryDocument(bool on_remote) : on_remote(on_remote) {}

 public:
  Xapian::doccount get_termfreq_min() const override { return count; }
  Xapian::doccount get_termfreq_est() const override { return count; }
  Xapian::doccount get_termfreq_max() const override { return count; }
  void next(double) override { at++; }
  void skip_to(Xapian::docid least, double) override { at = std::max(at, least); }
  bool check(Xapian::docid least, double) override {
    at = std::max(at, least);
    return true;
  }
  bool at_end() const override { return at > last; }
  Xapian::docid get_docid() const override { return at; }
  std::string name() const override { return RemoteSource(on_remote).name(); }
  std::string serialise() const override { return RemoteSource(on_remote).serialise(); }
};

// open.cc

/// The content of the version file, which every commit replaces: it identifies the revision on disk.
std::string version_file(const std::string &path);

/// Repeats `body` until it reads one revision without an error. Beside a busy writer, on a machine that pauses the
/// reader, the blocks of the revision can be overwritten at any step. Xapian then reports DatabaseModifiedError for most
/// blocks. It reports damage for the root of a tree, and for a block that is overwritten while it is read. Blocks of the
/// newest revision are not overwritten: in them, either error is damage.
template <class Body>
auto retry_while_overwritten(const std::string &path, Body body) {
  const int maximum = 20;
  for (int attempt = 1;; attempt++) {
    // Most calls need one attempt, and do not read the file.
    const std::string before = attempt > 1 ? version_file(path) : std::string();
    try {
      return body(attempt);
    } catch (const Xapian::DatabaseModifiedError &thrown) {
      if (attempt > 1 && before == version_file(path)) throw Xapian::DatabaseCorruptError(thrown.get_msg());
      if (attempt == maximum) throw;
    } catch (const Xapian::DatabaseError &thrown) {
      // At the first attempt, the open revision may have been overwritten long before.
      const bool is_of_system = thrown.get_error_string() != nullptr;
      if (attempt == maximum || is_of_system || (attempt > 1 && before == version_file(path))) throw;
    }
  }
}

/// The directory and the revision of each database that a reader of this machine reads.
std::vector<std::pair<std::string, uint64_t>> parts_of(const cx_database &reader);
/// Whether the revisions that a reader has open are the newest ones on disk.
bool is_newest(const cx_database &reader);

/// As `guard`, but a reader whose revision was overwritten continues with the newest one, unless it is pinned.
template <class Body>
int guard_reading(cx_database *database, cx_error *error, Body body) noexcept {
  return guard(error, [&] {
    check_deadline(*database);
    if (database->is_pinned) {
      try {
        return body();
      } catch (const Xapian::DatabaseModifiedError &thrown) {
        if (is_newest(*database)) throw Xapian::DatabaseCorruptError(thrown.get_msg());
        throw;
      }
    }
    retry_while_overwritten(database->path, [&](int attempt) {
      if (attempt > 1) database->database.reopen();
      body();
    });
  });
}

// stems.cc

/// The stemmer of a language for words that were folded. Throws if Xapian does not have it.
Xapian::Stem stemmer(const std::string &language);

// document.cc

/// Sets the stemmer of the database, and n-grams for scripts that put no blanks between words.
void prepare(cx_database *database, const char *stemmer);
Xapian::Document make_document(cx_database *database, const std::string &unique, const char *bytes,
                               const cx_part *parts, size_t count);

// read.cc

/// Copies bytes for the caller, who releases them with `cx_text_free`.
void copy(const std::string &bytes, cx_text *out);
/// The number of the document with that unique term; 0 if there is none.
Xapian::docid find(const Xapian::Database &database, const std::string &unique);
/// The double whose sortable bytes these are; 0 if there are no bytes.
double number_of(const std::string &bytes);
/// The values of a document, as `cx_get_content` gives them.
std::string values_of(const Xapian::Document &document);

// best.cc

struct Found {
  double score;
  Xapian::docid id;
  std::string identity;
  Xapian::Document document;
};

/// The order of hits: by relevance, then by identity, then by number.
bool precedes(const Found &one, const Found &other);
/// One page of the hits of a query in one database on this machine, in order. Their documents are empty.
std::vector<Found> best_hits(const Xapian::Database &database, Xapian::Enquire &enquire, uint32_t offset,
                             uint32_t limit, uint32_t check_at_least, uint32_t identity_slot, uint32_t *matches);

// databases.cc, ranking.cc, terms.cc, value_set.cc and word.cc

/// The key of the metadata of an overlay that holds the UUID of the database below it.
inline const char *const overlaid = "overlaid";
/// The documents of the databases whose UUIDs are concatenated in `uuids`, and of their overlays.
///
/// - with_remote: Whether all databases of other machines are among them. Otherwise, none is.
Xapian::Query databases(const std::string &uuids, bool with_remote);
Xapian::Query documents(const std::string &ranges);

/// How the words of a query are weighed.
Xapian::BM25Weight ranking();
/// The same, by one number of each document.
class WordWeight {
  double whole;

 public:
  /// - matches: The number of documents with the word.
  WordWeight(Xapian::doccount documents, Xapian::doccount matches);
  /// The weight of a word with that within-document frequency.
  double operator()(Xapian::termcount frequency) const;
};
bool is_boost(const cx_query_node &node);
/// Every document, with the weight of a boost.
Xapian::Query boost(const cx_query_node &node);
/// What a boost adds to a document.
double boost_of(const cx_query_node &node, const Xapian::Document &document);
/// The documents whose value in the slot of `node` is one of `values`.
Xapian::Query value_set(const cx_query_node &node, const std::string &values);
/// The documents with any of some terms, weighed as those of one word. Only for databases on this machine.
Xapian::Query word(const Xapian::Database &database, std::vector<std::string> terms);
/// The same for very many terms.
///
/// - documents: The number of documents of all databases that are searched.
Xapian::Query any_term(std::vector<std::string> terms, Xapian::doccount documents);
/// The same for all terms that begin in one of these ways.
Xapian::Query prefixes(const Xapian::Database &database, const std::vector<std::string> &prefixes);

}  // namespace cx

#endif
