// SPDX-License-Identifier: MIT

// Queries: built from nodes in postfix order, and run.
#include "internal.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <vector>

using namespace cx;

namespace {

Xapian::Query range(const cx_query_node &node, const std::string &bounds) {
  if (node.count > bounds.size()) throw Xapian::InvalidArgumentError("malformed query");
  const std::string low = bounds.substr(0, node.count), high = bounds.substr(node.count);
  if (high.empty()) return Xapian::Query(Xapian::Query::OP_VALUE_GE, node.slot, low);
  return Xapian::Query(Xapian::Query::OP_VALUE_RANGE, node.slot, low, high);
}

std::vector<std::string> terms_of(const std::vector<Xapian::Query> &queries) {
  std::vector<std::string> terms;
  for (const Xapian::Query &query : queries) {
    if (query.get_type() != Xapian::Query::LEAF_TERM) throw Xapian::InvalidArgumentError("malformed query");
    terms.push_back(*query.get_terms_begin());
  }
  return terms;
}

Xapian::Query make_query(const Xapian::Database &database, const char *bytes, const cx_query_node *nodes, size_t count) {
  using Xapian::Query;
  std::vector<Query> stack;
  for (size_t index = 0; index < count; index++) {
    const cx_query_node &node = nodes[index];
    const std::string term(bytes + node.offset, node.length);
    size_t operands = node.kind < CX_QUERY_PHRASE ? 0 : node.kind < CX_QUERY_AND_NOT ? node.count : 2;
    if (operands > stack.size()) throw Xapian::InvalidArgumentError("malformed query");
    std::vector<Query> taken(stack.end() - static_cast<long>(operands), stack.end());
    stack.resize(stack.size() - operands);
    Query made;
    switch (node.kind) {
      case CX_QUERY_TERM: made = Query(term); break;
      case CX_QUERY_WILDCARD: made = Query(Query::OP_WILDCARD, term); break;
      case CX_QUERY_RANGE: made = range(node, term); break;
      case CX_QUERY_EVERYTHING: made = Query(std::string()); break;  // Query::MatchAll counts references without a lock
      case CX_QUERY_NOTHING: made = Query::MatchNothing; break;
      case CX_QUERY_RECENCY_BOOST: case CX_QUERY_MAGNITUDE_BOOST: made = boost(node); break;
      case CX_QUERY_VALUE_SET: made = value_set(node, term); break;
      case CX_QUERY_DATABASES: made = databases(term, node.count != 0); break;
      case CX_QUERY_DOCUMENTS: made = documents(term); break;
      case CX_QUERY_PHRASE:
        made = Query(Query::OP_PHRASE, taken.begin(), taken.end(), static_cast<Xapian::termcount>(taken.size()));
        break;
      case CX_QUERY_AND: made = Query(Query::OP_AND, taken.begin(), taken.end()); break;
      case CX_QUERY_OR: made = Query(Query::OP_OR, taken.begin(), taken.end()); break;
      case CX_QUERY_SCALE: made = Query(Query::OP_SCALE_WEIGHT, taken[0], node.weight); break;
      case CX_QUERY_AND_NOT: made = Query(Query::OP_AND_NOT, taken[0], taken[1]); break;
      // Not OP_MAX, which can end the process.
      case CX_QUERY_SYNONYM: made = Query(Query::OP_SYNONYM, taken.begin(), taken.end()); break;
      case CX_QUERY_WORD: made = word(database, terms_of(taken)); break;
      case CX_QUERY_PREFIXES: made = prefixes(database, terms_of(taken)); break;
      case CX_QUERY_NEAR: made = Query(Query::OP_NEAR, taken.begin(), taken.end(), node.slot); break;
      case CX_QUERY_FILTER: made = Query(Query::OP_FILTER, taken[0], taken[1]); break;
      default: throw Xapian::InvalidArgumentError("unknown kind of query node");
    }
    stack.push_back(made);
  }
  if (stack.size() != 1) throw Xapian::InvalidArgumentError("malformed query");
  return stack.front();
}

/// The documents of one page, in order. If the query has boosts and a database is on another machine, the boosts of its
/// documents are added here, to some more documents than the page has.
std::vector<Found> page(const cx_database &reader, Xapian::Enquire &enquire, const cx_query_node *nodes, size_t count,
                        uint32_t offset, uint32_t limit, uint32_t check_at_least, uint32_t identity_slot, int sort,
                        uint32_t *matches) {
  const uint32_t further = 200;
  const bool adds_boosts = reader.is_remote && sort == CX_BY_RELEVANCE && limit > 0 &&
                           std::any_of(nodes, nodes + count, is_boost);
  const uint32_t end = offset + std::min(limit, UINT32_MAX - further - offset) + further;
  const Xapian::MSet set =
      adds_boosts ? enquire.get_mset(0, end, check_at_least) : enquire.get_mset(offset, limit, check_at_least);
  *matches = set.get_matches_estimated();
  std::vector<Found> found;
  for (Xapian::MSetIterator match = set.begin(); match != set.end(); ++match) {
    check_deadline(reader);
    const Xapian::Document document = match.get_document();
    // The matcher has read the identities to order the hits: they are its sort keys. Each read from the document again
    // would cost a block of the index.
    std::string identity = sort == CX_BY_RELEVANCE ? match.get_sort_key() : std::string();
    if (identity.empty()) identity = document.get_value(identity_slot);
    found.push_back({match.get_weight(), *match, identity, document});
  }
  if (!adds_boosts) return found;
  for (Found &one : found) {
    if (remote_of(reader, one.id).empty()) continue;
    for (size_t at = 0; at < count; at++)
      if (is_boost(nodes[at])) one.score += boost_of(nodes[at], one.document);
  }
  std::sort(found.begin(), found.end(), precedes);
  const size_t first = std::min<size_t>(offset, found.size());
  return std::vector<Found>(found.begin() + static_cast<long>(first),
                            found.begin() + static_cast<long>(std::min<size_t>(first + limit, found.size())));
}

}  // namespace

