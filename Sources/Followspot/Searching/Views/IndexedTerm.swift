// SPDX-License-Identifier: MIT

internal import Base
package import SearchIndex
package import Store

/// One term of a document, in readable form.
package struct IndexedTerm: Equatable, Sendable {
  package enum Kind: String, Sendable {
    case word, stem, title, value, facet, flag, number, date, kind, year, month, related, identity
  }

  package let kind: Kind
  /// The field's name; nil for terms without a field.
  package let field: String?
  package let text: String
  /// How often it counts in ranking; 0 if it only filters.
  package let weight: Int

  /// The terms of a row's document, in the order of the index; nil if the index does not have the row.
  ///
  /// - Throws: `IndexError.missing`, `.corrupt`.
  package static func of(
    _ entity: EntityLayout, key: Int64, layout: StoreLayout, directory: IndexDirectory
  ) throws -> [IndexedTerm]? {
    let index = try OpenIndex(directory: directory, layout: layout)
    let term = index.definition.lookupTerm(entity: entity.entity.name, key: key)
    guard let description = try index.reader.description(ofStored: term) else { return nil }
    let names = Dictionary(
      index.fields.names.compactMap { name in index.fields[name].map { ($0.fieldPrefix, name) } },
      uniquingKeysWith: { first, _ in first })
    return description.split(separator: UInt8(ascii: "\n")).compactMap { line in
      // A line has `term`, the escaped term without blanks, its frequency, and its positions if it has any.
      let parts = line.split(separator: UInt8(ascii: " "))
      guard parts.count >= 3, parts[0].elementsEqual("term".utf8) else { return nil }
      let weight = Int(String(decoding: parts[parts.count > 3 ? parts.count - 2 : parts.count - 1], as: UTF8.self)) ?? 0
      return IndexedTerm(unescaped(parts[1]), weight: weight, names: names)
    }
  }

  /// The words in the texts of a document, of all fields.
  static func writtenWords(of uniqueTerm: [UInt8], in reader: IndexReader) throws -> [String] {
    let description = try reader.description(ofStored: uniqueTerm) ?? []
    return description.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let parts = line.split(separator: UInt8(ascii: " "))
      // A line has `term`, the term, its frequency and its positions. Derived forms of words have no positions. Items of one
      // word have none either, but have a term of their own.
      guard parts.count >= 3, parts[0].elementsEqual("term".utf8) else { return nil }
      if TermPrefix(of: parts[1]) == .facet, let colon = parts[1].firstIndex(of: UInt8(ascii: ":")) {
        let item = parts[1][(colon + 1)...]
        return WordRule.isPlainWord(item) ? String(decoding: item, as: UTF8.self) : nil
      }
      guard parts.count == 4 else { return nil }
      return DocumentLayout.word(unescaped(parts[1])).map { String(decoding: $0.text, as: UTF8.self) }
    }
  }

  private init(_ term: [UInt8], weight: Int, names: [String: String]) {
    self.weight = weight
    if let word = DocumentLayout.word(term) {
      kind = word.isStem ? .stem : .word
      field = names[word.fieldPrefix].map { name in name + (word.keys.map { "." + $0 } ?? "") }
      text = String(decoding: word.text, as: UTF8.self)
      return
    }
    func string(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
    /// Splits a term into the field prefix and the text after the colon.
    func valued(_ kind: Kind) -> (Kind, String?, String) {
      let body = term.dropFirst(2)
      guard let colon = body.firstIndex(of: UInt8(ascii: ":")) else { return (kind, nil, string(body)) }
      return (kind, names[string(body[..<colon])], string(body[(colon + 1)...]))
    }
    /// The kind, the field and the value of a term inside JSON. Intervals have no text.
    func typed() -> (Kind, String?, String) {
      let body = term.dropFirst(2)
      guard let dot = body.firstIndex(of: UInt8(ascii: ".")),
        let keys = DocumentLayout.JSONTerms.keys(in: body[(dot + 1)...])
      else { return (.value, nil, string(body)) }
      let name = names[string(body[..<dot])].map {
        keys.isEmpty ? $0 : $0 + "." + DocumentLayout.JSONTerms.name(of: keys)
      }
      let value = body[(keys.endIndex + 1)...]
      switch body[keys.endIndex] {
      case UInt8(ascii: ":"):
        let bytes = Array(value)
        let number = SortableNumber.integer(of: bytes).map { "\($0)" } ?? "\(SortableNumber.double(of: bytes))"
        return (.number, name, number)
      case UInt8(ascii: "<"):
        return (.date, name, DateText.format(secondsSince2001: SortableNumber.double(of: Array(value))))
      case UInt8(ascii: "="): return (.flag, name, string(value))
      case UInt8(ascii: ";"): return (.number, name, "")
      default: return (.date, name, "")
      }
    }
    let prefix = TermPrefix(of: term) ?? .unique
    let rest = string(term.dropFirst(prefix.bytes.count))
    let found: (kind: Kind, field: String?, text: String) =
      switch prefix {
      case .facet: valued(.facet)
      case .json: typed()
      case .year: valued(.year)
      case .month: valued(.month)
      case .presence, .rowOnly: (.value, names[rest], "")
      case .title: (.title, nil, rest)
      case .flag: (.flag, nil, rest)
      case .entity, .extending: (.kind, nil, rest)
      case .related, .omitted: (.related, nil, rest)
      case .key, .unique, .text, .overlay, .tombstone: (.identity, nil, rest)
      }
    (kind, field) = (found.kind, found.field)
    text = Term.value(of: Array(found.text.utf8), behind: [])
  }

  /// Decodes escapes such as `\x20` to bytes.
  private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var at = text.startIndex
    while at < text.endIndex {
      if text[at] == UInt8(ascii: "\\"), at + 3 < text.endIndex,
        let byte = UInt8(String(decoding: text[(at + 2)..<(at + 4)], as: UTF8.self), radix: 16)
      {
        bytes.append(byte)
        at += 4
      } else {
        bytes.append(text[at])
        at += 1
      }
    }
    return bytes
  }
}
