// The posting source of CX_QUERY_DATABASES: every document of some of the databases that are searched together.
#include "internal.h"

#include <memory>
#include <unordered_set>
#include <utility>

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

}  // namespace

Xapian::Query databases(const std::string &uuids, bool with_remote) {
  return Xapian::Query((new DatabasesSource(DatabasesSource::parse(uuids), with_remote))->release());
}

}  // namespace cx
