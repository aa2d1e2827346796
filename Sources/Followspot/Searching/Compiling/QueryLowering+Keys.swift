// SPDX-License-Identifier: MIT

internal import SearchIndex
internal import Store

/// A record that a query names by its key.
struct KeyedRecord: Equatable {
  let entity: String
  let key: Int64
  let term: [UInt8]
  /// Whether the query names its kind too, or the key is more than a number, which each kind of record may have.
  let isClear: Bool
}

extension QueryLowering {
  /// The records of an ordinary database whose key the plain words of a query are, as in `98`, `invoice 98`,
  /// `EPSG 4326`, and `4326` for the same. A key without digits is a text that the index has.
  ///
  /// - Parameters:
  ///   - typed: The plain words, or the words of the only phrase.
  ///   - years: The numbers among them that are years of records.
  func records(named typed: [String], years: Set<String>) throws -> [KeyedRecord] {
    let words = typed.flatMap { $0.split(whereSeparator: { $0.isWhitespace || $0 == ":" }).map(String.init) }
    guard words.count <= QueryBudget.mostKeyWords, words.contains(where: { $0.contains(where: \.isNumber) }) else {
      return []
    }
    let folded = words.map { view.folded($0).lowercased() }
    var found: [KeyedRecord] = []
    for name in view.definition.entities.keys.sorted() {
      let kind = view.searched.kindWords.match(folded, name)
      var texts = [words]
      if !kind.indices.isEmpty { texts.append(words.indices.filter { !kind.indices.contains($0) }.map { words[$0] }) }
      for text in texts where !text.isEmpty {
        let isNumber = text.count == 1 && Int64(text[0]) != nil
        let namesKind = text.count < words.count
        if isNumber, !namesKind, years.contains(text[0]) { continue }
        let whole = try view.store.keys(of: name, named: text.joined(separator: ":"))
        let parts = isNumber ? try view.store.keys(of: name, endingIn: text[0]) : []
        for key in whole + parts {
          let term = view.definition.lookupTerm(entity: name, key: key)
          guard try view.reader.frequency(of: term) > 0 else { continue }
          let isClear = namesKind || !isNumber || parts.contains(key)
          let record = KeyedRecord(entity: name, key: key, term: term, isClear: isClear)
          if !found.contains(record) { found.append(record) }
        }
      }
    }
    return found
  }
}
