// Stemmers of folded words. Words are folded before they are stemmed, so that `cafe` finds `café`. Some languages have
// endings with accents: what folding took from these is put back, for the stemmer alone. The German stemmer leaves the
// endings of verbs, which are removed here.
#include "internal.h"

#include <cstring>

namespace cx {
namespace {

struct Ending {
  const char *folded, *written;
};

/// Replaces the first ending of the word that is in the list.
std::string with_ending(const std::string &word, const Ending *endings, size_t count) {
  for (size_t at = 0; at < count; at++) {
    const size_t length = std::strlen(endings[at].folded);
    // Something must stand before an ending.
    if (word.size() < length + 2 || word.compare(word.size() - length, length, endings[at].folded) != 0) continue;
    return word.substr(0, word.size() - length) + endings[at].written;
  }
  return word;
}

std::string french(const std::string &word) {
  static const Ending endings[] = {{"ees", "ées"}, {"ee", "ée"}};
  return with_ending(word, endings, 2);
}

std::string portuguese(const std::string &word) {
  static const Ending endings[] = {{"cao", "ção"}, {"coes", "ções"}, {"avel", "ável"}, {"aveis", "áveis"},
                                   {"ivel", "ível"}, {"iveis", "íveis"}, {"ao", "ão"}, {"oes", "ões"}};
  return with_ending(word, endings, 8);
}

std::string hungarian(const std::string &word) {
  static const Ending endings[] = {{"bol", "ból"}, {"rol", "ról"}, {"tol", "tól"}, {"nal", "nál"}, {"nel", "nél"},
                                   {"ert", "ért"}, {"kent", "ként"}, {"kepp", "képp"}};
  return with_ending(word, endings, 8);
}

std::vector<unsigned> letters_of(const std::string &word) {
  return std::vector<unsigned>(Xapian::Utf8Iterator(word), Xapian::Utf8Iterator());
}

std::string text_of(const std::vector<unsigned> &letters) {
  std::string text;
  for (unsigned letter : letters) Xapian::Unicode::append_utf8(text, letter);
  return text;
}

bool is_any(unsigned letter, const std::vector<unsigned> &letters) {
  return std::find(letters.begin(), letters.end(), letter) != letters.end();
}

/// Folding makes `и` of `й`, which stands behind vowels. Behind some vowels and before the last letters of a verb it is
/// an `и` anyway, as in `строить`.
std::string russian(const std::string &word) {
  enum : unsigned { a = 0x430, e = 0x435, i = 0x438, short_i = 0x439, l = 0x43b, m = 0x43c, o = 0x43e, sh = 0x448, t = 0x442 };
  static const std::vector<unsigned> vowels{a, e, i, o, 0x443, 0x44b, 0x44d, 0x44e, 0x44f};
  static const std::vector<unsigned> of_verbs{l, m, sh, t};
  std::vector<unsigned> letters = letters_of(word);
  for (size_t at = 1; at < letters.size(); at++) {
    if (letters[at] != i || !is_any(letters[at - 1], vowels)) continue;
    const size_t left = letters.size() - 1 - at;
    if (left > 0 && is_any(letters[at + 1], vowels)) continue;
    const bool may_be_verb = letters[at - 1] != a && left > 0 && left <= 2 && is_any(letters[at + 1], of_verbs);
    if (!may_be_verb) letters[at] = short_i;
  }
  return text_of(letters);
}

/// Folding makes `i`, `o` and `u` of `ı`, `ö` and `ü`. The vowels of a word are all front or all back vowels, and `a` and
/// `e` tell which. The ending `ki` never changes.
std::string turkish(const std::string &word) {
  std::string text;
  const size_t end = word.size() > 3 && word.compare(word.size() - 2, 2, "ki") == 0 ? word.size() - 1 : word.size();
  for (size_t at = 0; at < word.size(); at++) {
    const char letter = word[at];
    size_t other = word.find_first_of("ae", at + 1);
    if (other == std::string::npos) other = word.find_last_of("ae", at);
    const char vowel = other == std::string::npos || at >= end ? 0 : word[other];
    if (vowel == 'a' && letter == 'i') {
      text += "ı";
    } else if (vowel == 'e' && letter == 'o') {
      text += "ö";
    } else if (vowel == 'e' && letter == 'u') {
      text += "ü";
    } else {
      text += letter;
    }
  }
  return text;
}

std::string as_is(const std::string &word) { return word; }

/// Of a German stem: `bereitstellt` and `bereitstellen`, `registriert` and `registrieren` become one.
std::string without_verb_endings(std::string stem) {
  constexpr size_t shortest = 6;
  while (stem.size() >= shortest && (stem.back() == 't' || stem.back() == 'e')) stem.pop_back();
  if (stem.size() >= shortest && stem.compare(stem.size() - 3, 3, "ier") == 0) stem.resize(stem.size() - 2);
  return stem;
}

class GermanStems : public Xapian::StemImplementation {
  const Xapian::Stem stemmer;

 public:
  explicit GermanStems(const std::string &language) : stemmer(language) {}
  std::string operator()(const std::string &word) override { return without_verb_endings(stemmer(word)); }
  std::string get_description() const override { return "german"; }
};

/// Stems folded words. In texts of other scripts, words in Latin letters are stemmed as English ones.
class FoldedStems : public Xapian::StemImplementation {
  const Xapian::Stem stemmer, latin;
  std::string (*const written)(const std::string &);

 public:
  FoldedStems(const std::string &language, std::string (*written)(const std::string &), bool is_latin)
      : stemmer(language), latin(is_latin ? language : "english"), written(written) {}
  std::string operator()(const std::string &word) override {
    return static_cast<unsigned char>(word[0]) < 0x80 ? latin(written(word)) : stemmer(written(word));
  }
  std::string get_description() const override { return "folded"; }
};

}  // namespace

Xapian::Stem stemmer(const std::string &language) {
  if (language == "arabic") return Xapian::Stem(new FoldedStems(language, as_is, false));
  if (language == "french") return Xapian::Stem(new FoldedStems(language, french, true));
  if (language == "german" || language == "german2") return Xapian::Stem(new GermanStems(language));
  if (language == "hungarian") return Xapian::Stem(new FoldedStems(language, hungarian, true));
  if (language == "portuguese") return Xapian::Stem(new FoldedStems(language, portuguese, true));
  if (language == "russian") return Xapian::Stem(new FoldedStems(language, russian, false));
  if (language == "turkish") return Xapian::Stem(new FoldedStems(language, turkish, true));
  return Xapian::Stem(language);
}

}  // namespace cx