extern "C" {

int cx_search(cx_database *reader, const char *bytes, const cx_query_node *nodes, size_t count, uint32_t offset,
              uint32_t limit, uint32_t check_at_least, uint32_t identity_slot, uint32_t sort_slot, int sort,
              int wants_data, cx_hits *out, cx_error *error) noexcept {
  return guard_reading(reader, error, [&] {
    Xapian::Enquire enquire(reader->database);
    enquire.set_weighting_scheme(ranking());
    enquire.set_query(make_query(reader->database, bytes, nodes, count));
    Xapian::MultiValueKeyMaker order;
    if (sort != CX_BY_RELEVANCE && reader->is_remote) {
      enquire.set_sort_by_value(sort_slot, sort == CX_DESCENDING);
    } else if (sort != CX_BY_RELEVANCE) {
      // Documents without a value come last in both directions.
      const bool descends = sort == CX_DESCENDING;
      order.add_value(sort_slot, descends, descends ? std::string() : std::string(16, '\xff'));
      order.add_value(identity_slot);
      enquire.set_sort_by_key_then_relevance(&order, false);
    } else {
      enquire.set_sort_by_relevance_then_value(identity_slot, false);
    }
    // The matches of several databases cannot be told apart while they are found.
    const bool is_single = sort == CX_BY_RELEVANCE && reader->database.size() == 1 && !reader->is_remote;
    const std::vector<Found> found =
        is_single
            ? best_hits(reader->database, enquire, offset, limit, check_at_least, identity_slot, &out->matches)
            : page(*reader, enquire, nodes, count, offset, limit, check_at_least, identity_slot, sort, &out->matches);
    std::string text;
    std::vector<cx_hit> hits;
    for (const Found &one : found) {
      const std::string &identity = one.identity;
      // The content of a document of another machine has come with it.
      const bool has_data = wants_data || !remote_of(*reader, one.id).empty();
      const Xapian::Document document =
          is_single && has_data ? reader->database.get_document(one.id, Xapian::DOC_ASSUME_VALID) : one.document;
      const std::string data = has_data ? document.get_data() : std::string();
      const std::string values = has_data ? values_of(document) : std::string();
      const std::string value = sort == CX_BY_RELEVANCE ? std::string() : document.get_value(sort_slot);
      const size_t data_offset = text.size() + identity.size();
      hits.push_back({one.score, text.size(), identity.size(), data_offset, data.size(),
                      data_offset + data.size(), values.size(), data_offset + data.size() + values.size(), value.size(),
                      one.id});
      text += identity + data + values + value;
    }
    out->count = hits.size();
    out->hits = static_cast<cx_hit *>(std::malloc(std::max<size_t>(1, hits.size()) * sizeof(cx_hit)));
    if (!out->hits) throw std::bad_alloc();
    std::copy(hits.begin(), hits.end(), out->hits);
    try {
      copy(text, &out->bytes);
    } catch (...) {
      std::free(out->hits);
      out->hits = nullptr;
      throw;
    }
  });
}

void cx_hits_free(cx_hits *hits) noexcept {
  std::free(hits->hits);
  hits->hits = nullptr;
  cx_text_free(&hits->bytes);
}

int cx_each_match(cx_database *reader, const char *bytes, const cx_query_node *nodes, size_t count,
                  const uint32_t *slots, size_t slot_count, void *context,
                  int (*visit)(void *context, const cx_bytes *values), cx_error *error) noexcept {
  struct Spy : Xapian::MatchSpy {
    std::vector<uint32_t> slots;
    std::vector<std::string> values;
    std::vector<cx_bytes> visible;
    void *context;
    int (*visit)(void *, const cx_bytes *);
    bool is_over = false;
    void operator()(const Xapian::Document &document, double) override {
      if (is_over) return;
      for (size_t at = 0; at < slots.size(); at++) {
        values[at] = document.get_value(slots[at]);
        visible[at] = {values[at].data(), values[at].size()};
      }
      is_over = visit(context, visible.data()) != 0;
    }
  };
  return guard(error, [&] {
    Xapian::Enquire enquire(reader->database);
    enquire.set_weighting_scheme(Xapian::BoolWeight());
    enquire.set_query(make_query(reader->database, bytes, nodes, count));
    Spy spy;
    spy.slots.assign(slots, slots + slot_count);
    spy.values.resize(slot_count);
    spy.visible.resize(slot_count);
    spy.context = context;
    spy.visit = visit;
    if (reader->is_remote) {
      const Xapian::MSet all = enquire.get_mset(0, reader->database.get_doccount());
      for (Xapian::MSetIterator match = all.begin(); match != all.end() && !spy.is_over; ++match) {
        check_deadline(*reader);
        spy(match.get_document(), 0);
      }
      return;
    }
    enquire.add_matchspy(&spy);
    enquire.get_mset(0, 0, reader->database.get_doccount());
  });
}

}  // extern "C"
