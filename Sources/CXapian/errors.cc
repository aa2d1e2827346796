// SPDX-License-Identifier: MIT

// Errors: what an exception of Xapian means as a code of cxapian.h.
#include "internal.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

namespace cx {

static void describe(cx_error *error, int code, const char *type, const std::string &message,
                     const std::string &remote = std::string()) noexcept {
  if (!error) return;
  error->code = code;
  std::snprintf(error->remote, sizeof error->remote, "%s", remote.c_str());
  std::snprintf(error->type, sizeof error->type, "%s", type);
  std::snprintf(error->message, sizeof error->message, "%s", message.c_str());
}

/// Xapian keeps the number of the system's error, but not if an error follows another: a commit fails and the previous
/// revision cannot be opened either, or a lock file cannot be made. Then only the message contains the system's text.
int system_error(const Xapian::Error &thrown) {
  const int last = 133;  // EHWPOISON
  const char *system = thrown.get_error_string();
  // Messages of other kinds of errors may contain words of a query.
  const bool is_of_database = std::strncmp(thrown.get_type(), "Database", 8) == 0;
  for (int number = 1; number <= last; number++) {
    const char *text = std::strerror(number);
    if (system ? std::strcmp(system, text) == 0 : is_of_database && thrown.get_msg().find(text) != std::string::npos)
      return number;
  }
  return 0;
}

int code_of(const Xapian::Error &thrown) {
  const std::string type = thrown.get_type(), message = thrown.get_msg();
  const char *system = thrown.get_error_string();
  const bool is_of_network = type == "NetworkError" || type == "NetworkTimeoutError";
  const int number = system_error(thrown);
  if (is_full(number) && !is_of_network) return CX_FULL;
  switch (number) {
    case EMFILE: case ENFILE: case ENOMEM: return CX_LIMIT;
    case EACCES: case EPERM: case EROFS:
      if (!is_of_network) return CX_DENIED;
      break;
    // Not an error of the system, or a file of the database is missing.
    case 0: case ENOENT: case ENOTDIR: break;
    // The disk or a limit of the process: not a sign of damage.
    default:
      if (!is_of_network) return CX_OTHER;
  }
  if (is_of_network) return CX_UNREACHABLE;
  // Data or a value of more than 130 MB.
  if (type == "UnimplementedError" && message.find("insanely large") != std::string::npos) return CX_INVALID;
  // A database written in bulk cannot be rolled back, and Xapian reports only that, not the error before it.
  if (type == "InvalidOperationError" && message.find("cancel() not supported") != std::string::npos) return CX_INVALID;
  // Xapian also reports a lock error if the directory was removed or the process has too many open files.
  if (type == "DatabaseLockError" && message.find("too many open files") != std::string::npos) return CX_LIMIT;
  if (type == "DatabaseLockError") return message.find(": already locked") != std::string::npos ? CX_LOCKED : CX_OTHER;
  if (type == "DatabaseModifiedError") return CX_MODIFIED;
  if (type == "DatabaseNotFoundError") return CX_MISSING;
  if (type == "DatabaseCorruptError" || type == "DatabaseVersionError" || type == "SerialisationError" ||
      type == "RangeError" || type == "UnimplementedError" || type == "DatabaseOpeningError" ||
      type == "FeatureUnavailableError" ||  // a file of the database is missing
      type == "DocNotFoundError")           // the number comes from another table of the same database
    return CX_CORRUPT;
  // Not an error of the system: a block lies beyond the end of a truncated file.
  if (type == "DatabaseError" && !system) return CX_CORRUPT;
  if (type == "InvalidArgumentError" || type == "WildcardError" || type == "QueryParserError") return CX_INVALID;
  return CX_OTHER;
}

int report_exception(cx_error *error) noexcept {
  try {
    throw;
  } catch (const Xapian::Error &thrown) {
    int code = CX_OTHER;
    try {
      code = code_of(thrown);
      const char *system = thrown.get_error_string();
      describe(error, code, thrown.get_type(), thrown.get_msg() + (system ? std::string(": ") + system : ""),
               remote_of(thrown));
    } catch (...) {
      describe(error, code, thrown.get_type(), "");
    }
    return code;
  } catch (const std::bad_alloc &) {
    describe(error, CX_LIMIT, "bad_alloc", "out of memory");
    return CX_LIMIT;
  } catch (const std::exception &thrown) {
    describe(error, CX_OTHER, "exception", thrown.what());
  } catch (...) {
    describe(error, CX_OTHER, "unknown", "unknown C++ exception");
  }
  return CX_OTHER;
}

}  // namespace cx
