internal import IndexDefinitions
internal import PersistentStore
internal import SearchIndex

extension Searcher {
  /// Whole titles and whole facet values that start with a query, then completions of its last word, the most frequent
  /// first. If there are none, a correction of that word. Changes that are not indexed yet are covered.
  ///
  /// - Parameter limit: Suggestions at most.
  package func suggestions(for request: SearchRequest) throws -> (suggestions: [Suggestion], notes: [String]) {
    try atOneMoment(request) { view in
      let notes = view.note.map { [$0] } ?? []
      let limit = request.limit ?? .max
      let typed = request.query
      guard !typed.allSatisfy(\.isWhitespace) else { return ([], notes) }
      let start = Self.lastPart(of: typed)
      let (before, last) = (String(typed[..<start]), String(typed[start...]))
      let (field, prefix, word) = field(of: last)
      var found: [Suggestion] = []
      if field.isEmpty {
        found = try titles(beginning: typed, limit: limit) + items(beginning: typed, in: nil, limit: limit)
      } else {
        found = try items(
          beginning: word.hasPrefix("\"") ? String(word.dropFirst()) : word, in: String(field.dropLast()), limit: limit
        ).map { Suggestion(text: before + $0.text, kind: $0.kind, count: $0.count) }
      }
      let words = try self.words(beginning: word, prefix: prefix, limit: limit, behind: before)
      found += words.map { Suggestion(text: before + field + $0.word, kind: .word, count: $0.count) }
      if found.isEmpty, let correction = try correction(of: word, prefix: prefix) {
        found.append(
          Suggestion(text: before + field + correction.word, kind: .correction, count: correction.count))
      }
      var seen: Set<[UInt8]> = []
      return (Array(found.filter { seen.insert(folded($0.text)).inserted }.prefix(limit)), notes)
    }
  }

  /// Where the part begins that is completed: the last word, or a field with a quotation mark that is not closed.
  private static func lastPart(of typed: String) -> String.Index {
    var end = typed.endIndex
    if let quote = typed.lastIndex(of: "\""), !typed.count(where: { $0 == "\"" }).isMultiple(of: 2) { end = quote }
    return typed[..<end].lastIndex(where: \.isWhitespace).map(typed.index(after:)) ?? typed.startIndex
  }

  /// `title:toy` in its parts; a name that is no field's is part of the word.
  private func field(of word: String) -> (field: String, prefix: [UInt8], word: String) {
    guard let colon = word.firstIndex(of: ":"), let field = index.fields[String(word[..<colon])],
      !field.roles.isDisjoint(with: [.text, .facet])
    else { return ("", [], word) }
    let behind = word.index(after: colon)
    return (String(word[..<behind]), DocumentLayout.textPrefix(field.fieldPrefix), String(word[behind...]))
  }

  // MARK: Words

  private func folded(_ text: String) -> [UInt8] {
    var folder = TextFolder()
    return Array(folder.fold(text).lowercased().utf8)
  }

  /// Words that begin as one does, the most frequent first: among the records that have the words before it, where any
  /// of those has such a word.
  private func words(
    beginning typed: String, prefix: [UInt8], limit: Int, behind before: String
  ) throws -> [(word: String, count: Int)] {
    let beginning = prefix + folded(typed)
    guard beginning.count > prefix.count else { return [] }
    let isFirst = before.allSatisfy(\.isWhitespace)
    // Behind other words a stop word says nothing.
    let stopWords = isFirst ? [] : Set(index.definition.stopWords.map { prefix + folded($0) })
    let terms = try frequentTerms(beginning: beginning).filter {
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
  private func frequentTerms(beginning: [UInt8]) throws -> [[UInt8]] {
    // Documents that an overlay hides count here; then those of the most frequent terms alone are counted rightly.
    let ranked = try terms(beginning: beginning).map { (term: $0, frequency: try index.reader.frequency(of: $0)) }
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
