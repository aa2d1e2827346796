// SPDX-License-Identifier: MIT

// The best hits of a query, found without reading the identities of all matches.
#include "internal.h"

#include <algorithm>
#include <functional>

namespace cx {
namespace {

struct Candidate {
  double score;
  Xapian::docid id;
};

/// The matcher then orders matches of equal relevance by number. It would read the identity of every match otherwise.
struct NoKey : Xapian::KeyMaker {
  std::string operator()(const Xapian::Document &) const override { return std::string(); }
};

/// Reads the values of a slot of documents with ascending numbers.
class Values {
  Xapian::ValueIterator value;
  const Xapian::ValueIterator end;

 public:
  Values(const Xapian::Database &database, Xapian::valueno slot)
      : value(database.valuestream_begin(slot)), end(database.valuestream_end(slot)) {}

  std::string operator[](Xapian::docid id) {
    if (value != end) value.skip_to(id);
    return value != end && value.get_docid() == id ? *value : std::string();
  }
};

/// Keeps the matches that may be among the first `wanted` in the order of relevance, then of identity.
///
/// Identities are compared at the end only. But if very many matches are tied at the last position, their identities
/// are compared earlier, so that few are kept.
class Candidates : public Xapian::MatchSpy {
  /// Maximum number of tied matches whose identities are not compared before the end.
  static constexpr size_t most_ties = 4'096;

  const Xapian::Database database;
  const Xapian::valueno identity_slot;
  const size_t wanted;
  /// In the order of their numbers.
  std::vector<Candidate> kept;
  /// How many are kept before the worst are dropped.
  size_t room;
  /// At least `wanted` matches have this score or a better one. Negative as long as fewer matches were seen.
  double least = -1;
  /// If it is not empty, only matches with a lower identity are wanted among those with the score `least`.
  std::string last;

 public:
  Candidates(const Xapian::Database &database, Xapian::valueno identity_slot, size_t wanted)
      : database(database), identity_slot(identity_slot), wanted(wanted), room(std::max<size_t>(2 * wanted, 1'000)) {}

  void operator()(const Xapian::Document &document, double score) override {
    if (score < least) return;
    if (score == least && !last.empty() && document.get_value(identity_slot) >= last) return;
    kept.push_back({score, document.get_docid()});
    if (kept.size() >= room) drop();
  }

  /// The wanted matches from `offset` on, in order.
  std::vector<Found> page(size_t offset) {
    drop();
    if (offset >= kept.size()) return {};
    std::vector<double> scores = all_scores();
    std::nth_element(scores.begin(), scores.begin() + static_cast<long>(offset), scores.end(), std::greater<double>());
    const double best = scores[offset];
    Values identities(database, identity_slot);
    std::vector<Found> found;
    size_t before = offset;
    for (const Candidate &one : kept) {
      if (one.score > best) {
        before--;
      } else {
        found.push_back({one.score, one.id, identities[one.id], {}});
      }
    }
    std::sort(found.begin(), found.end(), precedes);
    found.resize(std::min(found.size(), wanted - (offset - before)));
    found.erase(found.begin(), found.begin() + static_cast<long>(std::min(before, found.size())));
    return found;
  }

 private:
  std::vector<double> all_scores() const {
    std::vector<double> scores;
    scores.reserve(kept.size());
    for (const Candidate &one : kept) scores.push_back(one.score);
    return scores;
  }

  /// Drops matches that are not wanted.
  void drop() {
    if (kept.size() <= wanted) return;
    std::vector<double> scores = all_scores();
    const auto nth = scores.begin() + static_cast<long>(wanted) - 1;
    std::nth_element(scores.begin(), nth, scores.end(), std::greater<double>());
    if (*nth > least) last.clear();
    least = *nth;
    remove([this](const Candidate &one) { return one.score < least; });
    if (kept.size() > wanted + most_ties) drop_ties();
    room = std::max(room, kept.size() + std::max(wanted, most_ties));
  }

  /// Drops the matches with the score `least` whose identities are too high.
  void drop_ties() {
    Values identities(database, identity_slot);
    std::vector<std::pair<std::string, Xapian::docid>> ties;
    for (const Candidate &one : kept)
      if (one.score == least) ties.push_back({identities[one.id], one.id});
    const size_t above = kept.size() - ties.size();
    const auto nth = ties.begin() + static_cast<long>(wanted - above) - 1;
    std::nth_element(ties.begin(), nth, ties.end());
    last = nth->first;
    std::vector<Xapian::docid> dropped;
    for (auto tie = nth + 1; tie != ties.end(); ++tie) dropped.push_back(tie->second);
    std::sort(dropped.begin(), dropped.end());
    remove([&](const Candidate &one) { return std::binary_search(dropped.begin(), dropped.end(), one.id); });
  }

  template <class Condition>
  void remove(Condition condition) {
    kept.erase(std::remove_if(kept.begin(), kept.end(), condition), kept.end());
  }
};

}  // namespace

bool precedes(const Found &one, const Found &other) {
  if (one.score != other.score) return one.score > other.score;
  return one.identity != other.identity ? one.identity < other.identity : one.id < other.id;
}

std::vector<Found> best_hits(const Xapian::Database &database, Xapian::Enquire &enquire, uint32_t offset,
                             uint32_t limit, uint32_t check_at_least, uint32_t identity_slot, uint32_t *matches) {
  NoKey key;
  enquire.set_sort_by_relevance_then_key(&key, false);
  const uint64_t wanted = std::min<uint64_t>(uint64_t{offset} + limit, database.get_doccount());
  Candidates candidates(database, identity_slot, static_cast<size_t>(wanted));
  const bool has_hits = limit > 0 && wanted > offset;
  if (has_hits) enquire.add_matchspy(&candidates);
  *matches = enquire.get_mset(offset, limit, check_at_least).get_matches_estimated();
  return has_hits ? candidates.page(offset) : std::vector<Found>();
}

}  // namespace cx
