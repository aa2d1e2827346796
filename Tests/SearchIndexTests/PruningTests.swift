// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import SearchIndex

/// The best hits are the same whether Xapian weighs all documents or skips those that cannot be among the best.
@Suite(.overlapping, .temporaryDirectory)
struct PruningTests {
  private let directory = TemporaryDirectory()

  private static let documents = 3_000
  private static let words = (0..<120).map { "w\($0)" }

  /// Common words and rare ones, as in real text.
  private static func word(_ random: inout SeededGenerator) -> [UInt8] {
    let rank = Int.random(in: 0..<words.count, using: &random) * Int.random(in: 0..<words.count, using: &random)
    return Array(words[rank / words.count].utf8)
  }

  private static func write(_ path: String, _ random: inout SeededGenerator) throws {
    let writer = try IndexWriter(path: path, stemmer: "none")
    var folder = TextFolder()
    try writer.begin()
    for number in 1...documents {
      var document = Document()
      document.begin(uniqueTerm: Array("Q\(number)".utf8))
      var text: [UInt8] = []
      for _ in 0..<Int.random(in: 1...12, using: &random) { text += word(&random) + [0x20] }
      document.addText(text, prefix: "", folder: &folder)
      document.setValue(slot: 1, [UInt8(number >> 8), UInt8(number & 255)])
      if number % 10 != 0 { document.setNumber(slot: 2, SortableNumber(Int64.random(in: 0...50, using: &random))) }
      try writer.put(document)
    }
    try writer.commit(metadata: [:])
  }

  private static func query(_ depth: Int, _ random: inout SeededGenerator) -> Query {
    func terms() -> [[UInt8]] { (0..<Int.random(in: 2...3, using: &random)).map { _ in word(&random) } }
    func queries() -> [Query] { (0..<Int.random(in: 2...3, using: &random)).map { _ in query(depth - 1, &random) } }
    func part() -> Query { query(depth - 1, &random) }
    switch depth == 0 ? Int.random(in: 0...2, using: &random) : Int.random(in: 0...12, using: &random) {
    case 0, 1: return .term(word(&random))
    case 2: return .phrase(terms())
    case 3, 4: return .or(queries())
    case 5: return .and(queries())
    case 6, 7:
      // Ways to find a word: terms, phrases, and phrases of any field.
      let words = terms()
      let phrases: [Query] = [.phrase(terms()), .filter(.and(words.map(Query.term)), by: .or([.phrase(words)]))]
      return .synonyms(words.map(Query.term) + (Bool.random(using: &random) ? phrases : []))
    case 8: return .andNot(part(), part())
    case 9: return .filter(part(), by: part())
    case 10: return .scaled(part(), by: 5)
    case 11: return .prefixes([Array("w\(Bool.random(using: &random) ? "1" : "")".utf8)])
    default:
      let boost: Query.Boost =
        Bool.random(using: &random) ? .recency(newest: 50, half: 5) : .magnitude(highest: 50)
      return .boosted(part(), slot: 2, boost, by: Double.random(in: 1...9, using: &random))
    }
  }

  /// Several words with a boost and conditions, as in most searches. Some words have several terms.
  ///
  /// - Parameter uuid: That of the database.
  private static func flat(_ shape: Shape, of uuid: String, _ random: inout SeededGenerator) -> Query {
    func chance() -> Bool { Bool.random(using: &random) }
    func term() -> Query {
      if chance() { return .term(word(&random)) }
      // Of more than 64 words, and of fewer.
      if chance(), chance() { return .prefixes([Array((chance() ? "w" : "w1").utf8)]) }
      return .synonyms((0..<Int.random(in: 1...5, using: &random)).map { _ in .term(word(&random)) })
    }
    func terms(_ count: ClosedRange<Int>) -> [Query] { (0..<Int.random(in: count, using: &random)).map { _ in term() } }
    var query: Query
    switch shape {
    case .anyOf: query = .or(terms(2...8))
    default: query = chance() ? term() : .and(terms(1...3) + (chance() ? [.numbers(slot: 2, 10, 40)] : []))
    }
    if chance() {
      query = .boosted(query, slot: 2, .recency(newest: 50, half: 5), by: Double.random(in: 1...9, using: &random))
    }
    if chance() {
      var excluded = terms(1...3)
      if chance() { excluded.append(ranges(of: uuid, &random)) }
      query = .andNot(query, excluded.count == 1 ? excluded[0] : .or(excluded))
    }
    if chance() { query = .filter(query, by: chance() ? .or(terms(2...3)) : term()) }
    return query
  }

  /// Documents with numbers in some ranges.
  private static func ranges(of uuid: String, _ random: inout SeededGenerator) -> Query {
    let ends = Set((0..<6).map { _ in UInt32.random(in: 1...3_200, using: &random) }).sorted()
    return .documents(stride(from: 0, to: ends.count - 1, by: 2).map { ends[$0]...ends[$0 + 1] }, of: uuid)
  }

  /// All of some words, any of some words, and nested operators.
  private enum Shape: CaseIterable, Sendable { case flat, anyOf, nested }

  @Test(arguments: Shape.allCases, Rounds.seeds(1, full: 2, long: 100))
  private func `a skipped document is never among the best hits`(shape: Shape, seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    let path = directory.file("db")
    try Self.write(path, &random)
    let reader = try IndexReader(path: path)
    func scores(_ query: Query, limit: Int, exactUpTo: Int) throws -> [Int] {
      try reader.search(query, offset: 0, limit: limit, exactUpTo: exactUpTo, identitySlot: 1).hits
        .map { Int(($0.score * 1e6).rounded()) }
    }
    let uuid = try reader.uuid()
    var found = 0
    let queries = Rounds.count(120, full: 240, long: 500) * (shape == .nested ? 1 : 3)
    for _ in 0..<queries {
      let query = shape == .nested ? Self.query(3, &random) : Self.flat(shape, of: uuid, &random)
      if shape != .nested { #expect(query.isFlat == (shape == .flat), "seed \(seed): \(query)") }
      let limit = Int.random(in: 1...10, using: &random)
      let all = try scores(query, limit: Self.documents, exactUpTo: Self.documents)
      let best = try scores(query, limit: limit, exactUpTo: 1)
      #expect(best == Array(all.prefix(limit)), "seed \(seed): \(query)")
      found += all.count
    }
    #expect(found > 5 * queries, "seed \(seed)")
  }

  @Test(arguments: Rounds.seeds(1, full: 4, long: 100))
  func `each match has one of the terms that a query requires`(seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    let path = directory.file("db")
    try Self.write(path, &random)
    let reader = try IndexReader(path: path)
    var known = 0
    for _ in 0..<Rounds.count(150, full: 600, long: 2_000) {
      let query = Self.query(3, &random)
      guard let terms = try query.requiredTerms(reader.frequency) else { continue }
      func matches(_ query: Query) throws -> Set<[UInt8]> {
        Set(
          try reader.search(query, offset: 0, limit: Self.documents, exactUpTo: Self.documents, identitySlot: 1).hits
            .map(\.identity))
      }
      let having = try matches(terms.isEmpty ? .nothing : .or(terms.map(Query.term)))
      #expect(try matches(query).isSubset(of: having), "seed \(seed): \(query)")
      if having.count < Self.documents / 2 { known += 1 }
    }
    // Otherwise the terms would tell nothing.
    #expect(known > 30)
  }
}
