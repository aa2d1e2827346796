// SPDX-License-Identifier: MIT

// Documents: made from the parts that a caller gives, and described as text.
#include "internal.h"

#include <unordered_map>

using namespace cx;

namespace {

/// Whether Xapian stems words that begin as this one does: with a letter, and not with a digit.
bool has_stem(const std::string &word) {
  switch (Xapian::Unicode::get_category(*Xapian::Utf8Iterator(word))) {
    case Xapian::Unicode::LOWERCASE_LETTER: case Xapian::Unicode::TITLECASE_LETTER:
    case Xapian::Unicode::MODIFIER_LETTER: case Xapian::Unicode::OTHER_LETTER: return true;
    default: return false;
  }
}

/// The stems of words that differ from their words. A field contains the others as words already.
class DifferingStems : public Xapian::StemImplementation {
  const Xapian::Stem stemmer;
  /// The stems of the last words. Most words of a text were in one before.
  std::unordered_map<std::string, std::string> known;
  static constexpr size_t most_known = 20000;

 public:
  explicit DifferingStems(const Xapian::Stem &stemmer) : stemmer(stemmer) {}
  std::string operator()(const std::string &word) override {
    const auto found = known.find(word);
    if (found != known.end()) return found->second;
    if (known.size() == most_known) known.clear();
    const std::string stem = stemmer(word);
    // Xapian adds no term for an empty stem.
    return known.emplace(word, stem == word || !has_stem(word) ? std::string() : stem).first->second;
  }
  std::string get_description() const override { return "differing"; }
};

bool does_stem(const Xapian::Stem &stemmer) { return stemmer.get_description() != Xapian::Stem().get_description(); }

/// The stemmers of a language; an empty name means the language of the database.
const cx_stemmers &stemmers_of(cx_database *database, const std::string &language) {
  auto known = database->stemmers.find(language);
  if (known != database->stemmers.end()) return known->second;
  const Xapian::Stem plain = language.empty() ? database->stemmer : stemmer(language);
  const cx_stemmers made = does_stem(plain) ? cx_stemmers{plain, Xapian::Stem(new DifferingStems(plain)), true}
                                            : cx_stemmers{plain, plain, false};
  return database->stemmers.emplace(language, made).first->second;
}

/// Adds the words of a text to the generator's document: those that Xapian makes, and each symbol as a word.
void add_words(Xapian::TermGenerator &generator, const std::string &text, Xapian::termcount frequency,
               const std::string &prefix) {
  const char *start = text.data(), *at = start, *const end = start + text.size();
  while (at != end) {
    const char *const character = at++;
    if (static_cast<unsigned char>(*character) < 0xc2) continue;
    Xapian::Utf8Iterator next(character, end - character);
    const unsigned symbol = *next;
    if (!cx_is_symbol(symbol)) continue;
    at = ++next == Xapian::Utf8Iterator() ? end : next.raw();
    generator.index_text(Xapian::Utf8Iterator(start, character - start), frequency, prefix);
    generator.increase_termpos(1);
    std::string word = prefix;
    Xapian::Unicode::append_utf8(word, Xapian::Unicode::tolower(symbol));
    Xapian::Document document = generator.get_document();
    document.add_posting(word, generator.get_termpos(), frequency);
    start = at;
  }
  generator.index_text(Xapian::Utf8Iterator(start, end - start), frequency, prefix);
}

/// Adds the words of a text under the prefix of a field: as they are written, with positions, and their stems where these
/// differ. The positions of each field begin with 2: low numbers take less space, but Xapian 1.4 finds a word without a
/// position before one at 1.
///
/// - ends: The last position under each prefix.
void index_text(Xapian::TermGenerator &generator, const cx_stemmers &stemmers, const char *bytes, const cx_part &part,
                std::map<std::string, Xapian::termpos> &ends) {
  const std::string text(bytes + part.offset, part.length), prefix(bytes + part.prefix_offset, part.prefix_length);
  generator.set_stemmer(stemmers.differing);
  generator.set_stemming_strategy(Xapian::TermGenerator::STEM_SOME);
  if (part.kind == CX_UNPLACED) {
    generator.index_text_without_positions(text, part.slot, prefix);
  } else if (part.kind == CX_JOINED) {
    generator.set_stemming_strategy(Xapian::TermGenerator::STEM_NONE);
    generator.index_text_without_positions(text, part.slot, prefix);
    if (!stemmers.is_stemmed) return;
    generator.set_stemming_strategy(Xapian::TermGenerator::STEM_ALL_Z);
    generator.index_text_without_positions(text, part.slot, prefix.substr(0, prefix.size() - 1));
  } else {
    Xapian::termpos &end = ends.emplace(prefix, 1).first->second;
    generator.set_termpos(end);
    add_words(generator, text, part.slot, prefix);
    end = generator.get_termpos() + 100;  // a phrase must not extend from one value into the next
  }
}

void append_escaped(std::string &out, const std::string &bytes, unsigned char first_plain = ' ') {
  static const char digits[] = "0123456789abcdef";
  for (unsigned char byte : bytes) {
    if (byte < first_plain || byte == '\\' || byte >= 0x7f) {
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
    append_escaped(out, *term, ' ' + 1);  // blanks separate the parts of a line
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

/// The differences between a document's term list and the posting lists, which queries read; empty if they agree.
std::string describe_postings(const Xapian::Database &database, Xapian::docid id) {
  std::string out;
  for (Xapian::TermIterator term = database.termlist_begin(id); term != database.termlist_end(id); ++term) {
    Xapian::PostingIterator posting = database.postlist_begin(*term);
    if (posting != database.postlist_end(*term)) posting.skip_to(id);
    if (posting != database.postlist_end(*term) && *posting == id && posting.get_wdf() == term.get_wdf()) continue;
    out += "no posting ";
    append_escaped(out, *term, ' ' + 1);
    out += "\n";
  }
  return out;
}

}  // namespace

namespace cx {

void prepare(cx_database *database, const char *stemmer) {
  database->stemmer = cx::stemmer(stemmer);
  database->stemmers.clear();
  database->generator.set_flags(Xapian::TermGenerator::FLAG_CJK_NGRAM);
}

Xapian::Document make_document(cx_database *database, const std::string &unique, const char *bytes,
                               const cx_part *parts, size_t count) {
  Xapian::Document document;
  database->generator.set_document(document);
  std::map<std::string, Xapian::termpos> ends;
  const cx_stemmers *stemmers = &stemmers_of(database, "");
  document.add_boolean_term(unique);
  for (size_t index = 0; index < count; index++) {
    const cx_part &part = parts[index];
    switch (part.kind) {
      case CX_TEXT: case CX_UNPLACED: case CX_JOINED:
        index_text(database->generator, *stemmers, bytes, part, ends);
        break;
      case CX_LANGUAGE: stemmers = &stemmers_of(database, std::string(bytes + part.offset, part.length)); break;
      case CX_TERM: document.add_boolean_term(std::string(bytes + part.offset, part.length)); break;
      case CX_VALUE: document.add_value(part.slot, std::string(bytes + part.offset, part.length)); break;
      case CX_DATA: document.set_data(std::string(bytes + part.offset, part.length)); break;
    }
  }
  database->generator.set_document(Xapian::Document());
  return document;
}

}  // namespace cx

extern "C" {

int cx_set_stemmer(cx_database *database, const char *stemmer, cx_error *error) noexcept {
  return guard(error, [&] { prepare(database, stemmer); });
}

int cx_is_symbol(uint32_t character) noexcept {
  if (character < 0x80) return 0;
  switch (Xapian::Unicode::get_category(character)) {
    // Repaired text has replacement characters.
    case Xapian::Unicode::OTHER_SYMBOL: return character != 0xfffc && character != 0xfffd;
    case Xapian::Unicode::MATH_SYMBOL: case Xapian::Unicode::CURRENCY_SYMBOL: return 1;
    // Emoji that are newer than Xapian.
    case Xapian::Unicode::UNASSIGNED: return character >= 0x1f000 && character <= 0x1faff;
    case Xapian::Unicode::OTHER_PUNCTUATION:
      switch (character) {
        case 0xa7: case 0xb6: case 0x2020: case 0x2021: case 0x2030: case 0x203c: case 0x2049: return 1;
        default: return 0;
      }
    default: return 0;
  }
}

int cx_has_stemmer(const char *language) noexcept {
  int found = 0;
  guard(nullptr, [&] {
    Xapian::Stem stemmer(language);
    found = 1;
  });
  return found;
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

int cx_tokens(cx_database *database, const char *text, size_t length, const char *language, cx_text *out,
              cx_error *error) noexcept {
  return guard(error, [&] {
    const cx_stemmers &stemmers = stemmers_of(database, language);
    Xapian::TermGenerator &generator = database->generator;
    Xapian::Document document;
    generator.set_document(document);
    generator.set_termpos(0);
    generator.set_stemming_strategy(Xapian::TermGenerator::STEM_NONE);
    add_words(generator, std::string(text, length), 1, "");
    generator.set_document(Xapian::Document());
    std::map<Xapian::termpos, std::string> words;
    for (Xapian::TermIterator term = document.termlist_begin(); term != document.termlist_end(); ++term)
      for (Xapian::PositionIterator at = term.positionlist_begin(); at != term.positionlist_end(); ++at)
        words[*at] = *term;
    std::string tokens;
    for (const auto &entry : words) {
      const std::string &word = entry.second;
      const bool is_stemmed = stemmers.is_stemmed && has_stem(word);
      const std::string stem = is_stemmed ? stemmers.plain(word) : std::string();
      tokens += word + '\0' + stem + '\0' + (is_stemmed && stemmers.plain(stem) == stem ? stem : "") + '\0';
    }
    copy(tokens, out);
  });
}

}  // extern "C"
