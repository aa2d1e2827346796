internal import SearchIndex

/// Counts the rows that have each value, without regard to case and diacritics. Empty texts are not counted.
struct FacetCounter {
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
  mutating func add(_ text: String, count: Int) {
    var text = text
    let number = text.withUTF8 { self.number(of: UnsafeRawBufferPointer($0)) }
    if spellings[number].value != nil { spellings[number].count += count }
  }

  /// The number of a spelling.
  private mutating func number(of text: UnsafeRawBufferPointer) -> Int {
    let (number, isNew) = texts.number(of: text)
    guard isNew else { return number }
    let key = folder.sortKey(of: text).inNormalForm
    let value = key.isEmpty ? nil : key.withUnsafeBytes { folded.number(of: $0).number }
    if folded.count > lastRows.count { lastRows.append(0) }
    spellings.append(Spelling(valid: number, value: value))
    guard text.contains(where: { $0 >= 0x80 }) else { return number }
    var valid = String(decoding: text, as: UTF8.self)
    let other = valid.withUTF8 { utf8 in
      utf8.elementsEqual(text) ? number : self.number(of: UnsafeRawBufferPointer(utf8))
    }
    if other != number { spellings[number] = Spelling(valid: other, value: value) }
    return number
  }

  /// The values with their counts, most frequent first.
  var values: [Facet.Value] {
    var best = [Spelled?](repeating: nil, count: lastRows.count)
    var counts = [Int](repeating: 0, count: lastRows.count)
    for (number, spelling) in spellings.enumerated() {
      guard let value = spelling.value, spelling.count > 0 else { continue }
      counts[value] += spelling.count
      if let known = best[value], spellings[known.number].count > spelling.count { continue }
      let own = Spelled(number, texts)
      if let known = best[value], spellings[known.number].count == spelling.count, !own.precedes(known, texts) {
        continue
      }
      best[value] = own
    }
    let found = zip(best, counts).compactMap { best, count in best.map { (spelled: $0, count: count) } }
    return found.sorted { $0.count != $1.count ? $0.count > $1.count : $0.spelled.precedes($1.spelled, texts) }.map {
      Facet.Value(text: $0.spelled.text, count: $0.count)
    }
  }

  /// A spelling with what orders it: as strings are ordered, and by bytes if both have the same characters.
  private struct Spelled {
    let number: Int
    let text: String
    /// Whether its bytes order it among others of this kind, as strings below U+0300 are ordered.
    let isPlain: Bool
    /// The first 8 bytes as a big-endian number.
    let start: UInt64

    init(_ number: Int, _ texts: ByteTable) {
      self.number = number
      (text, isPlain, start) = texts.withBytes(of: number) {
        (String(decoding: $0, as: UTF8.self), $0.isInNormalForm, $0.start)
      }
    }

    func precedes(_ other: Spelled, _ texts: ByteTable) -> Bool {
      guard isPlain, other.isPlain else {
        return text == other.text ? text.utf8.lexicographicallyPrecedes(other.text.utf8) : text < other.text
      }
      if start != other.start { return start < other.start }
      return texts.withBytes(of: number) { own in
        texts.withBytes(of: other.number) { own.lexicographicallyPrecedes($0) }
      }
    }
  }
}

extension UnsafeRawBufferPointer {
  /// The first bytes, at most 8, as a big-endian number that is filled up with zeros.
  fileprivate var start: UInt64 { (0..<8).reduce(0) { $0 << 8 | ($1 < count ? UInt64(self[$1]) : 0) } }
}
