// SPDX-License-Identifier: MIT

// Stemmers of folded words. Words are folded before they are stemmed, so that `cafe` finds `café`. Some languages have
// endings with accents: what folding took from these is put back, for the stemmer alone. The stemmers of some languages
// leave endings of frequent forms, which are removed here.
#include "internal.h"

#include <cstring>
#include <map>

namespace cx {
namespace {

struct Ending {
  const char *ending, *replacement;
  /// The number of bytes that must stand before it.
  size_t least = 3;
};

/// Replaces the first ending of the word that is in the list.
std::string with_ending(const std::string &word, const std::vector<Ending> &endings) {
  for (const Ending &each : endings) {
    const size_t length = std::strlen(each.ending);
    if (word.size() < length + each.least || word.compare(word.size() - length, length, each.ending) != 0) continue;
    return word.substr(0, word.size() - length) + each.replacement;
  }
  return word;
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

/// What the stemmer of a language needs.
struct Rules {
  /// Puts back letters that folding replaced.
  std::string (*letters)(const std::string &);
  /// Endings of folded words, and what the stemmer knows in their place.
  std::vector<Ending> written;
  /// Endings of stems: they distinguish forms of a word, but the stemmer leaves them.
  std::vector<Ending> left;
};

const std::map<std::string, Rules> &rules() {
  static const std::map<std::string, Rules> rules{
      {"danish", {as_is, {}, {{"ed", ""}, {"et", ""}, {"t", "", 4}}}},
      {"dutch",
       {as_is, {}, {{"s", ""}, {"t", "", 4}, {"d", "", 5}, {"e", ""}, {"er", ""}, {"v", "f"}, {"z", "s"}, {"bb", "b"},
                    {"ff", "f"}, {"gg", "g"}, {"kk", "k", 2}, {"ll", "l", 2}, {"mm", "m", 2}, {"nn", "n", 2},
                    {"pp", "p", 2}, {"rr", "r", 2}, {"ss", "s", 2}, {"tt", "t", 2}}}},
      // `utilisent`, but not `document`.
      {"french",
       {as_is, {{"ees", "ées", 2}, {"ee", "ée", 2}},
        {{"ment", "ment"}, {"ent", "", 4}, {"s", ""}, {"oy", "oi"}, {"dr", "d"}, {"uir", "ui"}, {"uit", "ui"}}}},
      {"german", {as_is, {}, {{"t", "", 5}, {"e", "", 5}, {"ier", "i"}}}},
      {"hungarian",
       {as_is, {{"bol", "ból", 2}, {"rol", "ról", 2}, {"tol", "tól", 2}, {"nal", "nál", 2}, {"nel", "nél", 2},
                {"ert", "ért", 2}, {"kent", "ként", 2}, {"kepp", "képp", 2}},
        {{"v", ""}, {"n", ""}, {"t", ""}, {"j", ""}, {"k", ""}, {"u", ""}}}},
      {"italian",
       {as_is, {}, {{"er", "", 4}, {"ir", "", 4}, {"ent", "", 4}, {"ant", "", 4}, {"ific", "if"}, {"i", ""}}}},
      {"norwegian", {as_is, {}, {{"ed", ""}, {"et", ""}, {"t", "", 4}, {"ing", ""}}}},
      {"portuguese",
       {as_is, {{"coes", "ção"}, {"cao", "ção"}, {"oes", "ão", 2}, {"aes", "ão", 2}, {"ao", "ão", 2},
                {"aveis", "ável", 2}, {"avel", "ável", 2}, {"iveis", "ível", 2}, {"ivel", "ível", 2}, {"ais", "al", 2},
                {"eis", "el", 2}, {"ois", "ol", 2}, {"uis", "ul", 2}, {"ens", "em", 2}, {"ins", "im", 2},
                {"ons", "om", 2}, {"uns", "um", 2}},
        {{"çã", "", 5}, {"ador", ""}, {"edor", ""}, {"idor", ""}, {"ific", "if"}, {"qu", "c"}, {"nd", ""}, {"d", ""},
         {"i", ""}}}},
      {"russian", {russian, {}, {}}},
      {"spanish", {as_is, {}, {{"ific", "if"}, {"qu", "c"}, {"zc", "c"}, {"z", "c"}, {"i", ""}}}},
      {"swedish", {as_is, {}, {{"et", ""}, {"at", ""}, {"t", "", 4}, {"ad", ""}, {"n", "", 4}, {"s", "", 4}}}},
      {"turkish", {turkish, {}, {}}},
  };
  return rules;
}

/// Stems folded words. In texts of other scripts, words in Latin letters are stemmed as English ones.
class FoldedStems : public Xapian::StemImplementation {
  const Xapian::Stem stemmer, latin;
  const Rules rules;
  /// The number of bytes that further rounds leave of a stem.
  static constexpr size_t shortest = 3;
  static constexpr int most_rounds = 4;

 public:
  FoldedStems(const std::string &language, const Rules &rules, bool is_latin)
      : stemmer(language), latin(is_latin ? language : "english"), rules(rules) {}
  std::string operator()(const std::string &word) override {
    const Xapian::Stem &stems = static_cast<unsigned char>(word[0]) < 0x80 ? latin : stemmer;
    std::string stem = stems(with_ending(rules.letters(word), rules.written));
    if (rules.left.empty()) return stem;
    // The stem of one form may be another form: the Hungarian `elemek` becomes `elem`, and `elem` becomes `el`.
    for (int round = 0; round < most_rounds; round++) {
      const std::string shorter = stems(with_ending(stem, rules.left));
      if (shorter == stem || shorter.size() < shortest) break;
      stem = shorter;
    }
    return stem;
  }
  std::string get_description() const override { return "folded"; }
};

}  // namespace

Xapian::Stem stemmer(const std::string &language) {
  const std::string name = language == "german2" ? "german" : language;
  const auto found = rules().find(name);
  if (name == "arabic") return Xapian::Stem(new FoldedStems(name, {as_is, {}, {}}, false));
  if (found == rules().end()) return Xapian::Stem(language);
  return Xapian::Stem(new FoldedStems(language, found->second, name != "russian"));
}

}  // namespace cx
