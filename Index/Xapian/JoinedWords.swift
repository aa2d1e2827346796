// SPDX-License-Identifier: MIT

/// The prefixes of words that were joined from the parts of a compound, such as `walle` of `WALL-E`.
///
/// They are not among the other words of their field, because most codes and numbers have a joined word of their own, and
/// a search for `lib*` would read all of `lib-1`, `lib-2` and so on. It finds these by `lib` anyway, where a word of the
/// text begins with the first part. So joined words are in two groups, by the number of bytes that a search needs not look
/// up, and a longer beginning is looked up in both.
package enum JoinedWords {
  /// The bytes of a beginning that is not looked up in the second group: other words of its documents have it.
  private static let knownBytes = 4
  /// The bytes behind the prefix of a field, less than those of all words and other than the point before keys.
  private static let marks = (unknown: UInt8(ascii: "+"), known: UInt8(ascii: "-"))

  /// - Parameter known: How many bytes of the word another word of the text begins with.
  static func prefix(_ prefix: [UInt8], known: Int) -> [UInt8] {
    prefix + [known < knownBytes ? marks.unknown : marks.known]
  }

  /// The prefixes of all words of a field: of the others, and of the joined ones.
  ///
  /// - Parameter prefix: The prefix of the field's other words.
  package static func prefixes(_ prefix: [UInt8]) -> [[UInt8]] {
    [prefix, prefix + [marks.unknown], prefix + [marks.known]]
  }

  /// What the words of a field begin with by which all documents are found that have a word with this beginning.
  package static func prefixes(_ prefix: [UInt8], startingWith start: [UInt8]) -> [[UInt8]] {
    prefixes(prefix).prefix(start.count > knownBytes ? 3 : 2).map { $0 + start }
  }

  /// A word behind the prefix of a field, without the mark of joined words.
  static func word(_ word: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    word.first == marks.unknown || word.first == marks.known ? word.dropFirst() : word
  }
}
