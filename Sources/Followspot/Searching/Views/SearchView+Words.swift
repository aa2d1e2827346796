// SPDX-License-Identifier: MIT

internal import SearchIndex

/// Words as they are written. The index has them field by field; in searches of all fields they are looked up in each.
extension SearchView {
  /// Maximum number of documents that are checked for a written word.
  private static let mostChecked = 200

  /// Folds a text in the same way as the texts of documents.
  func folded(_ text: String) -> String {
    var folder = TextFolder()
    return folder.fold(text)
  }

  /// The term of a value of a facet, whole or a prefix.
  func facetTerm(_ field: FieldTable.Field, _ value: String) -> [UInt8] {
    var folder = TextFolder()
    return DocumentLayout.facetTerm(field.fieldPrefix, folder.sortKey(of: value))
  }

  /// The names of the fields that name records.
  var titleFields: [String] { Set(definition.entities.values.flatMap(\.title)).sorted() }

  /// The prefixes of the fields that name records.
  var titlePrefixes: [[UInt8]] {
    titleFields.compactMap { fields[$0] }.filter { $0.roles.contains(.text) }.map(\.textPrefix)
  }

  /// The prefixes under which the words of a field are, or those of all fields.
  ///
  /// - Parameter prefix: The prefix of the field's words; empty for all fields.
  func prefixes(_ prefix: [UInt8]) -> [[UInt8]] {
    prefix.isEmpty ? fields.textFields.map(\.textPrefix) : [prefix]
  }

  /// The prefixes of the words of all fields: those that name records first, and prose with its many words last.
  var prefixesByTitle: [[UInt8]] {
    let titles = titlePrefixes
    let definitions = definition.entities.values.flatMap(\.fields)
    let prose = Set(definitions.filter { $0.holds == .prose }.map { $0.name.lowercased() })
    let others = fields.textFields.filter { !titles.contains($0.textPrefix) }
    func prefixes(ofProse isProse: Bool) -> [[UInt8]] {
      others.filter { prose.contains($0.name.lowercased()) == isProse }.map(\.textPrefix)
    }
    return titles + prefixes(ofProse: false) + prefixes(ofProse: true)
  }

  /// The documents with a word as it is written or as another form of a compound, but not with other forms of its stem.
  func query(ofWord word: [UInt8], prefix: [UInt8]) -> Query {
    .synonyms(terms(ofWord: word, prefix: prefix).map(Query.term))
  }

  /// The terms of a word as it is written, and as a joined one.
  private func terms(ofWord word: [UInt8], prefix: [UInt8]) -> [[UInt8]] {
    prefixes(prefix).flatMap(JoinedWords.prefixes).map { $0 + word }
  }

  /// The number of documents with a word, counted once for each field that has it. Documents that an overlay replaces
  /// count.
  func frequency(ofWord word: [UInt8], prefix: [UInt8]) throws -> Int {
    try terms(ofWord: word, prefix: prefix).reduce(0) { try $0 + reader.frequency(of: $1) }
  }

  /// Whether a document has the word. Documents that an overlay replaces do not count.
  func occurs(word: [UInt8], prefix: [UInt8]) throws -> Bool {
    try terms(ofWord: word, prefix: prefix).contains { try occurs($0) }
  }

  /// Visits the words with a beginning, until `visit` returns false. Their bytes are valid during the call only.
  ///
  /// - Parameter prefix: The prefix of a field's words, of the words under keys of a JSON field, or of whole values.
  func eachWord(
    startingWith start: [UInt8], behind prefix: [UInt8], _ visit: @escaping (UnsafeRawBufferPointer) -> Bool
  ) throws {
    // Behind the prefix of words, there may also be the marks of joined words, a point before keys, and further letters of
    // other fields. Whole values begin with any sign.
    let isBare = start.isEmpty && !DocumentLayout.isFacet(prefix)
    let from = isBare ? [UInt8(ascii: ".") + 1] : start
    let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
    try reader.eachTerm(prefix: prefix + start, from: prefix + from) { term in
      let word = UnsafeRawBufferPointer(rebasing: term[prefix.count...])
      if isBare, let first = word.first, capitals.contains(first) { return true }
      return visit(word)
    }
  }

  /// Whether a text contains a word as written, in one field or in any. Words that were joined from the parts of a
  /// compound, such as `walle`, or split from one do not count: they have no positions. Items of one word have none either.
  ///
  /// - Parameter prefix: The prefix of the field's words; empty for all fields.
  func isWritten(_ word: [UInt8], prefix: [UInt8]) throws -> Bool {
    let items = fields.textFields.filter { prefix.isEmpty || $0.textPrefix == prefix }
      .map { DocumentLayout.facetTerm($0.fieldPrefix, String(decoding: word, as: UTF8.self)) }
    return try prefixes(prefix).contains { try reader.hasPositions($0 + word, most: Self.mostChecked) }
      || items.contains { try reader.frequency(of: $0) > 0 }
  }
}
