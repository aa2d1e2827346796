// Ranking: how relevant a document is to a query. BM25 weighs the words; boosts add to it by a number of the document.
#include "internal.h"

#include <algorithm>
#include <cmath>

namespace cx {
namespace {

/// Matches every document and adds a weight to it. In an OP_AND it acts as the right side of an OP_AND_MAYBE, which
/// Xapian 1.4 must not be given: with OP_AND_MAYBE it may miss the best documents.
class BoostSource : public Xapian::PostingSource {
  Xapian::docid last = 0;

 protected:
  Xapian::Database database;
  Xapian::docid at = 0;
  const double maximum;

  explicit BoostSource(double maximum) : maximum(maximum) {}

 public:
  void init(const Xapian::Database &from) override {
    database = from;
    at = 0;
    last = database.get_lastdocid();
    set_maxweight(maximum);
  }
  Xapian::doccount get_termfreq_min() const override { return database.get_doccount(); }
  Xapian::doccount get_termfreq_est() const override { return database.get_doccount(); }
  Xapian::doccount get_termfreq_max() const override { return database.get_doccount(); }
  void next(double) override { at++; }
  void skip_to(Xapian::docid least, double) override { at = std::max(at, least); }
  bool check(Xapian::docid least, double) override {
    at = std::max(at, least);
    return true;
  }
  bool at_end() const override { return at > last; }
  Xapian::docid get_docid() const override { return at; }
};

/// Boosts a document by the number in a value slot; a document without a number gets nothing.
class NumberBoost : public BoostSource {
  mutable Xapian::ValueIterator value;
  mutable bool has_started = false;

 protected:
  const Xapian::valueno slot;

  NumberBoost(Xapian::valueno slot, double maximum) : BoostSource(maximum), slot(slot) {}

  /// The part of the maximum that a number earns: 0 to 1.
  virtual double share(double number) const = 0;

 public:
  void init(const Xapian::Database &from) override {
    BoostSource::init(from);
    has_started = false;
  }
  double get_weight() const override {
    if (!has_started) value = database.valuestream_begin(slot);
    has_started = true;
    const Xapian::ValueIterator end = database.valuestream_end(slot);
    if (value != end) value.skip_to(at);
    if (value == end || value.get_docid() != at) return 0;
    return maximum * std::clamp(share(number_of(*value)), 0.0, 1.0);
  }
};

/// The maximum at or above `newest`, halving every `half` below it.
class RecencyBoost : public NumberBoost {
  const double newest, half;

 public:
  RecencyBoost(Xapian::valueno slot, double newest, double half, double weight)
      : NumberBoost(slot, weight), newest(newest), half(half) {}
  double share(double number) const override { return number >= newest ? 1 : std::exp2((number - newest) / half); }
  PostingSource *clone() const override { return new RecencyBoost(slot, newest, half, maximum); }
};

/// Proportional to the logarithm of the number, with the maximum at `highest`; nothing for 0 and below.
class MagnitudeBoost : public NumberBoost {
  const double highest;

 public:
  MagnitudeBoost(Xapian::valueno slot, double highest, double weight) : NumberBoost(slot, weight), highest(highest) {}
  double share(double number) const override { return number > 0 ? std::log1p(number) / std::log1p(highest) : 0; }
  PostingSource *clone() const override { return new MagnitudeBoost(slot, highest, maximum); }
};

}  // namespace

/// The indexed word frequencies already contain the normalisation by field length, scaled so that a word that occurs once
/// counts 16. So b is 0, and k1 is 16 times the usual 1.2.
Xapian::BM25Weight ranking() { return Xapian::BM25Weight(16 * 1.2, 0, 1, 0, 0.5); }

Xapian::Query recency_boost(const cx_query_node &node) {
  return Xapian::Query((new RecencyBoost(node.slot, node.low, node.high, node.weight))->release());
}

Xapian::Query magnitude_boost(const cx_query_node &node) {
  return Xapian::Query((new MagnitudeBoost(node.slot, node.high, node.weight))->release());
}

}  // namespace cx
