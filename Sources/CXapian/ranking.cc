// SPDX-License-Identifier: MIT

// Ranking: how relevant a document is to a query. BM25 weighs the words; boosts add to it by a number of the document.
#include "internal.h"

#include <algorithm>
#include <cmath>

namespace cx {
namespace {

/// Matches every document and adds a weight to it. In an OP_AND it acts as the right side of an OP_AND_MAYBE, which
/// Xapian 1.4 must not be given: with OP_AND_MAYBE it may miss the best documents.
class BoostSource : public EveryDocument {
 protected:
  Xapian::Database database;
  const double maximum;

  // The documents of other machines get their boosts after the search (query.cc).
  explicit BoostSource(double maximum) : EveryDocument(true), maximum(maximum) {}

 public:
  void init(const Xapian::Database &from) override {
    database = from;
    at = 0;
    last = database.get_lastdocid();
    count = database.get_doccount();
    set_maxweight(maximum);
  }
};

/// The part of the maximum that a number earns: 0 to 1. A document without a number gets nothing.
double share(const cx_query_node &node, const std::string &bytes) {
  if (bytes.empty()) return 0;
  const double number = number_of(bytes);
  double share = 0;
  if (node.kind == CX_QUERY_RECENCY_BOOST) {
    share = number >= node.low ? 1 : std::exp2((number - node.low) / node.high);
  } else if (number > 0) {
    share = std::log1p(number) / std::log1p(node.high);
  }
  return std::clamp(share, 0.0, 1.0);
}

/// Boosts a document by the number in a value slot.
class NumberBoost : public BoostSource {
  mutable Xapian::ValueIterator value;
  mutable bool has_started = false;
  const cx_query_node node;

 public:
  explicit NumberBoost(const cx_query_node &node) : BoostSource(node.weight), node(node) {}
  void init(const Xapian::Database &from) override {
    BoostSource::init(from);
    has_started = false;
  }
  double get_weight() const override {
    if (!has_started) value = database.valuestream_begin(node.slot);
    has_started = true;
    const Xapian::ValueIterator end = database.valuestream_end(node.slot);
    if (value != end) value.skip_to(at);
    if (value == end || value.get_docid() != at) return 0;
    return maximum * share(node, *value);
  }
  PostingSource *clone() const override { return new NumberBoost(node); }
};

}  // namespace

/// The indexed word frequencies already contain the normalisation by field length, scaled so that a word that occurs once
/// counts 16. So b is 0, and k1 is 16 times the usual 1.2.
static const double k1 = 16 * 1.2;

Xapian::BM25Weight ranking() { return Xapian::BM25Weight(k1, 0, 1, 0, 0.5); }

WordWeight::WordWeight(Xapian::doccount documents, Xapian::doccount matches) {
  const double odds = (documents - matches + 0.5) / (matches + 0.5);
  // As Xapian's BM25: words in most documents have a small positive weight.
  whole = std::log(odds < 2 ? odds * 0.5 + 1 : odds) * (k1 + 1);
}

double WordWeight::operator()(Xapian::termcount frequency) const { return whole * (frequency / (k1 + frequency)); }

bool is_boost(const cx_query_node &node) {
  return node.kind == CX_QUERY_RECENCY_BOOST || node.kind == CX_QUERY_MAGNITUDE_BOOST;
}

Xapian::Query boost(const cx_query_node &node) { return Xapian::Query((new NumberBoost(node))->release()); }

double boost_of(const cx_query_node &node, const Xapian::Document &document) {
  return node.weight * share(node, document.get_value(node.slot));
}

}  // namespace cx
