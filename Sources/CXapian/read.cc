// SPDX-License-Identifier: MIT

// Reading: metadata, counts, values and terms.
#include "internal.h"

#include <cstdlib>
#include <cstring>
#include <new>

using namespace cx;

namespace cx {

void copy(const std::string &bytes, cx_text *out) {
  out->bytes = static_cast<char *>(std::malloc(bytes.size() + 1));
  if (!out->bytes) throw std::bad_alloc();
  std::memcpy(out->bytes, bytes.data(), bytes.size());
  out->bytes[bytes.size()] = 0;
  out->length = bytes.size();
}

Xapian::docid find(const Xapian::Database &database, const std::string &unique) {
  Xapian::PostingIterator posting = database.postlist_begin(unique);
  return posting == database.postlist_end(unique) ? 0 : *posting;
}

std::string values_of(const Xapian::Document &document) {
  std::string values;
  auto append = [&](uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) values += static_cast<char>(number >> shift & 0xff);
  };
  for (auto value = document.values_begin(); value != document.values_end(); ++value) {
    const std::string bytes = *value;
    append(value.get_valueno());
    append(static_cast<uint32_t>(bytes.size()));
    values += bytes;
  }
  return values;
}

double number_of(const std::string &bytes) {
  uint64_t bits = 0;
  for (size_t at = 0; at < 8; at++) bits = bits << 8 | (at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0);
  if (bytes.empty()) return 0;
  bits = bits >> 63 ? bits & ~(uint64_t{1} << 63) : ~bits;
  double number;
  std::memcpy(&number, &bits, sizeof number);
  return number;
}

}  // namespace cx

