#include "cxapian.h"

#include <dirent.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xapian.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

/// A writer or a reader. `database` is the same object as `writable` where there is a writer.
struct cx_database {
  Xapian::Database database;
  Xapian::WritableDatabase writable;
  Xapian::TermGenerator generator;
  Xapian::Stem stemmer;
  std::map<std::string, Xapian::Stem> stemmers;
  bool in_transaction = false;
  std::string path;
  bool has_failed = false;
  /// Whether reads stay at one revision: what follows from it would not fit the next.
  bool is_pinned = false;
};

namespace {

void describe(cx_error *error, int code, const char *type, const std::string &message) noexcept {
  if (!error) return;
  error->code = code;
  std::snprintf(error->type, sizeof error->type, "%s", type);
  std::snprintf(error->message, sizeof error->message, "%s", message.c_str());
}

/// The number of the system's error behind what was thrown; 0 where there is none. Where an error follows another, as
/// when a commit fails and the revision before cannot be opened either, or where a lock file cannot be made, it stands
/// in the text alone.
int system_error(const Xapian::Error &thrown) {
  const int last = 133;  // EHWPOISON
  const char *system = thrown.get_error_string();
  // The text of other kinds of error may hold words of a query.
  const bool is_of_database = std::strncmp(thrown.get_type(), "Database", 8) == 0;
  for (int number = 1; number <= last; number++) {
    const char *text = std::strerror(number);
    if (system ? std::strcmp(system, text) == 0 : is_of_database && thrown.get_msg().find(text) != std::string::npos)
      return number;
  }
  return 0;
}

int code_of(const Xapian::Error &thrown) {
  const char *system = thrown.get_error_string();
  switch (system_error(thrown)) {
    case ENOSPC: case EDQUOT: case EFBIG: return CX_FULL;
    case EACCES: case EPERM: case EROFS: return CX_DENIED;
    case EMFILE: case ENFILE: case ENOMEM: return CX_LIMIT;
    // Nothing of the system, or a file of the database is not there.
    case 0: case ENOENT: case ENOTDIR: break;
    // The disk, a limit of the process, something in the way: nothing says that the database is damaged.
    default: return CX_OTHER;
  }
  const std::string type = thrown.get_type(), message = thrown.get_msg();
  // Data or a value of more than 130 MB.
  if (type == "UnimplementedError" && message.find("insanely large") != std::string::npos) return CX_INVALID;
  // A database in bulk cannot go back, and says so instead of why it wanted to.
  if (type == "InvalidOperationError" && message.find("cancel() not supported") != std::string::npos) return CX_INVALID;
  // Xapian also fails to lock where the directory was removed, or where the process has too many open files.
  if (type == "DatabaseLockError" && message.find("too many open files") != std::string::npos) return CX_LIMIT;
  if (type == "DatabaseLockError") return message.find(": already locked") != std::string::npos ? CX_LOCKED : CX_OTHER;
  if (type == "DatabaseModifiedError") return CX_MODIFIED;
  if (type == "DatabaseNotFoundError") return CX_MISSING;
  if (type == "DatabaseCorruptError" || type == "DatabaseVersionError" || type == "SerialisationError" ||
      type == "RangeError" || type == "UnimplementedError" || type == "DatabaseOpeningError" ||
      type == "FeatureUnavailableError")  // a file of the database is gone
    return CX_CORRUPT;
  // Without an error of the system behind it: a block lies beyond the end of a file that was cut short.
  if (type == "DatabaseError" && !system) return CX_CORRUPT;
  if (type == "InvalidArgumentError" || type == "WildcardError" || type == "QueryParserError") return CX_INVALID;
  return CX_OTHER;
}

/// Calls into Xapian that are under way in this thread, and what was opened last: for the handler of crashes.
thread_local volatile sig_atomic_t calls = 0;
thread_local char opened_path[1024];

void remember(const char *path) noexcept {
  size_t at = 0;
  for (; path[at] && at + 1 < sizeof opened_path; at++)
    opened_path[at] = static_cast<unsigned char>(path[at]) < 0x20 || path[at] == 0x7f ? '?' : path[at];
  opened_path[at] = 0;
}

struct call {
  call() noexcept { calls = calls + 1; }
  ~call() { calls = calls - 1; }
};

/// The last two are how Swift's runtime gives up.
const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL, SIGTRAP};
struct sigaction actions_before[std::size(crashes)];
int crash_exit_code, full_exit_code;
bool handles_crashes = false;
char crash_options[1024];

