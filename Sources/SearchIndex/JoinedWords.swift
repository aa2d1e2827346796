// SPDX-License-Identifier: MIT

/// The prefixes of words that were joined from the parts of a compound, such as `walle` of `WALL-E`.
///
/// They are not among the other words of their field, because most codes and numbers have a joined word of their own, and
/// a search for `lib*` would read all of `lib-1`, `lib-2` and so on. It finds these by `lib` anyway: a document with a
/// joined word has its first part as a word. So joined words are in two groups, by the length of the first part, and a
/// beginning is looked up only in those whose first part may be shorter than it.
package enum JoinedWords {
  /// Maximum length in bytes of the first parts in the first group.
  private static let longestShort = 3
  /// The bytes behind the prefix of a field, less than those of all words and other than the point before keys.
  private static let marks = (short: UInt8(ascii: "+"), long: UInt8(ascii: "-"))

  /// - Parameter firstPart: The length of the first part in bytes.
  static func prefix(_ prefix: [UInt8], firstPart: Int) -> [UInt8] {
    prefix + [firstPart <= longestShort ? marks.short : marks.long]
  }

  /// The prefixes of all words of a field: of the others, and of the joined ones.
  ///
  /// - Parameter prefix: The prefix of the field's other words.
  package static func prefixes(_ prefix: [UInt8]) -> [[UInt8]] {
    [prefix, prefix + [marks.short], prefix + [marks.long]]
  }

  /// What the words of a field begin with by which all documents are found that have a word with this beginning.
  package static func prefixes(_ prefix: [UInt8], startingWith start: [UInt8]) -> [[UInt8]] {
    prefixes(prefix).prefix(start.count > longestShort + 1 ? 3 : 2).map { $0 + start }
  }

  /// A word behind the prefix of a field, without the mark of joined words.
  package static func word(_ word: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    word.first == marks.short || word.first == marks.long ? word.dropFirst() : word
  }
}