extern "C" {

void cx_text_free(cx_text *text) noexcept {
  std::free(text->bytes);
  text->bytes = nullptr;
  text->length = 0;
}

const char *cx_version(void) noexcept { return Xapian::version_string(); }

int cx_get_metadata(cx_database *database, const char *key, cx_text *out, cx_error *error) noexcept {
  return guard_reading(database, error, [&] { copy(database->database.get_metadata(key), out); });
}

int cx_metadata_keys(cx_database *database, const char *prefix, cx_text *out, cx_error *error) noexcept {
  return guard_reading(database, error, [&] {
    std::string keys;
    for (auto key = database->database.metadata_keys_begin(prefix); key != database->database.metadata_keys_end(prefix);
         ++key) {
      keys += *key;
      keys += '\0';
    }
    copy(keys, out);
  });
}

int cx_document_count(cx_database *database, uint32_t *out, cx_error *error) noexcept {
  return guard_reading(database, error, [&] { *out = database->database.get_doccount(); });
}

int cx_number_range(cx_database *database, uint32_t *first, uint32_t *last, cx_error *error) noexcept {
  return guard_reading(database, error, [&] {
    const Xapian::Database &db = database->database;
    *first = *last = 0;
    for (auto one = db.postlist_begin(std::string()); one != db.postlist_end(std::string()); ++one) {
      if (*first == 0) *first = *one;
      *last = *one;
    }
  });
}

int cx_revision(cx_database *database, uint64_t *out, cx_error *error) noexcept {
  return guard_reading(database, error, [&] {
    *out = database->is_remote ? 0 : static_cast<uint64_t>(database->database.get_revision());
  });
}

int cx_uuid(cx_database *database, cx_text *out, cx_error *error) noexcept {
  return guard_reading(database, error, [&] { copy(database->database.get_uuid(), out); });
}

int cx_get_value(cx_database *database, const char *unique, size_t unique_length, uint32_t slot, int *found,
                 cx_text *out, cx_error *error) noexcept {
  return guard_reading(database, error, [&] {
    const Xapian::docid id = find(database->database, std::string(unique, unique_length));
    *found = id != 0;
    copy(id ? database->database.get_document(id).get_value(slot) : std::string(), out);
  });
}

int cx_get_content(cx_database *database, const char *unique, size_t unique_length, int *found, cx_text *data,
                   cx_text *values, cx_error *error) noexcept {
  return guard_reading(database, error, [&] {
    const Xapian::docid id = find(database->database, std::string(unique, unique_length));
    *found = id != 0;
    const Xapian::Document document = id ? database->database.get_document(id) : Xapian::Document();
    copy(document.get_data(), data);
    copy(values_of(document), values);
  });
}

double cx_number(const char *bytes, size_t length) noexcept {
  try {
    return number_of(std::string(bytes, length));
  } catch (...) {
    return 0;
  }
}

int cx_each_value_of(cx_database *database, const char *term, size_t term_length, uint32_t slot, void *context,
                     int (*visit)(void *context, const char *bytes, size_t length), cx_error *error) noexcept {
  return guard(error, [&] {
    const Xapian::Database &db = database->database;
    const std::string wanted(term, term_length);
    for (auto posting = db.postlist_begin(wanted); posting != db.postlist_end(wanted); ++posting) {
      const std::string bytes = db.get_document(*posting, Xapian::DOC_ASSUME_VALID).get_value(slot);
      if (visit(context, bytes.data(), bytes.size()) != 0) return;
    }
  });
}

int cx_each_value(cx_database *database, uint32_t slot, void *context,
                  int (*visit)(void *context, const char *bytes, size_t length), cx_error *error) noexcept {
  return guard(error, [&] {
    const Xapian::Database &db = database->database;
    for (auto value = db.valuestream_begin(slot); value != db.valuestream_end(slot); ++value) {
      const std::string bytes = *value;
      if (visit(context, bytes.data(), bytes.size()) != 0) return;
    }
  });
}

int cx_first_term(cx_database *database, const char *prefix, size_t prefix_length, const char *from, size_t from_length,
                  int *found, cx_text *out, cx_error *error) noexcept {
  return guard_reading(database, error, [&] {
    const std::string wanted(prefix, prefix_length);
    // Another machine sends all terms with the prefix.
    Xapian::TermIterator term = database->database.allterms_begin(wanted);
    term.skip_to(std::string(from, from_length));
    *found = term != database->database.allterms_end(wanted);
    copy(*found ? *term : std::string(), out);
  });
}

int cx_term_frequency(cx_database *database, const char *term, size_t length, uint32_t *out,
                      cx_error *error) noexcept {
  return guard_reading(database, error,
                       [&] { *out = database->database.get_termfreq(std::string(term, length)); });
}

int cx_has_positions(cx_database *database, const char *term, size_t length, uint32_t limit, int *out,
                     cx_error *error) noexcept {
  return guard_reading(database, error, [&] {
    const Xapian::Database &db = database->database;
    const std::string wanted(term, length);
    *out = 0;
    uint32_t left = limit;
    for (auto posting = db.postlist_begin(wanted); left > 0 && posting != db.postlist_end(wanted); ++posting, --left) {
      if (db.positionlist_begin(*posting, wanted) == db.positionlist_end(*posting, wanted)) continue;
      *out = 1;
      return;
    }
  });
}

int cx_each_overlay_term(cx_database *database, void *context,
                         int (*visit)(void *context, const char *term, size_t length), cx_error *error) noexcept {
  return guard(error, [&] {
    for (auto term = database->writable.allterms_begin(); term != database->writable.allterms_end(); ++term) {
      const std::string bytes = *term;
      if (visit(context, bytes.data(), bytes.size()) != 0) return;
    }
  });
}

int cx_each_term(cx_database *database, const char *prefix, size_t prefix_length, const char *from, size_t from_length,
                 void *context, int (*visit)(void *context, const char *term, size_t length),
                 cx_error *error) noexcept {
  return guard(error, [&] {
    const std::string wanted(prefix, prefix_length);
    Xapian::TermIterator term = database->database.allterms_begin(wanted);
    term.skip_to(std::string(from, from_length));
    for (; term != database->database.allterms_end(wanted); ++term) {
      const std::string bytes = *term;
      if (visit(context, bytes.data(), bytes.size()) != 0) return;
    }
  });
}

}  // extern "C"