void say(const char *text) noexcept {
  ssize_t ignored = write(2, text, std::strlen(text));
  (void)ignored;
}

/// Whether the process can hardly get any more memory. Swift's runtime, which must have it, crashes in many ways then.
bool is_out_of_memory() noexcept {
  const size_t wanted = 16 << 20;
  void *probe = mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (probe == MAP_FAILED) return true;
  munmap(probe, wanted);
  return false;
}

void explain_crash(int number) {
  if (is_out_of_memory()) {
    say("followspot: the process is out of memory\n"
        "hint: allow it more (ulimit -v), then try again; what was committed is as it was\n");
    _exit(full_exit_code);
  }
  if (calls > 0 && number != SIGILL && number != SIGTRAP) {
    say("followspot: the index ");
    say(opened_path);
    say(" is damaged in a way that Xapian does not survive\nhint: followspot ");
    say(crash_options);
    say("rebuild\n");
    _exit(crash_exit_code);
  }
  // Not Xapian's: what comes again on return is for whoever was to handle it before.
  for (size_t at = 0; at < std::size(crashes); at++) sigaction(crashes[at], &actions_before[at], nullptr);
}

/// Xapian throws in destructors while a commit fails, which no caller can catch: a full disk is told as one, not as
/// damage.
[[noreturn]] void explain_terminate() {
  if (calls > 0 && std::current_exception()) {
    try {
      std::rethrow_exception(std::current_exception());
    } catch (const Xapian::Error &thrown) {
      if (const int number = system_error(thrown)) {
        say("followspot: ");
        say(opened_path);
        say(" cannot be written: ");
        say(std::strerror(number));
        say("\nhint: make room or mend the disk, then try again; what was committed is as it was\n");
        _exit(code_of(thrown) == CX_FULL ? full_exit_code : 2);
      }
    } catch (...) {
    }
  }
  std::abort();
}

