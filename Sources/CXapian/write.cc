// SPDX-License-Identifier: MIT

// Writing: transactions, documents, metadata, and joining databases into one.
#include "internal.h"

#include <cstdlib>
#include <cstring>
#include <mutex>

using namespace cx;

extern "C" {

void cx_keep_changesets(int count) noexcept {
  static std::mutex mutex;
  static int kept = -1;
  try {
    const std::lock_guard<std::mutex> lock(mutex);
    // The environment is changed as rarely as possible, because other threads read it.
    if (kept == count) return;
    if (setenv("XAPIAN_MAX_CHANGESETS", std::to_string(count).c_str(), 1) == 0) kept = count;
  } catch (...) {
  }
}

int cx_begin(cx_database *writer, cx_error *error) noexcept {
  return guard(error, [&] {
    writer->writable.begin_transaction();
    writer->in_transaction = true;
  });
}

int cx_commit(cx_database *writer, cx_error *error) noexcept {
  const int code = guard(error, [&] {
    writer->in_transaction = false;
    writer->writable.commit_transaction();
  });
  writer->has_failed |= code != CX_OK;
  return code;
}

int cx_flush(cx_database *writer, cx_error *error) noexcept {
  const int code = guard(error, [&] { writer->writable.commit(); });
  writer->has_failed |= code != CX_OK;
  return code;
}

int cx_put(cx_database *writer, const char *unique, size_t unique_length, const char *bytes, const cx_part *parts,
           size_t count, cx_error *error) noexcept {
  return guard(error, [&] {
    const std::string term(unique, unique_length);
    writer->writable.replace_document(term, make_document(writer, term, bytes, parts, count));
  });
}

int cx_append(cx_database *writer, uint32_t number, const char *unique, size_t unique_length, const char *bytes,
              const cx_part *parts, size_t count, cx_error *error) noexcept {
  return guard(error, [&] {
    const std::string term(unique, unique_length);
    writer->writable.replace_document(number, make_document(writer, term, bytes, parts, count));
  });
}

int cx_remove(cx_database *writer, const char *unique, size_t unique_length, cx_error *error) noexcept {
  return guard(error, [&] { writer->writable.delete_document(std::string(unique, unique_length)); });
}

int cx_set_metadata(cx_database *writer, const char *key, const char *value, size_t length,
                    cx_error *error) noexcept {
  return guard(error, [&] { writer->writable.set_metadata(key, std::string(value, length)); });
}

int cx_join(
    const char *sources, size_t length, const char *path, int renumbers, int (*is_over)(void *), void *context,
    cx_error *error
) noexcept {
  struct Stoppable : Xapian::Compactor {
    int (*is_over)(void *);
    void *context;
    void set_status(const std::string &, const std::string &) override {
      if (is_over(context)) throw Xapian::DatabaseError("joining was stopped");
    }
  };
  return guard(error, [&] {
    Xapian::Database all;
    for (const char *at = sources; at < sources + length; at += std::strlen(at) + 1)
      all.add_database(Xapian::Database(at));
    Stoppable compactor;
    compactor.is_over = is_over;
    compactor.context = context;
    all.compact(path, renumbers ? 0 : Xapian::DBCOMPACT_NO_RENUMBER, 0, compactor);
  });
}

}  // extern "C"
