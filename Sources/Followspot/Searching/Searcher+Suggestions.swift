internal import IndexDefinitions
internal import PersistentStore
internal import SearchIndex

extension Searcher {
  /// Whole titles and whole facet values that start with a query, then completions of its last word, the most frequent
  /// first. If there are none, a correction of that word. Changes that are not indexed yet are covered.
  ///
  /// - Parameter request: Its `limit` is the maximum number of suggestions.
  package func suggestions(for request: SearchRequest) throws -> (suggestions: [Suggestion], notes: [String]) {
    try withSnapshot(request) { snapshot in
      let notes = snapshot.note.map { [$0] } ?? []
      let limit = request.limit ?? .max
      let typed = request.query
      guard !typed.allSatisfy(\.isWhitespace) else { return ([], notes) }
      let start = Self.lastPart(of: typed)
      let (before, last) = (String(typed[..<start]), String(typed[start...]))
      let (field, prefix, word) = try field(of: last)
      var found: [Suggestion] = []
      if field.isEmpty {
        found = try titles(prefix: typed, limit: limit) + items(prefix: typed, in: nil, limit: limit)
      } else {
        found = try items(
          prefix: word.hasPrefix("\"") ? String(word.dropFirst()) : word, in: String(field.dropLast()), limit: limit
        ).map { Suggestion(text: before + $0.text, kind: $0.kind, count: $0.count) }
      }
      let words = try self.words(prefix: word, fieldPrefix: prefix, limit: limit, behind: before)
      found += words.map { Suggestion(text: before + field + $0.word, kind: .word, count: $0.count) }
      if found.isEmpty, let correction = try correction(of: word, prefix: prefix) {
        found.append(
          Suggestion(text: before + field + correction.word, kind: .correction, count: correction.count))
      }
      var seen: Set<[UInt8]> = []
      return (Array(found.filter { seen.insert(folded($0.text)).inserted }.prefix(limit)), notes)
    }
  }

  /// The start of the part to complete: the last word, or a field with an unclosed quotation mark.
  private static func lastPart(of typed: String) -> String.Index {
    var end = typed.endIndex
    if let quote = typed.lastIndex(of: "\""), !typed.count(where: { $0 == "\"" }).isMultiple(of: 2) { end = quote }
    return typed[..<end].lastIndex(where: \.isWhitespace).map(typed.index(after:)) ?? typed.startIndex
  }

  /// Splits `title:toy` into its parts. A name that is not a field is part of the word.
  private func field(of word: String) throws -> (field: String, prefix: [UInt8], word: String) {
    guard let colon = word.firstIndex(of: ":") else { return ("", [], word) }
    let prefix: [UInt8]? =
      switch FieldName(String(word[..<colon]), in: index.fields) {
      case .field(let field) where !field.roles.isDisjoint(with: [.text, .facet]):
        DocumentLayout.textPrefix(field.fieldPrefix)
      case .keys(let field, let keys): try index.prefix(of: field, keys: keys)
      default: nil
      }
    guard let prefix else { return ("", [], word) }
    let behind = word.index(after: colon)
    return (String(word[..<behind]), prefix, String(word[behind...]))
  }

  // MARK: Words

  private func folded(_ text: String) -> [UInt8] { Array(index.folded(text).lowercased().utf8) }

  /// Words with a prefix, the most frequent first. If records that match the words before it have such words, only
  /// these records count.
  private func words(
    prefix typed: String, fieldPrefix prefix: [UInt8], limit: Int, behind before: String
  ) throws -> [(word: String, count: Int)] {
    let start = prefix + folded(typed)
    guard start.count > prefix.count else { return [] }
    let isFirst = before.allSatisfy(\.isWhitespace)
    // After other words, stop words are not worth suggesting.
    let stopWords = isFirst ? [] : Set(index.definition.stopWords.map { prefix + folded($0) })
    let terms = try frequentTerms(prefix: start).filter {
      try !stopWords.contains($0) && index.isWritten(Array($0.dropFirst(prefix.count)), prefix: prefix)
    }
    func counted(_ query: (Query) -> Query) throws -> [(word: String, count: Int)] {
      try terms.map {
        (String(decoding: $0.dropFirst(prefix.count), as: UTF8.self), try index.frequency(of: query(.term($0))))
      }
      .filter { $0.1 > 0 }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }.prefix(limit).map { (word: $0.0, count: $0.1) }
    }
    var request = SearchRequest(query: before)
    request.mayApproximate = false
    let known = Set(index.definition.stopWords)
    let saysSomething = before.split(whereSeparator: \.isWhitespace).contains { !known.contains($0.lowercased()) }
    if saysSomething, let others = try? plan(request).all {
      let together = try counted { .filter($0, by: others) }
      if !together.isEmpty { return together }
    }
    return try counted { $0 }
  }

  /// The terms with a prefix that most documents have.
  private func frequentTerms(prefix: [UInt8]) throws -> [[UInt8]] {
    // This counts documents that an overlay hides. Only the most frequent terms are counted exactly later.
    let ranked = try terms(prefix: prefix).map { (term: $0, frequency: try index.reader.frequency(of: $0)) }
    return ranked.sorted { $0.frequency > $1.frequency }.prefix(100).map(\.term)
  }

  private func correction(of word: String, prefix: [UInt8]) throws -> (word: String, count: Int)? {
    let corrector = WordCorrector(index: index, prefix: prefix)
    guard let closest = try corrector.closest(to: [folded(word)])[0] else { return nil }
    let terms = closest.split(separator: " ").map { prefix + Array($0.utf8) }
    let count = try index.frequency(of: .and(terms.map(Query.term)))
    return count > 0 ? (terms.count > 1 ? "\"\(closest)\"" : closest, count) : nil
  }
}
