// SPDX-License-Identifier: MIT

// The posting sources of CX_QUERY_DATABASES and CX_QUERY_DOCUMENTS: every document of some of the databases that are searched
// together, and some documents of one of them.
#include "internal.h"

#include <algorithm>
#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

namespace cx {
namespace {

/// Xapian gives each of the databases its own copy of the source.
class DatabasesSource : public EveryDocument {
  using Identities = std::unordered_set<std::string>;
  const std::shared_ptr<const Identities> wanted;
  const bool with_remote;

 public:
  DatabasesSource(std::shared_ptr<const Identities> wanted, bool with_remote)
      : EveryDocument(with_remote), wanted(std::move(wanted)), with_remote(with_remote) {}

  static std::shared_ptr<const Identities> parse(const std::string &bytes) {
    const size_t length = 36;
    if (bytes.size() % length != 0) throw Xapian::InvalidArgumentError("malformed query");
    auto identities = std::make_shared<Identities>();
    for (size_t start = 0; start < bytes.size(); start += length) identities->insert(bytes.substr(start, length));
    return identities;
  }

  void init(const Xapian::Database &from) override {
    at = 0;
    std::string identity = from.get_uuid();
    if (identity.empty()) identity = from.get_metadata(overlaid);
    const bool is_wanted = wanted->count(identity) != 0;
    last = is_wanted ? from.get_lastdocid() : 0;
    count = is_wanted ? from.get_doccount() : 0;
  }
  PostingSource *clone() const override { return new DatabasesSource(wanted, with_remote); }
};

/// The documents of ascending ranges of numbers of one database.
class DocumentsSource : public EveryDocument {
  struct Range {
    Xapian::docid first, last;
  };
  using Ranges = std::vector<Range>;
  const std::string identity;
  const std::shared_ptr<const Ranges> ranges;
  /// The first range that does not end before the current document.
  Ranges::const_iterator range;

  /// Moves from a document between two ranges to the next range.
  void settle() {
    while (range != ranges->end() && range->last < at) ++range;
    if (range == ranges->end()) {
      last = 0;
      at = 1;
    } else {
      at = std::max(at, range->first);
    }
  }

 public:
  DocumentsSource(std::string identity, std::shared_ptr<const Ranges> ranges)
      : EveryDocument(false), identity(std::move(identity)), ranges(std::move(ranges)) {}

  /// - bytes: The identity, then the first and the last number of each range, 4 bytes each, little-endian.
  static DocumentsSource *parse(const std::string &bytes) {
    const size_t length = 36;
    if (bytes.size() < length || (bytes.size() - length) % 8 != 0)
      throw Xapian::InvalidArgumentError("malformed query");
    const auto number = [&](size_t from) {
      Xapian::docid number = 0;
      for (size_t byte = 4; byte > 0; byte--) number = number << 8 | static_cast<unsigned char>(bytes[from + byte - 1]);
      return number;
    };
    auto ranges = std::make_shared<Ranges>();
    for (size_t at = length; at < bytes.size(); at += 8) ranges->push_back({number(at), number(at + 4)});
    return new DocumentsSource(bytes.substr(0, length), ranges);
  }

  void init(const Xapian::Database &from) override {
    const bool is_wanted = from.get_uuid() == identity;
    at = 0;
    count = 0;
    range = is_wanted ? ranges->begin() : ranges->end();
    last = range == ranges->end() ? 0 : from.get_lastdocid();
    for (auto one = range; one != ranges->end(); ++one) count += one->last - one->first + 1;
    count = std::min(count, from.get_doccount());
  }
  // Some numbers of a range may have no document.
  Xapian::doccount get_termfreq_min() const override { return 0; }
  void next(double least) override { skip_to(at + 1, least); }
  void skip_to(Xapian::docid least, double) override {
    at = std::max(at, least);
    settle();
  }
  bool check(Xapian::docid least, double weight) override {
    skip_to(least, weight);
    return true;
  }
  PostingSource *clone() const override { return new DocumentsSource(identity, ranges); }
};

}  // namespace

Xapian::Query databases(const std::string &uuids, bool with_remote) {
  return Xapian::Query((new DatabasesSource(DatabasesSource::parse(uuids), with_remote))->release());
}

Xapian::Query documents(const std::string &ranges) {
  return Xapian::Query(DocumentsSource::parse(ranges)->release());
}

}  // namespace cx
