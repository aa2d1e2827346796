// SPDX-License-Identifier: MIT

// Fingerprints: what a document contains as one number, a sum in which order does not matter. So all documents of a database
// are read table by table, which takes much less time than one document after the other.
#include "internal.h"

#include <memory>
#include <vector>

using namespace cx;

/// The fingerprint of each stored document, by document number.
struct cx_fingerprints {
  std::vector<uint64_t> sums;
};

namespace {

/// A factor for each kind of content, so that equal bytes of two kinds do not count the same.
const uint64_t frequency_factor = 0x9e3779b97f4a7c15, slot_factor = 0xc2b2ae3d27d4eb4f, data_factor = 0xff51afd7ed558ccd;
/// The weight of the difference between posting lists and term lists, which is 0 if they agree.
const uint64_t difference_factor = 0x165667b19e3779f9;

uint64_t mix(uint64_t number) {
  number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9;
  number = (number ^ number >> 27) * 0x94d049bb133111eb;
  return number ^ number >> 31;
}

uint64_t hash(const std::string &bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3;
  return mix(hash + bytes.size());
}

uint64_t posting(uint64_t term, Xapian::termcount frequency) { return mix(term + (frequency + 1) * frequency_factor); }

uint64_t positions(uint64_t term, Xapian::PositionIterator at) {
  if (at == Xapian::PositionIterator()) return 0;
  uint64_t sum = ~term;
  for (; at != Xapian::PositionIterator(); ++at) sum = mix(sum + *at);
  return sum;
}

uint64_t data(const Xapian::Document &document) { return mix(hash(document.get_data()) * data_factor); }

uint64_t value(Xapian::valueno slot, const std::string &bytes) { return mix(hash(bytes) + (slot + 1) * slot_factor); }

/// Xapian reads two blocks to find out that a term has no positions, so only terms that may have some are asked.
bool may_have_positions(const std::string &term) {
  if (term.empty() || term[0] < 'A' || term[0] > 'Z' || term[0] == 'Z' || term[0] == 'Q') return false;
  return term[0] != 'X' || (term.size() > 1 && term[1] == 'T');
}

uint64_t fingerprint(const Xapian::Document &document) {
  uint64_t sum = data(document);
  for (Xapian::ValueIterator at = document.values_begin(); at != document.values_end(); ++at)
    sum += value(at.get_valueno(), *at);
  for (Xapian::TermIterator term = document.termlist_begin(); term != document.termlist_end(); ++term) {
    const std::string name = *term;
    const uint64_t hashed = hash(name), placed = positions(hashed, term.positionlist_begin());
    if (placed && !may_have_positions(name)) throw Xapian::InvalidArgumentError("positions of a term that is not a word of a field");
    sum += posting(hashed, term.get_wdf()) + placed;
  }
  return sum;
}

class Reading {
  const Xapian::Database &database;
  std::vector<uint64_t> &sums;
  int (*const is_over)(void *);
  void *const context;
  uint64_t steps = 0;
  /// How many lists of positions are read before the cursor of their table is moved again. A block has some 400 of them.
  uint64_t places_left = 0;

  /// Moves the cursor of the table of positions to those of a term in a document: as `go_to_postings`, but only counting
  /// positions moves it. That reads the terms of the document up to this one, so for a long document it is done less often.
  void go_to_positions(const Xapian::PostingIterator &posting, const std::string &name) {
    places_left = 32;
    try {
      places_left += posting.get_doclength() / 16;
      auto term = database.termlist_begin(*posting);
      term.skip_to(name);
      if (term != database.termlist_end(*posting) && *term == name) term.positionlist_count();
    } catch (const Xapian::DocNotFoundError &) {
      // Of a posting list that is not as the term lists: the sums will differ.
    }
  }

  void check() {
    if (++steps % 4096 == 0 && is_over(context)) throw Xapian::DatabaseError("reading was stopped");
  }

  uint64_t &sum(Xapian::docid number) {
    check();
    if (number == 0 || number >= sums.size()) throw Xapian::DatabaseCorruptError("a list contains a document that does not exist");
    return sums[number];
  }

 public:
  Reading(const Xapian::Database &database, std::vector<uint64_t> &sums, int (*is_over)(void *), void *context)
      : database(database), sums(sums), is_over(is_over), context(context) {}

  void posting_lists() {
    for (auto term = database.allterms_begin(); term != database.allterms_end(); ++term) {
      const std::string name = *term;
      const uint64_t hashed = hash(name);
      const bool is_placed = may_have_positions(name);
      go_to_postings(database, name);
      for (auto at = database.postlist_begin(name); at != database.postlist_end(name); ++at) {
        uint64_t &own = sum(*at);
        own += posting(hashed, at.get_wdf()) * (1 + difference_factor);
        // In the order of the table, unlike those of one document after the other.
        if (!is_placed) continue;
        if (places_left == 0) go_to_positions(at, name);
        places_left--;
        own += positions(hashed, at.positionlist_begin());
      }
    }
  }

  void values(Xapian::valueno slots) {
    for (Xapian::valueno slot = 0; slot < slots; slot++)
      for (auto at = database.valuestream_begin(slot); at != database.valuestream_end(slot); ++at)
        sum(at.get_docid()) += value(slot, *at);
  }

  void documents() {
    for (auto at = database.postlist_begin(std::string()); at != database.postlist_end(std::string()); ++at) {
      uint64_t &own = sum(*at);
      own += data(database.get_document(*at, Xapian::DOC_ASSUME_VALID));
      for (auto term = database.termlist_begin(*at); term != database.termlist_end(*at); ++term) {
        own -= posting(hash(*term), term.get_wdf()) * difference_factor;
      }
    }
  }
};

}  // namespace

extern "C" {

int cx_read_fingerprints(cx_database *reader, uint32_t slots, int (*is_over)(void *), void *context, cx_fingerprints **out,
                         cx_error *error) noexcept {
  return guard(error, [&] {
    auto made = std::make_unique<cx_fingerprints>();
    made->sums.resize(size_t{reader->database.get_lastdocid()} + 1);
    Reading reading(reader->database, made->sums, is_over, context);
    reading.posting_lists();
    reading.values(slots);
    reading.documents();
    *out = made.release();
  });
}

void cx_free_fingerprints(cx_fingerprints *fingerprints) noexcept { delete fingerprints; }

uint64_t cx_stored_fingerprint(const cx_fingerprints *fingerprints, uint32_t number) noexcept {
  return number < fingerprints->sums.size() ? fingerprints->sums[number] : 0;
}

int cx_find(cx_database *database, const char *unique, size_t length, uint32_t *number, cx_error *error) noexcept {
  return guard_reading(database, error, [&] {
    const std::string term(unique, length);
    go_to_postings(database->database, term);
    *number = find(database->database, term);
  });
}

int cx_make_fingerprint(cx_database *database, const char *unique, size_t unique_length, const char *bytes,
                        const cx_part *parts, size_t count, uint64_t *out, cx_error *error) noexcept {
  return guard(error, [&] {
    *out = fingerprint(make_document(database, std::string(unique, unique_length), bytes, parts, count));
  });
}

}  // extern "C"
