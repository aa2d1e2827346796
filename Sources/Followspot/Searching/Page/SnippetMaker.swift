// SPDX-License-Identifier: MIT

internal import SearchIndex
internal import Store

/// Finds the passage of a row's text that matches a query best. Words are compared as the index compares them: folded
/// and stemmed.
final class SnippetMaker {
  /// Maximum length in Unicode scalars.
  private static let length = 160
  /// Maximum number of scalars of one field that are read.
  private static let farthest = 200_000

  private let terms: QueryTerms
  private let reader: IndexReader
  private let fields: [Field]
  /// The first bytes of all terms, to skip most words quickly.
  private let firstBytes: Set<UInt8>
  private var folder = TextFolder()
  /// The terms that each folded word matches, by the languages of its field.
  private var known: [[String?]: [String: Set<QueryTerms.Term>]] = [:]

  private struct Field {
    let prefix: String
    let isTitle: Bool
    /// nil is the language of the index.
    let languages: [String?]
    let reader: FieldReader
  }

  init(query: Query, _ view: SearchView) throws {
    terms = QueryTerms(query)
    reader = view.reader
    firstBytes = Set(terms.terms.compactMap(\.text.first))
    let mapper = try view.mapper
    let titles = Set(view.definition.entities.values.flatMap { $0.title.map { $0.lowercased() } })
    fields = view.fields.names.compactMap { name in
      guard let field = view.fields[name], field.roles.contains(.text),
        let reader = FieldReader(name, rows: view.rows, mapper: mapper)
      else { return nil }
      return Field(
        prefix: field.fieldPrefix, isTitle: titles.contains(name.lowercased()),
        languages: FieldTable.sorted(field.languages), reader: reader)
    }
  }

  /// nil if no text of the row has a word of the query. The title is used only if nothing else matches.
  ///
  /// - Parameter title: A text shown beside the snippet, which must not repeat it; nil if there is none.
  func snippet(of row: RowIdentifier, beside title: String? = nil) throws -> Snippet? {
    guard !terms.terms.isEmpty else { return nil }
    let shown = title.map { folder.fold($0).lowercased() }
    var best: (rank: Int, snippet: Snippet)?
    for field in fields {
      for value in try field.reader.values(of: row) {
        if let shown, folder.fold(value.text).lowercased() == shown { continue }
        guard let (words, snippet) = try snippet(in: value.text, field) else { continue }
        let rank = words * 2 + (field.isTitle ? 0 : 1)
        if rank > best?.rank ?? 0 { best = (rank, snippet) }
      }
    }
    return best?.snippet
  }

  private struct Match {
    let range: Range<Int>
    let terms: Set<QueryTerms.Term>
  }

