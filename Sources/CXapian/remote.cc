// SPDX-License-Identifier: MIT

// Databases of other machines, which Xapian's server offers. It knows Xapian's own classes alone.
#include "internal.h"

#include <climits>

using namespace cx;

namespace cx {
namespace {

const char *const network_prefix = "remote:tcp(";

/// No document has a value in this slot.
const Xapian::valueno unused_slot = UINT_MAX - 1;

}  // namespace

std::string remote_of(const Xapian::Error &thrown) {
  const std::string context = thrown.get_context(), prefix = network_prefix;
  if (context.compare(0, prefix.size(), prefix) != 0 || context.back() != ')') return std::string();
  return context.substr(prefix.size(), context.size() - prefix.size() - 1);
}

void check_deadline(const cx_database &database) {
  if (!database.is_remote || std::chrono::steady_clock::now() <= database.deadline) return;
  for (const std::string &remote : database.remotes)
    if (!remote.empty())
      throw Xapian::NetworkTimeoutError("the whole search took too long", network_prefix + remote + ")");
}

RemoteSource::RemoteSource(bool matches_all) {
  if (matches_all) {
    source.reset(new Xapian::FixedWeightPostingSource(0));
  } else {
    source.reset(new Xapian::ValueWeightPostingSource(unused_slot));
  }
}

std::string RemoteSource::name() const { return source->name(); }
std::string RemoteSource::serialise() const { return source->serialise(); }

}  // namespace cx

extern "C" {

int cx_open_remote(const char *host, uint32_t port, const cx_patience *patience, const char *stemmer, cx_database **out,
                   cx_error *error) noexcept {
  return guard(error, [&] {
    cx_database *made = new cx_database;
    try {
      made->path = std::string(host) + ":" + std::to_string(port);
      made->is_remote = made->is_pinned = true;
      made->remotes = {made->path};
      made->deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience->whole);
      made->database = Xapian::Remote::open(host, port, patience->reply, patience->connection);
      prepare(made, stemmer);
    } catch (...) {
      delete made;
      throw;
    }
    *out = made;
  });
}

}  // extern "C"
