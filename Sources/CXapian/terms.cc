// SPDX-License-Identifier: MIT

// The posting source of a word that has very many terms, such as all that begin in one way.
#include "internal.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace cx {
namespace {

/// Reads the posting lists one after the other, and adds the frequencies of each document. A heap of as many lists would
/// hold a block of each, and compare documents at every step.
class TermsSource : public Xapian::PostingSource {
  /// The numbers of all databases that are searched together. All sources are initialised before the first match.
  struct Total {
    const Xapian::doccount documents;
    Xapian::doccount matches;
  };
  /// 0 for a document without any of the terms, otherwise one more than the sum of the frequencies.
  using Sum = uint16_t;
  static constexpr Sum highest = std::numeric_limits<Sum>::max();

  const std::shared_ptr<const std::vector<std::string>> terms;
  const std::shared_ptr<Total> total;
  /// By document number.
  std::vector<Sum> sums;
  Xapian::doccount matches = 0;
  Xapian::docid at = 0;
  std::optional<WordWeight> weight;
  /// Documents with lower sums have less than this weight.
  double least_weight = 0;
  Sum least = 1;

  /// The lowest sum with at least this weight.
  Sum sum_of(double wanted) const {
    Sum low = 1, high = highest;
    while (low < high) {
      const Sum middle = static_cast<Sum>(low + (high - low) / 2);
      if ((*weight)(middle - 1u) < wanted) {
        low = static_cast<Sum>(middle + 1);
      } else {
        high = middle;
      }
    }
    return low;
  }

  /// Goes to the first match from `id` on that has the weight, or a greater one.
  void seek(Xapian::docid id, double wanted) {
    if (!weight) weight = WordWeight(total->documents, total->matches);
    if (wanted != least_weight) least = sum_of(wanted);
    least_weight = wanted;
    for (at = id; at < sums.size() && sums[at] < least;) at++;
  }

 public:
  TermsSource(std::shared_ptr<const std::vector<std::string>> terms, std::shared_ptr<Total> total)
      : terms(std::move(terms)), total(std::move(total)) {}
  TermsSource(std::vector<std::string> terms, Xapian::doccount documents)
      : TermsSource(std::make_shared<const std::vector<std::string>>(std::move(terms)),
                    std::make_shared<Total>(Total{documents, 0})) {}

  void init(const Xapian::Database &from) override {
    sums.assign(size_t{from.get_lastdocid()} + 1, 0);
    matches = at = 0;
    Xapian::termcount most = 0;
    const Xapian::PostingIterator end;
    for (const std::string &term : *terms) {
      go_to_postings(from, term);
      for (Xapian::PostingIterator posting = from.postlist_begin(term); posting != end; ++posting) {
        Sum &sum = sums[*posting];
        if (sum == 0) matches++;
        sum = static_cast<Sum>(std::min<uint64_t>(highest, uint64_t{std::max<Sum>(sum, 1)} + posting.get_wdf()));
        most = std::max<Xapian::termcount>(most, sum - 1u);
      }
    }
    total->matches += matches;
    // With the matches of other databases, the word weighs less.
    set_maxweight(WordWeight(total->documents, matches)(most));
  }
  Xapian::doccount get_termfreq_min() const override { return matches; }
  Xapian::doccount get_termfreq_est() const override { return matches; }
  Xapian::doccount get_termfreq_max() const override { return matches; }
  void next(double wanted) override { seek(at + 1, wanted); }
  void skip_to(Xapian::docid id, double wanted) override { seek(std::max(at, id), wanted); }
  bool at_end() const override { return at >= sums.size(); }
  Xapian::docid get_docid() const override { return at; }
  double get_weight() const override { return (*weight)(sums[at] - 1u); }
  PostingSource *clone() const override { return new TermsSource(terms, total); }
};

}  // namespace

Xapian::Query any_term(std::vector<std::string> terms, Xapian::doccount documents) {
  return Xapian::Query((new TermsSource(std::move(terms), documents))->release());
}

Xapian::Query prefixes(const Xapian::Database &database, const std::vector<std::string> &prefixes) {
  std::vector<std::string> terms;
  for (const std::string &prefix : prefixes)
    terms.insert(terms.end(), database.allterms_begin(prefix), database.allterms_end(prefix));
  return word(database, std::move(terms));
}

}  // namespace cx
