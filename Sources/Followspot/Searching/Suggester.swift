// SPDX-License-Identifier: MIT

internal import SearchIndex

/// Completes a partial query from the titles, the values and the words of a view.
struct Suggester {
  let view: SearchView

  /// As `Searcher.suggestions`.
  func suggestions(for request: SearchRequest) throws -> [Suggestion] {
    let limit = request.limit ?? .max
    let typed = request.query
    guard !typed.allSatisfy(\.isWhitespace) else { return [] }
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
    return Array(found.filter { seen.insert(folded($0.text)).inserted }.prefix(limit))
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
      switch FieldName(String(word[..<colon]), in: view.fields) {
      case .field(let field) where !field.roles.isDisjoint(with: [.text, .facet]):
        field.textPrefix
      case .keys(let field, let keys): try view.prefix(of: field, keys: keys)
      default: nil
      }
    guard let prefix else { return ("", [], word) }
    let behind = word.index(after: colon)
    return (String(word[..<behind]), prefix, String(word[behind...]))
  }

  // MARK: Words

  private func folded(_ text: String) -> [UInt8] { Array(view.folded(text).lowercased().utf8) }

  /// Words with a prefix, the most frequent first. If records that match the words before it have such words, only
  /// these records count.
  private func words(
    prefix typed: String, fieldPrefix prefix: [UInt8], limit: Int, behind before: String
  ) throws -> [(word: String, count: Int)] {
    let start = folded(typed)
    guard !start.isEmpty else { return [] }
    let isFirst = before.allSatisfy(\.isWhitespace)
    // After other words, stop words are not worth suggesting.
    let stopWords = isFirst ? [] : Set(view.stopWords.map { Array($0.utf8) })
    let words = try frequentWords(startingWith: start, prefix: prefix).filter {
      try !stopWords.contains($0) && view.isWritten($0, prefix: prefix)
    }
    func counted(_ query: (Query) -> Query) throws -> [(word: String, count: Int)] {
      try words.map {
        (String(decoding: $0, as: UTF8.self), try view.frequency(of: query(view.query(ofWord: $0, prefix: prefix))))
      }
      .filter { $0.1 > 0 }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }.prefix(limit).map { (word: $0.0, count: $0.1) }
    }
    var request = SearchRequest(query: before)
    request.mayApproximate = false
    let known = view.stopWords
    let saysSomething = before.split(whereSeparator: \.isWhitespace).contains { !known.contains($0.lowercased()) }
    if saysSomething, let others = try? QueryCompiler(request, view).plan().all {
      let together = try counted { .filter($0, by: others) }
      if !together.isEmpty { return together }
    }
    return try counted { $0 }
  }

  /// The words with a beginning that most documents have.
  private func frequentWords(startingWith start: [UInt8], prefix: [UInt8]) throws -> [[UInt8]] {
    // This counts documents that an overlay hides. Only the most frequent words are counted exactly later.
    var frequencies: [[UInt8]: Int] = [:]
    for prefix in view.prefixes(prefix) {
      for term in try terms(prefix: prefix + start) {
        frequencies[Array(term.dropFirst(prefix.count)), default: 0] += try view.reader.frequency(of: term)
      }
    }
    let ranked = frequencies.sorted {
      $0.value != $1.value ? $0.value > $1.value : $0.key.lexicographicallyPrecedes($1.key)
    }
    return ranked.prefix(100).map(\.key)
  }

  private func correction(of word: String, prefix: [UInt8]) throws -> (word: String, count: Int)? {
    let corrector = WordCorrector(view: view, prefix: prefix)
    guard let closest = try corrector.closest(to: [folded(word)])[0] else { return nil }
    let words = closest.split(separator: " ").map { view.query(ofWord: Array($0.utf8), prefix: prefix) }
    let count = try view.frequency(of: .and(words))
    return count > 0 ? (words.count > 1 ? "\"\(closest)\"" : closest, count) : nil
  }
}
