// SPDX-License-Identifier: MIT

// The posting source of CX_QUERY_WORD: a word that has a term in each of several fields.
#include "internal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace cx {
namespace {

/// Maximum number of posting lists that are merged.
const size_t most_lists = 128;

/// Merges the posting lists of the terms, and adds the frequencies of each document. Xapian skips matches of a posting
/// source that cannot be among the best hits. For its own OP_SYNONYM, version 1.4 does that wrongly in some queries.
///
/// For more lists, `any_term` is faster.
class WordSource : public Xapian::PostingSource {
  /// A posting list, and the document at which it is.
  struct List {
    Xapian::docid id;
    uint32_t number;
  };

  const std::vector<std::string> terms;
  const WordWeight weight;
  const double maximum;
  std::vector<Xapian::PostingIterator> postings;
  /// A heap with the lowest document on top.
  std::vector<List> lists;
  bool has_started = false;
  Xapian::doccount least = 0, most = 0, expected = 0;

  /// Moves the lists that are before `id` to it, or beyond, and drops those that end.
  void advance(Xapian::docid id) {
    while (!lists.empty() && lists.front().id < id) {
      List &first = lists.front();
      Xapian::PostingIterator &posting = postings[first.number];
      if (first.id + 1 == id) {
        ++posting;
      } else {
        posting.skip_to(id);
      }
      if (posting == Xapian::PostingIterator()) {
        first = lists.back();
        lists.pop_back();
      } else {
        first.id = *posting;
      }
      sink(0);
    }
  }

  /// Restores the heap below a list whose document has become higher.
  void sink(size_t at) {
    for (size_t least = at;; at = least) {
      for (size_t below : {2 * at + 1, 2 * at + 2})
        if (below < lists.size() && lists[below].id < lists[least].id) least = below;
      if (least == at) return;
      std::swap(lists[at], lists[least]);
    }
  }

  /// The frequency in the current document, of the list at an index of the heap and of those below it.
  Xapian::termcount frequency(size_t at) const {
    if (at >= lists.size() || lists[at].id != lists.front().id) return 0;
    return postings[lists[at].number].get_wdf() + frequency(2 * at + 1) + frequency(2 * at + 2);
  }

  /// How many lists are at the current document: that at an index of the heap, and those below it.
  uint64_t lists_at(size_t at) const {
    if (at >= lists.size() || lists[at].id != lists.front().id) return 0;
    return 1 + lists_at(2 * at + 1) + lists_at(2 * at + 2);
  }

 public:
  WordSource(std::vector<std::string> terms, WordWeight weight, double maximum)
      : terms(std::move(terms)), weight(weight), maximum(maximum) {}

  void init(const Xapian::Database &from) override {
    has_started = false;
    set_maxweight(maximum);
    lists.clear();
    postings.clear();
    std::vector<Xapian::doccount> frequencies{0};
    for (const std::string &term : terms) {
      // Before the list is opened, as in `go_to_postings`.
      const Xapian::doccount frequency = from.get_termfreq(term);
      Xapian::PostingIterator posting = from.postlist_begin(term);
      if (posting == Xapian::PostingIterator()) continue;
      frequencies.push_back(frequency);
      lists.push_back({*posting, static_cast<uint32_t>(postings.size())});
      postings.push_back(posting);
    }
    for (size_t at = lists.size(); at > 0; at--) sink(at - 1);
    const Xapian::doccount documents = from.get_doccount();
    uint64_t sum = 0;
    for (Xapian::doccount frequency : frequencies) sum += frequency;
    least = *std::max_element(frequencies.begin(), frequencies.end());
    most = static_cast<Xapian::doccount>(std::min<uint64_t>(sum, documents));
    expected = union_of(frequencies, documents);
  }
  Xapian::doccount get_termfreq_min() const override { return least; }
  Xapian::doccount get_termfreq_est() const override { return expected; }
  Xapian::doccount get_termfreq_max() const override { return most; }

  void next(double) override {
    if (has_started) advance(lists.front().id + 1);
    has_started = true;
  }
  void skip_to(Xapian::docid id, double) override {
    has_started = true;
    advance(id);
  }
  bool at_end() const override { return has_started && lists.empty(); }
  Xapian::docid get_docid() const override { return lists.front().id; }
  double get_weight() const override {
    return weight(frequency(0));
  }
  PostingSource *clone() const override { return new WordSource(terms, weight, maximum); }

  struct Share {
    uint64_t postings = 0, documents = 0;
  };

  /// Reads documents until they have `limit` postings, and returns how many of both it read.
  Share count(uint64_t limit) {
    Share share;
    for (; !lists.empty() && share.postings < limit; share.documents++) {
      share.postings += lists_at(0);
      advance(lists.front().id + 1);
    }
    return share;
  }

  /// The expected number of documents with any of the terms if the terms are independent of each other, as Xapian
  /// computes it for OP_SYNONYM.
  static Xapian::doccount union_of(const std::vector<Xapian::doccount> &frequencies, Xapian::doccount documents) {
    if (documents == 0) return 0;
    double found = 0;
    for (Xapian::doccount frequency : frequencies)
      found = std::floor(found + frequency - found * frequency / documents + 0.5);
    return static_cast<Xapian::doccount>(found);
  }
};

}  // namespace

/// The number of documents with any of the terms. In long posting lists it counts those of the first postings, and
/// expects the same share of the rest.
static Xapian::doccount matches_of(const Xapian::Database &database, const std::vector<std::string> &terms) {
  std::vector<Xapian::doccount> frequencies;
  uint64_t sum = 0;
  for (const std::string &term : terms) {
    frequencies.push_back(database.get_termfreq(term));
    sum += frequencies.back();
  }
  const Xapian::doccount documents = database.get_doccount();
  // Opening the lists of very many databases takes longer than the number is worth.
  if (terms.size() == 1 || database.size() > 64) return WordSource::union_of(frequencies, documents);
  WordSource source(terms, WordWeight(documents, documents), 0);
  source.init(database);
  const WordSource::Share share = source.count(2000);
  if (share.postings == sum || share.postings == 0) return share.documents;
  return static_cast<Xapian::doccount>(std::min<uint64_t>(sum * share.documents / share.postings, documents));
}

Xapian::Query word(const Xapian::Database &database, std::vector<std::string> terms) {
  if (terms.empty()) return Xapian::Query::MatchNothing;
  if (terms.size() > most_lists) return any_term(std::move(terms), database.get_doccount());
  // Each look-up reads every database, so that of many databases the bound is not looked up.
  const bool is_group = database.size() > 2;
  Xapian::termcount bound = is_group ? std::numeric_limits<Xapian::termcount>::max() : 0;
  if (!is_group)
    for (const std::string &term : terms) bound += database.get_wdf_upper_bound(term);
  const WordWeight weight(database.get_doccount(), matches_of(database, terms));
  return Xapian::Query((new WordSource(terms, weight, weight(bound)))->release());
}

}  // namespace cx