  private func snippet(in text: String, _ field: Field) throws -> (words: Int, snippet: Snippet)? {
    let scalars = Array(text.unicodeScalars.prefix(Self.farthest))
    let matches = try matches(in: scalars, field)
    guard !matches.isEmpty else { return nil }
    var best = (start: 0, words: 0)
    for (position, match) in matches.enumerated() {
      var found: Set<QueryTerms.Term> = []
      for other in matches[position...] {
        guard other.range.upperBound - match.range.lowerBound <= Self.length else { break }
        found.formUnion(other.terms)
      }
      if found.count > best.words { best = (match.range.lowerBound, max(found.count, 1)) }
    }
    let window = Self.window(from: best.start, in: scalars)
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars[window].map { Self.isSpace($0) ? " " : $0 })
    let inside = matches.filter { window.contains($0.range.lowerBound) && $0.range.upperBound <= window.upperBound }
    let snippet = Snippet(
      field: field.reader.name, text: String(view),
      highlights: inside.map { ($0.range.lowerBound - window.lowerBound)..<($0.range.upperBound - window.lowerBound) },
      isTruncatedBefore: window.lowerBound > 0, isTruncatedAfter: window.upperBound < scalars.count)
    return (max(1, best.words), snippet)
  }

  /// The range around a match, from the start of a word to the end of one.
  private static func window(from start: Int, in scalars: [Unicode.Scalar]) -> Range<Int> {
    guard scalars.count > length else { return 0..<scalars.count }
    var low = max(0, min(start - length / 4, scalars.count - length))
    var high = min(scalars.count, low + length)
    if low > 0 {
      while low < start, !isEdge(scalars[low - 1]) { low += 1 }
    }
    while high < scalars.count, high > start + length / 2, !isEdge(scalars[high]) { high -= 1 }
    return low..<high
  }

  /// Whether a snippet may begin behind a scalar, or end before it. Letters of a script without blanks are no more a part
  /// of the word before them than a blank is.
  private static func isEdge(_ scalar: Unicode.Scalar) -> Bool { isSpace(scalar) || WordRule.isUnspaced(scalar) }

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace }

  // MARK: Words

  private func matches(in scalars: [Unicode.Scalar], _ field: Field) throws -> [Match] {
    // The words are those of the folded text, as in the index; a scalar may fold to several or to none.
    var folded: [Unicode.Scalar] = []
    var origins: [Int] = []
    for (position, scalar) in scalars.enumerated() {
      if scalar.isASCII {
        folded.append(TextFolder.divided(scalar))
        origins.append(position)
      } else {
        for part in String(decoding: folder.replacement(for: scalar), as: UTF8.self).unicodeScalars {
          folded.append(TextFolder.divided(part))
          origins.append(position)
        }
      }
    }
    func range(_ first: Range<Int>, _ last: Range<Int>) -> Range<Int> {
      var end = origins[last.upperBound - 1] + 1
      // Combining marks at the end fold to nothing, and belong to the word.
      while end < scalars.count, !scalars[end].isASCII, folder.replacement(for: scalars[end]).isEmpty { end += 1 }
      return origins[first.lowerBound]..<end
    }
    let words = WordRule.words(in: folded)
    let wanted = terms.letters(in: field.prefix)
    var matches: [Match] = []
    var at = 0
    while at < words.count {
      let end = words[at...].firstIndex { !WordRule.isUnspaced(folded[$0.lowerBound]) } ?? words.count
      if end > at {
        let letters = words[at..<end].map { folded[$0.lowerBound] }
        matches += Self.matches(of: wanted, in: letters).map { found in
          Match(
            range: range(words[at + found.range.lowerBound], words[at + found.range.upperBound - 1]), terms: found.terms
          )
        }
        at = end
        continue
      }
      var view = String.UnicodeScalarView()
      view.append(contentsOf: folded[words[at]])
      let terms = try terms(of: String(view), field.languages).filter { $0.fieldPrefix == field.prefix }
      if !terms.isEmpty { matches.append(Match(range: range(words[at], words[at]), terms: terms)) }
      at += 1
    }
    return matches
  }

  /// Where adjacent letters of a script without blanks are those of the query. Matches that touch are one.
  private static func matches(
    of wanted: [(term: QueryTerms.Term, letters: [Unicode.Scalar])], in letters: [Unicode.Scalar]
  ) -> [Match] {
    var found: [Match] = []
    for start in letters.indices {
      for (term, adjacent) in wanted where letters[start...].starts(with: adjacent) {
        let range = start..<(start + adjacent.count)
        guard let last = found.last, last.range.upperBound >= start else {
          found.append(Match(range: range, terms: [term]))
          continue
        }
        let end = max(last.range.upperBound, range.upperBound)
        found[found.count - 1] = Match(range: last.range.lowerBound..<end, terms: last.terms.union([term]))
      }
    }
    return found
  }

  /// The terms of the query that a folded word has in a field with these languages.
  private func terms(of word: String, _ languages: [String?]) throws -> Set<QueryTerms.Term> {
    if let known = known[languages]?[word] { return known }
    var found: Set<QueryTerms.Term> = []
    let first = word.lowercased().utf8.first
    if let first, firstBytes.contains(first) || !word.utf8.allSatisfy({ $0 < 0x80 }) {
      // Folding also truncates long words, as the index and the query do.
      let folded = folder.fold(word)
      for token in try languages.flatMap({ try reader.tokens(of: folded, language: $0) }) {
        for term in terms.terms {
          let matches =
            switch term.kind {
            case .word: term.text == token.raw
            case .stem: term.text == token.stemmed ?? token.raw
            case .prefix: token.raw.starts(with: term.text)
            }
          if matches { found.insert(term) }
        }
      }
    }
    known[languages, default: [:]][word] = found
    return found
  }
}
