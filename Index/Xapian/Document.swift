// SPDX-License-Identifier: MIT

package import Base
internal import CXapian

/// A document to index: text, terms, values and data, encoded so that one call passes them to Xapian.
///
/// One array holds all parts in the order in which they were added. Each follows a header, so that different parts never
/// have equal bytes. The content digest is the digest of this array.
package struct Document: Sendable {
  package private(set) var uniqueTerm: [UInt8] = []
  private(set) var loss = TextFolder.Loss()
  private(set) var bytes: [UInt8] = []
  private(set) var parts: [cx_part] = []
  /// Further forms of compounds, a blank behind each, by the prefixes of their words.
  private var forms: [(prefix: [UInt8], words: [UInt8])] = []
  private var language: String?
  /// The parts with words, and their fields.
  private var texts: [(part: Int, field: Int)] = []
  /// The number of words in each field, by field number.
  private(set) var lengths: [Int] = []

  private let counter: WordCounter

  package init(counter: WordCounter = WordCounter()) { self.counter = counter }

  /// Maximum size of the memory that is kept for the next object.
  private static let mostKept = 256 << 10

  /// Removes everything for another object, and keeps the allocated memory of a usual document. No copy may hold it, or as
  /// much is allocated again.
  package mutating func begin(uniqueTerm: [UInt8]) {
    self.uniqueTerm = uniqueTerm
    loss = TextFolder.Loss()
    language = nil
    func keeps<Element>(_ array: [Element]) -> Bool {
      array.capacity * MemoryLayout<Element>.stride <= Self.mostKept
    }
    bytes.removeAll(keepingCapacity: keeps(bytes))
    parts.removeAll(keepingCapacity: keeps(parts))
    texts.removeAll(keepingCapacity: keeps(texts))
    lengths.removeAll(keepingCapacity: true)
  }

  /// A copy without spare memory, which waits to be written.
  func compacted() -> Document {
    var copy = self
    copy.bytes = bytes.withUnsafeBufferPointer(Array.init)
    copy.parts = parts.withUnsafeBufferPointer(Array.init)
    (copy.forms, copy.texts, copy.lengths) = ([], [], [])
    return copy
  }

  /// Replaces the unique term. The digest does not change.
  package mutating func setUniqueTerm(_ term: [UInt8]) { uniqueTerm = term }

  /// The size of the document in memory, in bytes.
  package var size: Int { bytes.count + parts.count * MemoryLayout<cx_part>.stride }

  /// The digest of everything added so far, without the unique term.
  package var digest: ContentDigest { ContentDigest(of: bytes) }

  /// Adds words under `prefix`. Further forms of compounds are added without positions.
  ///
  /// - Parameters:
  ///   - field: The number of the field, from 0; see `weigh`.
  ///   - isCounted: Whether the words add to the length of the field. Words that it has under another prefix do not.
  ///   - isItem: Whether the document has a term of the whole text. If that is one word, it gets no position then, because
  ///     no phrase can contain it.
  package mutating func addText(
    _ text: UnsafeRawBufferPointer, prefix: [UInt8], field: Int, isCounted: Bool, isItem: Bool,
    folder: inout TextFolder
  ) {
    var lost = TextFolder.Loss()
    let kind = isItem && WordRule.isPlainWord(text) ? CX_UNPLACED : CX_TEXT
    add(kind, slot: UInt32(field), prefix: prefix) { lost = folder.append(text, to: &$0) }
    loss += lost
    guard let part = parts.last, part.length > 0 else { return }
    while lengths.count <= field { lengths.append(0) }
    texts.append((parts.count - 1, field))
    forms.removeAll(keepingCapacity: true)
    bytes.withUnsafeBytes { bytes in
      let folded = UnsafeRawBufferPointer(rebasing: bytes[part.offset..<(part.offset + part.length)])
      if isCounted { lengths[field] += counter.words(in: folded) }
      WordForms.each(of: folded) { found in
        for (word, known) in found.joined { addForm(word, JoinedWords.prefix(prefix, known: known)) }
        for word in found.others { addForm(word, prefix) }
      }
    }
    for form in forms {
      let kind = form.prefix == prefix ? CX_UNPLACED : CX_JOINED
      add(kind, slot: UInt32(field), prefix: form.prefix) { $0.append(contentsOf: form.words) }
      texts.append((parts.count - 1, field))
    }
  }

  private mutating func addForm(_ word: [UInt8], _ prefix: [UInt8]) {
    let group = forms.firstIndex { $0.prefix == prefix } ?? forms.endIndex
    if group == forms.endIndex { forms.append((prefix, [])) }
    forms[group].words.append(contentsOf: word)
    forms[group].words.append(0x20)
  }

  /// Sets the within-document frequency of each word. A word counts less in a field that is longer than usual.
  ///
  /// - Parameter fields: The weight and the typical length of each field, in the order of their numbers.
  package mutating func weigh(_ fields: [FieldLength]) {
    for (part, field) in texts {
      parts[part].slot = UInt32(fields[field].frequency(ofWords: lengths[field]))
    }
  }

  /// Sets the language that stems the following words; nil is the language of the index.
  mutating func setLanguage(_ language: String?) {
    guard language != self.language else { return }
    self.language = language
    add(CX_LANGUAGE, slot: 0) { $0.append(contentsOf: (language ?? "").utf8) }
  }

  /// Adds a boolean term.
  package mutating func addTerm(_ term: [UInt8]) {
    add(CX_TERM, slot: 0) { $0.append(contentsOf: term) }
  }

  package mutating func setValue(slot: UInt32, _ value: [UInt8]) {
    add(CX_VALUE, slot: slot) { $0.append(contentsOf: value) }
  }

  /// Sets a value slot to a number, for ranges and sorting.
  package mutating func setNumber(slot: UInt32, _ number: SortableNumber) { setValue(slot: slot, number.bytes) }

  package mutating func setData(_ data: [UInt8]) {
    add(CX_DATA, slot: 0) { $0.append(contentsOf: data) }
  }

  /// Calls `body` with the arguments of `cx_put`: unique term, bytes and parts, with their lengths.
  func withCharacters<Result>(
    _ body: (UnsafePointer<CChar>?, Int, UnsafePointer<CChar>?, UnsafePointer<cx_part>?, Int) -> Result
  ) -> Result {
    uniqueTerm.withCharacters { unique in
      bytes.withCharacters { bytes in
        parts.withUnsafeBufferPointer { body(unique, uniqueTerm.count, bytes, $0.baseAddress, $0.count) }
      }
    }
  }

  /// Adds a part: a header of kind, slot and both lengths, the prefix, the content.
  private mutating func add(_ kind: Int, slot: UInt32, prefix: [UInt8] = [], content: (inout [UInt8]) -> Void) {
    bytes.append(UInt8(kind))
    withUnsafeBytes(of: slot.littleEndian) { bytes.append(contentsOf: $0) }
    let lengthsOffset = bytes.count
    withUnsafeBytes(of: UInt64(0)) { bytes.append(contentsOf: $0) }
    let prefixOffset = bytes.count
    bytes.append(contentsOf: prefix)
    let offset = bytes.count
    content(&bytes)
    let length = bytes.count - offset
    for index in 0..<4 {
      bytes[lengthsOffset + index] = UInt8(truncatingIfNeeded: prefix.count >> (index * 8))
      bytes[lengthsOffset + 4 + index] = UInt8(truncatingIfNeeded: length >> (index * 8))
    }
    parts.append(
      cx_part(
        kind: UInt32(kind), slot: slot, prefix_offset: prefixOffset, prefix_length: prefix.count, offset: offset,
        length: length))
  }
}