/// The one funnel: nothing that is thrown behind it reaches the caller.
template <class Body>
int guard(cx_error *error, Body body) noexcept {
  call under_way;
  try {
    body();
    return CX_OK;
  } catch (const Xapian::Error &thrown) {
    int code = CX_OTHER;
    try {
      code = code_of(thrown);
      const char *system = thrown.get_error_string();
      describe(error, code, thrown.get_type(), thrown.get_msg() + (system ? std::string(": ") + system : ""));
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

/// What tells the revisions of a database on disk apart: every commit puts another version file in the place of this.
std::string version_file(const std::string &path) {
  std::ifstream file(path + "/iamglass", std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// Opens or reads the newest revision until it stands still for long enough. Beside a busy writer, and where the machine
/// lets a reader wait, the blocks of the revision can be written over at any step. Xapian says so of most of them; of the
/// root of a tree, and of a block that it reads while that is written, it says that they are damaged.
template <class Body>
auto standing_still(const std::string &path, Body body) {
  const int most = 20;
  for (int attempt = 1;; attempt++) {
    // Most calls need one attempt, and the file is not read for them.
    const std::string before = attempt > 1 ? version_file(path) : std::string();
    try {
      return body(attempt);
    } catch (const Xapian::DatabaseModifiedError &) {
      if (attempt == most) throw;
    } catch (const Xapian::DatabaseError &thrown) {
      // What is open at the first attempt may have been overwritten long before.
      const bool is_of_system = thrown.get_error_string() != nullptr;
      if (attempt == most || is_of_system || (attempt > 1 && before == version_file(path))) throw;
    }
  }
}

/// As `guard`, but a reader whose revision was overwritten goes on with the newest one, unless it is pinned.
template <class Body>
int guard_reading(cx_database *database, cx_error *error, Body body) noexcept {
  return guard(error, [&] {
    if (database->is_pinned) return body();
    standing_still(database->path, [&](int attempt) {
      if (attempt > 1) database->database.reopen();
      body();
    });
  });
}

void copy(const std::string &bytes, cx_text *out) {
  out->bytes = static_cast<char *>(std::malloc(bytes.size() + 1));
  if (!out->bytes) throw std::bad_alloc();
  std::memcpy(out->bytes, bytes.data(), bytes.size());
  out->bytes[bytes.size()] = 0;
  out->length = bytes.size();
}

/// Takes the stemmer of the database, and the n-grams of scripts that put no blanks between words.
void prepare(cx_database *database, const char *stemmer) {
  database->stemmer = Xapian::Stem(stemmer);
  database->stemmers.clear();
  database->generator.set_stemmer(database->stemmer);
  database->generator.set_flags(Xapian::TermGenerator::FLAG_CJK_NGRAM);
}

/// The stem of a word is the word. Fields that are not stemmed have such stems where the others have theirs, so that a
/// search of all fields looks for one kind of terms.
class IdentityStemmer : public Xapian::StemImplementation {
 public:
  std::string operator()(const std::string &word) override { return word; }
  std::string get_description() const override { return "none"; }
};

/// Stems by another language; by the database's where the name is empty.
void set_language(cx_database *database, const std::string &language) {
  if (language.empty()) return database->generator.set_stemmer(database->stemmer);
  auto known = database->stemmers.find(language);
  if (known == database->stemmers.end()) {
    // Where nothing is stemmed, a field that is not needs no stems either.
    const bool is_database_stemmed = database->stemmer.get_description() != Xapian::Stem().get_description();
    const bool needs_identity = language == "none" && is_database_stemmed;
    const Xapian::Stem stemmer = needs_identity ? Xapian::Stem(new IdentityStemmer) : Xapian::Stem(language);
    known = database->stemmers.emplace(language, stemmer).first;
  }
  database->generator.set_stemmer(known->second);
}

void index_text(Xapian::TermGenerator &generator, const char *bytes, const cx_part &part) {
  const std::string text(bytes + part.at, part.length), prefix(bytes + part.prefix_at, part.prefix_length);
  if (part.kind == CX_FORMS) {
    generator.index_text_without_positions(text, part.slot, prefix);
  } else {
    generator.index_text(text, part.slot, prefix);
  }
  // Positions once: a phrase in any field is sought in one field after the other.
  if (part.number > 0) generator.index_text_without_positions(text, static_cast<Xapian::termcount>(part.number));
  if (part.kind == CX_TEXT) generator.increase_termpos(100);  // a phrase does not reach from one value into the next
}

Xapian::Document make_document(cx_database *database, const std::string &unique, const char *bytes,
                               const cx_part *parts, size_t count) {
  Xapian::Document document;
  database->generator.set_document(document);
  database->generator.set_termpos(0);
  set_language(database, "");
  document.add_boolean_term(unique);
  for (size_t index = 0; index < count; index++) {
    const cx_part &part = parts[index];
    switch (part.kind) {
      case CX_TEXT: case CX_FORMS: index_text(database->generator, bytes, part); break;
      case CX_LANGUAGE: set_language(database, std::string(bytes + part.at, part.length)); break;
      case CX_TERM: document.add_boolean_term(std::string(bytes + part.at, part.length)); break;
      case CX_VALUE: document.add_value(part.slot, std::string(bytes + part.at, part.length)); break;
      case CX_DATA: document.set_data(std::string(bytes + part.at, part.length)); break;
    }
  }
  database->generator.set_document(Xapian::Document());
  return document;
}

void append_escaped(std::string &out, const std::string &bytes) {
  static const char digits[] = "0123456789abcdef";
  for (unsigned char byte : bytes) {
    if (byte < 0x20 || byte == '\\' || byte >= 0x7f) {
      out += "\\x";
      out += digits[byte >> 4];
      out += digits[byte & 15];
    } else {
      out += static_cast<char>(byte);
    }
  }
}

std::string describe_document(const Xapian::Document &document) {
  std::string out;
  for (Xapian::TermIterator term = document.termlist_begin(); term != document.termlist_end(); ++term) {
    out += "term ";
    append_escaped(out, *term);
    out += " " + std::to_string(term.get_wdf());
    char separator = ' ';
    for (Xapian::PositionIterator at = term.positionlist_begin(); at != term.positionlist_end(); ++at) {
      out += separator + std::to_string(*at);
      separator = ',';
    }
    out += "\n";
  }
  for (Xapian::ValueIterator value = document.values_begin(); value != document.values_end(); ++value) {
    out += "value " + std::to_string(value.get_valueno()) + " ";
    append_escaped(out, *value);
    out += "\n";
  }
  out += "data ";
  append_escaped(out, document.get_data());
  out += "\n";
  return out;
}

/// How relevant a document is to a query. The frequencies of words hold the lengths of fields already, 16 for a word
/// that occurs once, so b is 0 and k1 is 16 times the usual 1.2.
Xapian::BM25Weight ranking() { return Xapian::BM25Weight(16 * 1.2, 0, 1, 0, 0.5); }

Xapian::docid find(const Xapian::Database &database, const std::string &unique) {
  Xapian::PostingIterator posting = database.postlist_begin(unique);
  return posting == database.postlist_end(unique) ? 0 : *posting;
}

Xapian::Query range(const cx_query_node &node, const std::string &bounds) {
  if (node.count > bounds.size()) throw Xapian::InvalidArgumentError("malformed query");
  const std::string low = bounds.substr(0, node.count), high = bounds.substr(node.count);
  if (high.empty()) return Xapian::Query(Xapian::Query::OP_VALUE_GE, node.slot, low);
  return Xapian::Query(Xapian::Query::OP_VALUE_RANGE, node.slot, low, high);
}

/// The double whose sortable bytes these are; 0 of none.
double number_of(const std::string &bytes) {
  uint64_t bits = 0;
  for (size_t at = 0; at < 8; at++) bits = bits << 8 | (at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0);
  if (bytes.empty()) return 0;
  bits = bits >> 63 ? bits & ~(uint64_t{1} << 63) : ~bits;
  double number;
  std::memcpy(&number, &bits, sizeof number);
  return number;
}

/// Finds every document, and tells what it is worth beside the words of a query. In an OP_AND it is what OP_AND_MAYBE is,
/// under which Xapian 1.4 may leave out the best.
class Bonus : public Xapian::PostingSource {
  Xapian::docid last = 0;

 protected:
  Xapian::Database database;
  Xapian::docid at = 0;
  const double most;

  explicit Bonus(double most) : most(most) {}

 public:
  void init(const Xapian::Database &from) override {
    database = from;
    at = 0;
    last = database.get_lastdocid();
    set_maxweight(most);
  }
  Xapian::doccount get_termfreq_min() const override { return database.get_doccount(); }
  Xapian::doccount get_termfreq_est() const override { return database.get_doccount(); }
  Xapian::doccount get_termfreq_max() const override { return database.get_doccount(); }
  void next(double) override { at++; }
  void skip_to(Xapian::docid least, double) override { at = std::max(at, least); }
  bool check(Xapian::docid least, double) override {
    at = std::max(at, least);
    return true;
  }
  bool at_end() const override { return at > last; }
  Xapian::docid get_docid() const override { return at; }
};

/// Adds to the relevance of a document by a number that it has; nothing where it has none.
class NumberBoost : public Bonus {
  mutable Xapian::ValueIterator value;
  mutable bool has_started = false;

 protected:
  const Xapian::valueno slot;

  NumberBoost(Xapian::valueno slot, double most) : Bonus(most), slot(slot) {}

  /// The part of the whole boost that a number earns: 0 to 1.
  virtual double share(double number) const = 0;

 public:
  void init(const Xapian::Database &from) override {
    Bonus::init(from);
    has_started = false;
  }
  double get_weight() const override {
    if (!has_started) value = database.valuestream_begin(slot);
    has_started = true;
    const Xapian::ValueIterator end = database.valuestream_end(slot);
    if (value != end) value.skip_to(at);
    if (value == end || value.get_docid() != at) return 0;
    return most * std::clamp(share(number_of(*value)), 0.0, 1.0);
  }
};

/// All of it from `newest` on, and half as much for every `half` below.
class RecencyBoost : public NumberBoost {
  const double newest, half;

 public:
  RecencyBoost(Xapian::valueno slot, double newest, double half, double weight)
      : NumberBoost(slot, weight), newest(newest), half(half) {}
  double share(double number) const override { return number >= newest ? 1 : std::exp2((number - newest) / half); }
  PostingSource *clone() const override { return new RecencyBoost(slot, newest, half, most); }
};

/// Grows with the logarithm of the number, up to that of `highest`; nothing for 0 and below.
class MagnitudeBoost : public NumberBoost {
  const double highest;

 public:
  MagnitudeBoost(Xapian::valueno slot, double highest, double weight) : NumberBoost(slot, weight), highest(highest) {}
  double share(double number) const override { return number > 0 ? std::log1p(number) / std::log1p(highest) : 0; }
  PostingSource *clone() const override { return new MagnitudeBoost(slot, highest, most); }
};

/// The documents whose value is one of many. Terms for each would open a posting list for each.
class Among : public Xapian::PostingSource {
  using Values = std::unordered_set<std::string>;
  const Xapian::valueno slot;
  const std::shared_ptr<const Values> wanted;
  Xapian::Database database;
  Xapian::ValueIterator value, end;
  bool has_started = false;
  Xapian::doccount most = 0;

  Among(Xapian::valueno slot, std::shared_ptr<const Values> wanted) : slot(slot), wanted(std::move(wanted)) {}

  void start() {
    if (has_started) return;
    value = database.valuestream_begin(slot);
    has_started = true;
  }

  void settle() {
    while (value != end && wanted->count(*value) == 0) ++value;
  }

 public:
  Among(Xapian::valueno slot, const char *bytes, size_t length) : Among(slot, read(bytes, length)) {}

  static std::shared_ptr<const Values> read(const char *bytes, size_t length) {
    auto values = std::make_shared<Values>();
    for (size_t at = 0; at + 2 <= length;) {
      const size_t size = static_cast<unsigned char>(bytes[at]) | static_cast<unsigned char>(bytes[at + 1]) << 8;
      at += 2;
      if (size > length - at) throw Xapian::InvalidArgumentError("malformed query");
      values->emplace(bytes + at, size);
      at += size;
    }
    return values;
  }

  void init(const Xapian::Database &from) override {
    database = from;
    has_started = false;
    most = std::min<size_t>(wanted->size(), database.get_value_freq(slot));
  }
  Xapian::doccount get_termfreq_min() const override { return 0; }
  Xapian::doccount get_termfreq_est() const override { return most; }
  Xapian::doccount get_termfreq_max() const override { return most; }

  void next(double) override {
    if (has_started) {
      ++value;
    } else {
      start();
    }
    settle();
  }
  void skip_to(Xapian::docid least, double) override {
    start();
    if (value != end) value.skip_to(least);
    settle();
  }
  bool check(Xapian::docid least, double) override {
    start();
    if (value == end) return true;
    if (!value.check(least)) return false;
    return value == end || wanted->count(*value) != 0;
  }
  bool at_end() const override { return has_started && value == end; }
  Xapian::docid get_docid() const override { return value.get_docid(); }
  PostingSource *clone() const override { return new Among(slot, wanted); }
};

Xapian::Query make_query(const char *bytes, const cx_query_node *nodes, size_t count) {
  using Xapian::Query;
  std::vector<Query> stack;
  for (size_t index = 0; index < count; index++) {
    const cx_query_node &node = nodes[index];
    const std::string term(bytes + node.at, node.length);
    size_t operands = node.kind < CX_QUERY_PHRASE ? 0 : node.kind < CX_QUERY_AND_NOT ? node.count : 2;
    if (operands > stack.size()) throw Xapian::InvalidArgumentError("malformed query");
    std::vector<Query> taken(stack.end() - static_cast<long>(operands), stack.end());
    stack.resize(stack.size() - operands);
    Query made;
    switch (node.kind) {
      case CX_QUERY_TERM: made = Query(term); break;
      case CX_QUERY_WILDCARD:
        made = Query(Query::OP_WILDCARD, term, node.count, Query::WILDCARD_LIMIT_MOST_FREQUENT);
        break;
      case CX_QUERY_RANGE: made = range(node, term); break;
      case CX_QUERY_EVERYTHING: made = Query(std::string()); break;  // Xapian's own one is shared by threads, uncounted
      case CX_QUERY_NOTHING: made = Query::MatchNothing; break;
      case CX_QUERY_RECENCY:
        made = Query((new RecencyBoost(node.slot, node.low, node.high, node.weight))->release());
        break;
      case CX_QUERY_MAGNITUDE:
        made = Query((new MagnitudeBoost(node.slot, node.high, node.weight))->release());
        break;
      case CX_QUERY_AMONG: made = Query((new Among(node.slot, bytes + node.at, node.length))->release()); break;
      case CX_QUERY_PHRASE:
        made = Query(Query::OP_PHRASE, taken.begin(), taken.end(), static_cast<Xapian::termcount>(taken.size()));
        break;
      case CX_QUERY_AND: made = Query(Query::OP_AND, taken.begin(), taken.end()); break;
      case CX_QUERY_OR: made = Query(Query::OP_OR, taken.begin(), taken.end()); break;
      case CX_QUERY_SCALE: made = Query(Query::OP_SCALE_WEIGHT, taken[0], node.weight); break;
      case CX_QUERY_AND_NOT: made = Query(Query::OP_AND_NOT, taken[0], taken[1]); break;
      // Xapian 1.4 may end the process over an OP_MAX whose operands are exhausted, where it prunes what is above.
      case CX_QUERY_SYNONYM: made = Query(Query::OP_SYNONYM, taken.begin(), taken.end()); break;
      case CX_QUERY_NEAR: made = Query(Query::OP_NEAR, taken.begin(), taken.end(), node.slot); break;
      case CX_QUERY_FILTER: made = Query(Query::OP_FILTER, taken[0], taken[1]); break;
      default: throw Xapian::InvalidArgumentError("unknown kind of query node");
    }
    stack.push_back(made);
  }
  if (stack.size() != 1) throw Xapian::InvalidArgumentError("malformed query");
  return stack.front();
}

/// Xapian 1.4 forgets the descriptor of a new version file when the sync of a table fails: each failed commit would keep
/// one open for ever. No other writer of this database can be in the process.
void close_forgotten(const std::string &path) {
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

}  // namespace

extern "C" {

void cx_text_free(cx_text *text) noexcept {
  std::free(text->bytes);
  text->bytes = nullptr;
  text->length = 0;
}

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
    // Where the directory may not be looked into, Xapian says that there is no database.
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode) && access(path, R_OK | X_OK) != 0 && errno == EACCES)
      throw Xapian::DatabaseOpeningError("the directory may not be read", errno);
    cx_database *made = new cx_database;
    try {
      made->path = path;
      made->database = standing_still(made->path, [&](int) { return Xapian::Database(path); });
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
      made->database = reader->database;
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

void cx_exit_on_crash(int damaged, int full) noexcept {
  static char stack[1 << 16];
  stack_t known;
  if (sigaltstack(nullptr, &known) == 0 && (known.ss_flags & SS_DISABLE)) {
    stack_t own = {};
    own.ss_sp = stack;
    own.ss_size = sizeof stack;
    sigaltstack(&own, nullptr);
  }
  handles_crashes = true;
  crash_exit_code = damaged;
  full_exit_code = full;
  std::set_terminate(explain_terminate);
  struct sigaction action = {};
  action.sa_handler = explain_crash;
  action.sa_flags = SA_ONSTACK;
  for (size_t at = 0; at < std::size(crashes); at++) sigaction(crashes[at], &action, &actions_before[at]);
}

void cx_set_crash_options(const char *options) noexcept {
  std::snprintf(crash_options, sizeof crash_options, "%s", options);
}

int cx_survives_reading(const char *path) noexcept {
  if (!handles_crashes) return 1;
  const pid_t child = fork();
  if (child < 0) return 1;
  if (child == 0) {
    for (int number : crashes) signal(number, SIG_DFL);
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    alarm(10);
    try {
      Xapian::Database database(path);
      for (auto key = database.metadata_keys_begin(); key != database.metadata_keys_end(); ++key)
        database.get_metadata(*key);
    } catch (...) {
      // An error is for whoever opens it next.
    }
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return WIFEXITED(status);
}

void cx_close(cx_database *database) noexcept {
  guard(nullptr, [&] {
    if (database->in_transaction) database->writable.cancel_transaction();
  });
  const std::string path = std::move(database->path);
  const bool has_failed = database->has_failed;
  guard(nullptr, [&] { delete database; });
  if (has_failed) guard(nullptr, [&] { close_forgotten(path); });
}

int cx_reopen(cx_database *database, cx_error *error) noexcept {
  return guard(error, [&] { standing_still(database->path, [&](int) { database->database.reopen(); }); });
}

int cx_set_stemmer(cx_database *database, const char *stemmer, cx_error *error) noexcept {
  return guard(error, [&] { prepare(database, stemmer); });
}

const char *cx_version(void) noexcept { return Xapian::version_string(); }

int cx_has_stemmer(const char *language) noexcept {
  int found = 0;
  guard(nullptr, [&] {
    Xapian::Stem stemmer(language);
    found = 1;
  });
  return found;
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

int cx_join(
    const char *sources, size_t length, const char *path, int (*is_over)(void *), void *context, cx_error *error
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
    all.compact(path, Xapian::DBCOMPACT_NO_RENUMBER, 0, compactor);
  });
}

int cx_remove(cx_database *writer, const char *unique, size_t unique_length, cx_error *error) noexcept {
  return guard(error, [&] { writer->writable.delete_document(std::string(unique, unique_length)); });
}

int cx_set_metadata(cx_database *writer, const char *key, const char *value, size_t length,
                    cx_error *error) noexcept {
  return guard(error, [&] { writer->writable.set_metadata(key, std::string(value, length)); });
}

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

int cx_revision(cx_database *database, uint64_t *out, cx_error *error) noexcept {
  return guard_reading(database, error, [&] { *out = database->database.get_revision(); });
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

int cx_term_at_or_after(cx_database *database, const char *from, size_t from_length, int *found, cx_text *out,
                        cx_error *error) noexcept {
  return guard_reading(database, error, [&] {
    Xapian::TermIterator term = database->database.allterms_begin();
    term.skip_to(std::string(from, from_length));
    *found = term != database->database.allterms_end();
    copy(*found ? *term : std::string(), out);
  });
}

int cx_term_frequency(cx_database *database, const char *term, size_t length, uint32_t *out,
                      cx_error *error) noexcept {
  return guard_reading(database, error,
                       [&] { *out = database->database.get_termfreq(std::string(term, length)); });
}

int cx_has_positions(cx_database *database, const char *term, size_t length, uint32_t most, int *out,
                     cx_error *error) noexcept {
  return guard_reading(database, error, [&] {
    const Xapian::Database &db = database->database;
    const std::string wanted(term, length);
    *out = 0;
    uint32_t left = most;
    for (auto posting = db.postlist_begin(wanted); left > 0 && posting != db.postlist_end(wanted); ++posting, --left) {
      if (db.positionlist_begin(*posting, wanted) == db.positionlist_end(*posting, wanted)) continue;
      *out = 1;
      return;
    }
  });
}

/// What the posting lists say otherwise of a document than its own list of terms: empty where they agree. A query reads
/// the posting lists alone.
static std::string describe_postings(const Xapian::Database &database, Xapian::docid id) {
  std::string out;
  for (Xapian::TermIterator term = database.termlist_begin(id); term != database.termlist_end(id); ++term) {
    Xapian::PostingIterator posting = database.postlist_begin(*term);
    if (posting != database.postlist_end(*term)) posting.skip_to(id);
    if (posting != database.postlist_end(*term) && *posting == id && posting.get_wdf() == term.get_wdf()) continue;
    out += "no posting ";
    append_escaped(out, *term);
    out += "\n";
  }
  return out;
}

int cx_describe_stored(cx_database *database, const char *unique, size_t unique_length, int *found, cx_text *out,
                       cx_error *error) noexcept {
  return guard_reading(database, error, [&] {
    const Xapian::docid id = find(database->database, std::string(unique, unique_length));
    *found = id != 0;
    const Xapian::Database &stored = database->database;
    copy(id ? describe_document(stored.get_document(id)) + describe_postings(stored, id) : std::string(), out);
  });
}

int cx_describe_made(cx_database *database, const char *unique, size_t unique_length, const char *bytes,
                     const cx_part *parts, size_t count, cx_text *out, cx_error *error) noexcept {
  return guard(error, [&] {
    const std::string term(unique, unique_length);
    copy(describe_document(make_document(database, term, bytes, parts, count)), out);
  });
}

int cx_each_term(cx_database *database, const char *prefix, size_t prefix_length, const char *from, size_t from_length,
                 void *context, int (*visit)(void *context, const char *term, size_t length),
                 cx_error *error) noexcept {
  return guard(error, [&] {
    const std::string beginning(prefix, prefix_length);
    Xapian::TermIterator term = database->database.allterms_begin(beginning);
    term.skip_to(std::string(from, from_length));
    for (; term != database->database.allterms_end(beginning); ++term) {
      const std::string bytes = *term;
      if (visit(context, bytes.data(), bytes.size()) != 0) return;
    }
  });
}

int cx_tokens(cx_database *database, const char *text, size_t length, const char *language, cx_text *out,
              cx_error *error) noexcept {
  return guard(error, [&] {
    set_language(database, language);
    Xapian::TermGenerator &generator = database->generator;
    const auto terms_of = [&](const std::string &words) {
      Xapian::Document document;
      generator.set_document(document);
      generator.set_termpos(0);
      generator.index_text(words);
      generator.set_document(Xapian::Document());
      return document;
    };
    const Xapian::Document whole = terms_of(std::string(text, length));
    std::map<Xapian::termpos, std::string> raw;
    for (Xapian::TermIterator term = whole.termlist_begin(); term != whole.termlist_end(); ++term)
      for (Xapian::PositionIterator at = term.positionlist_begin(); at != term.positionlist_end(); ++at)
        raw[*at] = *term;
    std::string tokens;
    for (const auto &entry : raw) {
      std::string stemmed;
      const Xapian::Document word = terms_of(entry.second);
      for (Xapian::TermIterator term = word.termlist_begin(); term != word.termlist_end(); ++term)
        if ((*term)[0] == 'Z') stemmed = *term;
      tokens += entry.second + '\0' + stemmed + '\0';
    }
    copy(tokens, out);
  });
}

int cx_check(const char *path, size_t *problems, cx_error *error) noexcept {
  return guard(error, [&] { *problems = Xapian::Database::check(path); });
}

int cx_expand(cx_database *reader, const char *bytes, const cx_query_node *nodes, size_t count, uint32_t top,
              uint32_t most, cx_text *out, cx_error *error) noexcept {
  struct Stems : Xapian::ExpandDecider {
    bool operator()(const std::string &term) const override {
      return term.size() > 3 && term[0] == 'Z' && term[1] >= 'a' && term[1] <= 'z';
    }
  };
  return guard_reading(reader, error, [&] {
    Xapian::Enquire enquire(reader->database);
    enquire.set_weighting_scheme(ranking());
    enquire.set_query(make_query(bytes, nodes, count));
    const Xapian::MSet best = enquire.get_mset(0, top);
    Xapian::RSet relevant;
    for (Xapian::MSetIterator match = best.begin(); match != best.end(); ++match) relevant.add_document(*match);
    std::string terms;
    if (!relevant.empty()) {
      const Stems stems;
      const Xapian::ESet set = enquire.get_eset(most, relevant, &stems);
      for (Xapian::ESetIterator term = set.begin(); term != set.end(); ++term) terms += *term + '\0';
    }
    copy(terms, out);
  });
}

int cx_each_match(cx_database *reader, const char *bytes, const cx_query_node *nodes, size_t count, uint32_t slot,
                  void *context, int (*visit)(void *context, const char *bytes, size_t length),
                  cx_error *error) noexcept {
  struct Spy : Xapian::MatchSpy {
    uint32_t slot;
    void *context;
    int (*visit)(void *, const char *, size_t);
    bool is_over = false;
    void operator()(const Xapian::Document &document, double) override {
      if (is_over) return;
      const std::string value = document.get_value(slot);
      is_over = visit(context, value.data(), value.size()) != 0;
    }
  };
  return guard(error, [&] {
    Xapian::Enquire enquire(reader->database);
    enquire.set_weighting_scheme(Xapian::BoolWeight());
    enquire.set_query(make_query(bytes, nodes, count));
    Spy spy;
    spy.slot = slot;
    spy.context = context;
    spy.visit = visit;
    enquire.add_matchspy(&spy);
    enquire.get_mset(0, 0, reader->database.get_doccount());
  });
}

int cx_search(cx_database *reader, const char *bytes, const cx_query_node *nodes, size_t count, uint32_t offset,
              uint32_t limit, uint32_t check_at_least, uint32_t identity_slot, uint32_t sort_slot, int sort,
              cx_hits *out, cx_error *error) noexcept {
  return guard_reading(reader, error, [&] {
    Xapian::Enquire enquire(reader->database);
    enquire.set_weighting_scheme(ranking());
    enquire.set_query(make_query(bytes, nodes, count));
    Xapian::MultiValueKeyMaker order;
    if (sort != CX_BY_RELEVANCE) {
      // What has no value comes last either way.
      const bool descends = sort == CX_DESCENDING;
      order.add_value(sort_slot, descends, descends ? std::string() : std::string(16, '\xff'));
      order.add_value(identity_slot);
      enquire.set_sort_by_key_then_relevance(&order, false);
    } else {
      enquire.set_sort_by_relevance_then_value(identity_slot, false);
    }
    const Xapian::MSet set = enquire.get_mset(offset, limit, check_at_least);
    std::string text;
    std::vector<cx_hit> hits;
    for (Xapian::MSetIterator match = set.begin(); match != set.end(); ++match) {
      const Xapian::Document document = match.get_document();
      const std::string identity = document.get_value(identity_slot), data = document.get_data();
      hits.push_back({match.get_weight(), text.size(), identity.size(), text.size() + identity.size(), data.size()});
      text += identity + data;
    }
    out->matches = set.get_matches_estimated();
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

}  // extern "C"
