internal import CXapian

/// One document on its way into an index: text, terms, values and data, in bytes that Xapian takes in one call.
///
/// Everything that is added lies one after the other in one array, each part behind a header that tells it apart from
/// others; the content digest is that array's digest.
package struct Document: Sendable {
  package private(set) var uniqueTerm: [UInt8] = []
  package private(set) var loss = TextFolder.Loss()
  private(set) var bytes: [UInt8] = []
  private(set) var parts: [cx_part] = []
  private var forms: [UInt8] = []
  private var language: String?
  /// The parts with words, and the fields that they belong to.
  private var texts: [(part: Int, field: Int, isGeneral: Bool)] = []
  /// Words by field, by the fields' numbers.
  package private(set) var lengths: [Int] = []

  private let counter: WordCounter

  package init(counter: WordCounter = WordCounter()) { self.counter = counter }

  /// Empties the document for another object, keeping its memory.
  package mutating func begin(uniqueTerm: [UInt8]) {
    self.uniqueTerm = uniqueTerm
    loss = TextFolder.Loss()
    language = nil
    bytes.removeAll(keepingCapacity: true)
    parts.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
    lengths.removeAll(keepingCapacity: true)
  }

  /// Bytes that the document holds in memory.
  package var size: Int { bytes.count + parts.count * MemoryLayout<cx_part>.stride }

  /// The digest of everything added so far. The unique term is not in it.
  package var digest: ContentDigest { ContentDigest(of: bytes) }

  /// Adds words under `prefix` and, where `isGeneral`, also without one. Only words under a prefix have positions, so
  /// phrases are searched there. Other forms of compounds follow without positions.
  ///
  /// - Parameter field: The number of the field, from 0. `weigh` turns its length into weights.
  package mutating func addText(
    _ text: UnsafeRawBufferPointer, prefix: [UInt8], field: Int, isGeneral: Bool, folder: inout TextFolder
  ) {
    var lost = TextFolder.Loss()
    add(CX_TEXT, slot: UInt32(field), number: isGeneral ? 1 : 0, prefix: prefix) { lost = folder.append(text, to: &$0) }
    loss += lost
    guard let part = parts.last, part.length > 0 else { return }
    while lengths.count <= field { lengths.append(0) }
    texts.append((parts.count - 1, field, isGeneral))
    forms.removeAll(keepingCapacity: true)
    bytes.withUnsafeBytes { bytes in
      let folded = UnsafeRawBufferPointer(rebasing: bytes[part.offset..<(part.offset + part.length)])
      if isGeneral { lengths[field] += counter.words(in: folded) }
      WordForms.append(of: folded, to: &forms)
    }
    if !forms.isEmpty {
      add(CX_FORMS, slot: UInt32(field), number: isGeneral ? 1 : 0, prefix: prefix) { [forms] in
        $0.append(contentsOf: forms)
      }
      texts.append((parts.count - 1, field, isGeneral))
    }
  }

  /// Gives each word its within-document frequency: a word of a field that is longer than usual counts less.
  ///
  /// - Parameter fields: The weight and the typical length of each field, in the order of their numbers.
  package mutating func weigh(_ fields: [FieldLength]) {
    for (part, field, isGeneral) in texts {
      let (own, general) = fields[field].frequencies(ofWords: lengths[field])
      parts[part].slot = UInt32(own)
      parts[part].number = isGeneral ? Double(general) : 0
    }
  }

  /// From here on words are stemmed by this language; by the index's own where it is nil.
  package mutating func setLanguage(_ language: String?) {
    guard language != self.language else { return }
    self.language = language
    add(CX_LANGUAGE, slot: 0, number: 0) { $0.append(contentsOf: (language ?? "").utf8) }
  }

  /// Adds a boolean term.
  package mutating func addTerm(_ term: [UInt8]) {
    add(CX_TERM, slot: 0, number: 0) { $0.append(contentsOf: term) }
  }

  package mutating func setValue(slot: UInt32, _ value: [UInt8]) {
    add(CX_VALUE, slot: slot, number: 0) { $0.append(contentsOf: value) }
  }

  /// Sets a value slot to a number, which ranges and orders compare.
  package mutating func setNumber(slot: UInt32, _ number: SortableNumber) { setValue(slot: slot, number.bytes) }

  package mutating func setData(_ data: [UInt8]) {
    add(CX_DATA, slot: 0, number: 0) { $0.append(contentsOf: data) }
  }

  /// Gives `body` what the C++ door takes of a document: the unique term, the bytes and the parts, lengths behind them.
  func withCharacters<Result>(
    _ body: (UnsafePointer<CChar>?, Int, UnsafePointer<CChar>?, UnsafePointer<cx_part>?, Int) -> Result
  ) -> Result {
    uniqueTerm.withCharacters { unique in
      bytes.withCharacters { bytes in
        parts.withUnsafeBufferPointer { body(unique, uniqueTerm.count, bytes, $0.baseAddress, $0.count) }
      }
    }
  }

  /// Adds a part: a header of kind, slot, number and both lengths, the prefix, the content.
  private mutating func add(
    _ kind: Int, slot: UInt32, number: Double, prefix: [UInt8] = [], content: (inout [UInt8]) -> Void
  ) {
    bytes.append(UInt8(kind))
    withUnsafeBytes(of: slot.littleEndian) { bytes.append(contentsOf: $0) }
    withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    let lengthsOffset = bytes.count
    bytes.append(contentsOf: [UInt8](repeating: 0, count: 8))
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
        length: length, number: number))
  }
}
