// SPDX-License-Identifier: MIT

// Opening and closing databases, and reading again where a writer has overwritten the revision of a reader.
#include "internal.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <fstream>
#include <iterator>

using namespace cx;

namespace cx {

std::string version_file(const std::string &path) {
  std::ifstream file(path + "/iamglass", std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::vector<std::pair<std::string, uint64_t>> parts_of(const cx_database &reader) {
  if (reader.is_remote || !reader.parts.empty()) return reader.parts;
  return {{reader.path, reader.database.get_revision()}};
}

bool is_newest(const cx_database &reader) {
  if (reader.is_remote) return false;
  try {
    for (const auto &[path, revision] : parts_of(reader))
      if (Xapian::Database(path).get_revision() != revision) return false;
    return true;
  } catch (const Xapian::Error &) {
    return false;
  }
}

}  // namespace cx

/// Closes the files of a writer, and drops what it has not committed. Without a transaction Xapian commits when it closes,
/// and `cancel_transaction` reads the tables: if it fails, the destructor commits half of a batch to tables in no known
/// state, and may crash or never end.
///
/// A database in memory has no transactions, and stays open: a group may share it. Xapian's lock is released before the
/// destructor removes drafts, so who writes an index that is served holds the lock of its directory.
static void abandon(Xapian::WritableDatabase &writer, bool is_in_transaction) noexcept {
  if (writer.size() == 0) return;
  guard(nullptr, [&] {
    if (!is_in_transaction) writer.begin_transaction(false);
    writer.close();
  });
}

/// Closes the descriptor of a new version file, which Xapian 1.4 leaks when the sync of a table fails. Each failed commit
/// would leak one. No other writer of this database can be in the process.
static void close_leaked(const std::string &path) {
  char *resolved = realpath(path.c_str(), nullptr);
  if (!resolved) return;
  const std::string draft = std::string(resolved) + "/v.tmp";
  std::free(resolved);
  DIR *list = opendir("/proc/self/fd");
  if (!list) return;
  while (const dirent *entry = readdir(list)) {
    char target[PATH_MAX];
    const ssize_t length = readlinkat(dirfd(list), entry->d_name, target, sizeof target);
    const std::string file(target, static_cast<size_t>(std::max<ssize_t>(0, length)));
    if (file == draft || file == draft + " (deleted)") close(std::atoi(entry->d_name));
  }
  closedir(list);
}

extern "C" {

int cx_open_writer(const char *path, const char *stemmer, int mode, cx_database **out, cx_error *error) noexcept {
  remember(path);
  return guard(error, [&] {
    int flags = Xapian::DB_CREATE_OR_OPEN;
    if (mode != CX_DURABLE) flags |= Xapian::DB_NO_SYNC;
    if (mode == CX_RUN) flags |= Xapian::DB_DANGEROUS;
    cx_database *made = new cx_database;
    try {
      made->writable = Xapian::WritableDatabase(path, flags);
      made->database = made->writable;
      prepare(made, stemmer);
      made->path = path;
    } catch (...) {
      delete made;
      throw;
    }
    *out = made;
  });
}

int cx_open_reader(const char *path, const char *stemmer, cx_database **out, cx_error *error) noexcept {
  remember(path);
  return guard(error, [&] {
    // Without the permission to read the directory, Xapian reports that there is no database.
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode) && access(path, R_OK | X_OK) != 0 && errno == EACCES)
      throw Xapian::DatabaseOpeningError("the directory may not be read", errno);
    cx_database *made = new cx_database;
    try {
      made->path = path;
      made->database = retry_while_overwritten(made->path, [&](int) { return Xapian::Database(path); });
      prepare(made, stemmer);
    } catch (...) {
      delete made;
      throw;
    }
    *out = made;
  });
}

void cx_pin(cx_database *reader) noexcept { reader->is_pinned = true; }

int cx_open_overlay(cx_database *reader, const char *stemmer, cx_database **out, cx_error *error) noexcept {
  return guard(error, [&] {
    cx_database *made = new cx_database;
    try {
      made->writable = Xapian::WritableDatabase(std::string(), Xapian::DB_BACKEND_INMEMORY);
      made->writable.set_metadata(overlaid, reader->database.get_uuid());
      made->database = reader->database;
      made->parts = parts_of(*reader);
      made->database.add_database(made->writable);
      prepare(made, stemmer);
      made->path = reader->path;
      made->is_pinned = true;
    } catch (...) {
      delete made;
      throw;
    }
    *out = made;
  });
}

int cx_open_group(cx_database *const *readers, size_t count, const char *stemmer, cx_database **out,
                  cx_error *error) noexcept {
  return guard(error, [&] {
    cx_database *made = new cx_database;
    try {
      for (size_t at = 0; at < count; at++) {
        made->database.add_database(readers[at]->database);
        for (const auto &part : parts_of(*readers[at])) made->parts.push_back(part);
        made->remotes.resize(made->database.size(), readers[at]->is_remote ? readers[at]->path : std::string());
        if (!readers[at]->is_remote) continue;
        made->deadline = made->is_remote ? std::min(made->deadline, readers[at]->deadline) : readers[at]->deadline;
        made->is_remote = true;
      }
      // The databases share the numbers of documents in turn, and Xapian does not check that they suffice.
      for (size_t at = 0; at < count; at++)
        if (uint64_t{readers[at]->database.get_lastdocid()} * made->database.size() > UINT32_MAX)
          throw Xapian::RangeError("the databases have too many documents to be searched together");
      prepare(made, stemmer);
      made->is_pinned = true;
    } catch (...) {
      delete made;
      throw;
    }
    *out = made;
  });
}

void cx_close(cx_database *database) noexcept {
  abandon(database->writable, database->in_transaction);
  const std::string path = std::move(database->path);
  const bool has_failed = database->has_failed;
  guard(nullptr, [&] { delete database; });
  if (has_failed) guard(nullptr, [&] { close_leaked(path); });
}

int cx_reopen(cx_database *database, cx_error *error) noexcept {
  return guard(error, [&] { retry_while_overwritten(database->path, [&](int) { database->database.reopen(); }); });
}

int cx_check(const char *path, size_t *problems, cx_error *error) noexcept {
  return guard(error, [&] { *problems = Xapian::Database::check(path); });
}

}  // extern "C"
