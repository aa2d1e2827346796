// SPDX-License-Identifier: MIT

internal import SearchIndex

/// Counts the rows that have each value, without regard to case. Values with other diacritics are other values. Empty texts
/// are not counted.
package struct FacetCounter {

  package init() {
  }

  private struct Spelling {
    /// The number of the same text as valid UTF-8; mostly its own.
    let valid: Int
    /// The number of its value; nil if the folded text is empty.
    let value: Int?
    var count = 0
  }

  private var folder = TextFolder()
  /// The texts of `spellings`, as they are written.
  private var texts = ByteTable()
  private var spellings: [Spelling] = []
  /// The folded texts, by which values are numbered.
  private var folded = ByteTable()
  /// The row that was counted last for each value.
  private var lastRows: [Int] = []
  private var row = 0

  /// Begins the next row.
  mutating func beginRow() { row += 1 }

  /// Adds a value of the row.
  mutating func add(_ text: UnsafeRawBufferPointer) {
    let number = spellings[number(of: text)].valid
    guard let value = spellings[number].value, lastRows[value] != row else { return }
    lastRows[value] = row
    spellings[number].count += 1
  }

  /// Adds a value of the row.
  mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
  }

  /// Adds a value that `count` other rows have.
  package mutating func add(_ text: String, count: Int) {
    var text = text
    let number = text.withUTF8 { self.number(of: UnsafeRawBufferPointer($0)) }
    if spellings[number].value != nil { spellings[number].count += count }
  }

  /// The number of a spelling.
  private mutating func number(of text: UnsafeRawBufferPointer) -> Int {
    let (number, isNew) = texts.number(of: text)
    guard isNew else { return number }
    let key = folder.facetKey(of: text).inNormalForm
    let value = key.isEmpty ? nil : key.withUnsafeBytes { folded.number(of: $0).number }
    if folded.count > lastRows.count { lastRows.append(0) }
    spellings.append(Spelling(valid: number, value: value))
    guard text.contains(where: { $0 >= 0x80 }) else { return number }
    var valid = String(decoding: text, as: UTF8.self)
    let other = valid.withUTF8 { utf8 in
      UnsafeRawBufferPointer(utf8).isEqual(to: text) ? number : self.number(of: UnsafeRawBufferPointer(utf8))
    }
    if other != number { spellings[number] = Spelling(valid: other, value: value) }
    return number
  }

  /// The values with their counts, most frequent first.
  package var values: [Facet.Value] {
    var best = [Int?](repeating: nil, count: lastRows.count)
    var counts = [Int](repeating: 0, count: lastRows.count)
    for (number, spelling) in spellings.enumerated() {
      guard let value = spelling.value, spelling.count > 0 else { continue }
      counts[value] += spelling.count
      if let known = best[value] {
        let least = spellings[known].count
        if spelling.count < least || spelling.count == least && !precedes(number, known) { continue }
      }
      best[value] = number
    }
    var found: [Counted] = []
    var strings: [String] = []
    for (number, count) in zip(best, counts) {
      guard let number else { continue }
      texts.withBytes(of: number) { text in
        let isPlain = text.isInNormalForm
        if !isPlain { strings.append(String(decoding: text, as: UTF8.self)) }
        found.append(
          Counted(number: number, count: count, start: text.start, string: isPlain ? nil : strings.count - 1))
      }
    }
    found.sort { one, other in
      if one.count != other.count { return one.count > other.count }
      if let own = one.string, let others = other.string { return strings[own].isSpelledBefore(strings[others]) }
      guard one.string == nil, other.string == nil else { return precedes(one.number, other.number) }
      if one.start != other.start { return one.start < other.start }
      return precedesByBytes(one.number, other.number)
    }
    return found.map { Facet.Value(text: $0.string.map { strings[$0] } ?? string(of: $0.number), count: $0.count) }
  }

  /// The best spelling of a value, with what orders it.
  private struct Counted {
    let number: Int
    let count: Int
    /// The first 8 bytes as a big-endian number.
    let start: UInt64
    /// The index of its string; nil if its bytes order it among others, because all characters are below U+0300.
    let string: Int?
  }

  private func string(of number: Int) -> String { texts.withBytes(of: number) { String(decoding: $0, as: UTF8.self) } }

  private func precedes(_ one: Int, _ other: Int) -> Bool { string(of: one).isSpelledBefore(string(of: other)) }

  private func precedesByBytes(_ one: Int, _ other: Int) -> Bool {
    texts.withBytes(of: one) { own in texts.withBytes(of: other) { own.lexicographicallyPrecedes($0) } }
  }
}

extension String {
  /// As `<`, and by bytes if both have the same characters.
  fileprivate func isSpelledBefore(_ other: String) -> Bool {
    self == other ? utf8.lexicographicallyPrecedes(other.utf8) : self < other
  }
}
