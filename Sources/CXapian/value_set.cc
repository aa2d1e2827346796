// SPDX-License-Identifier: MIT

// The posting source of CX_QUERY_VALUE_SET: the documents whose value is one of a set.
#include "internal.h"

#include <algorithm>
#include <memory>
#include <unordered_set>
#include <utility>

namespace cx {
namespace {

/// Reads one stream of values, whereas an OR of terms would open a posting list for each value.
class ValueSetSource : public Xapian::PostingSource {
  using Values = std::unordered_set<std::string>;
  const Xapian::valueno slot;
  const std::shared_ptr<const Values> wanted;
  Xapian::Database database;
  Xapian::ValueIterator value, end;
  bool has_started = false;
  Xapian::doccount maximum = 0;

  ValueSetSource(Xapian::valueno slot, std::shared_ptr<const Values> wanted) : slot(slot), wanted(std::move(wanted)) {}

  void start() {
    if (has_started) return;
    value = database.valuestream_begin(slot);
    has_started = true;
  }

  void skip_unwanted() {
    while (value != end && wanted->count(*value) == 0) ++value;
  }

 public:
  ValueSetSource(Xapian::valueno slot, const std::string &values) : ValueSetSource(slot, parse(values)) {}

  static std::shared_ptr<const Values> parse(const std::string &bytes) {
    auto values = std::make_shared<Values>();
    for (size_t at = 0; at + 2 <= bytes.size();) {
      const size_t size = static_cast<unsigned char>(bytes[at]) | static_cast<unsigned char>(bytes[at + 1]) << 8;
      at += 2;
      if (size > bytes.size() - at) throw Xapian::InvalidArgumentError("malformed query");
      values->insert(bytes.substr(at, size));
      at += size;
    }
    return values;
  }

  void init(const Xapian::Database &from) override {
    database = from;
    has_started = false;
    maximum = std::min<size_t>(wanted->size(), database.get_value_freq(slot));
  }
  Xapian::doccount get_termfreq_min() const override { return 0; }
  Xapian::doccount get_termfreq_est() const override { return maximum; }
  Xapian::doccount get_termfreq_max() const override { return maximum; }

  void next(double) override {
    if (has_started) {
      ++value;
    } else {
      start();
    }
    skip_unwanted();
  }
  void skip_to(Xapian::docid least, double) override {
    start();
    if (value != end) value.skip_to(least);
    skip_unwanted();
  }
  bool check(Xapian::docid least, double) override {
    start();
    if (value == end) return true;
    if (!value.check(least)) return false;
    return value == end || wanted->count(*value) != 0;
  }
  bool at_end() const override { return has_started && value == end; }
  Xapian::docid get_docid() const override { return value.get_docid(); }
  PostingSource *clone() const override { return new ValueSetSource(slot, wanted); }
  // The values are those of records that a store on this machine has changed.
  std::string name() const override { return RemoteSource(false).name(); }
  std::string serialise() const override { return RemoteSource(false).serialise(); }
};

}  // namespace

Xapian::Query value_set(const cx_query_node &node, const std::string &values) {
  return Xapian::Query((new ValueSetSource(node.slot, values))->release());
}

}  // namespace cx
