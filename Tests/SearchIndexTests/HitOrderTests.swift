// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import SearchIndex

/// Every page is a part of one list: the best hits first, and hits of equal relevance by identity.
@Suite(.overlapping, .temporaryDirectory)
struct HitOrderTests {
  private let directory = TemporaryDirectory()

  private static let identitySlot: UInt32 = 1

  /// How document numbers are related to identities.
  enum Identities: CaseIterable, Sendable { case ascending, descending, shuffled }

  /// The databases that are searched together.
  enum Databases: CaseIterable, Sendable { case one, overlay, group }

  private static func identities(
    _ kind: Identities, _ numbers: Range<Int>, _ random: inout SeededGenerator
  ) -> [[UInt8]] {
    let ascending = numbers.map { [UInt8($0 >> 8), UInt8($0 & 255)] }
    return switch kind {
    case .ascending: ascending
    case .descending: ascending.reversed()
    case .shuffled: ascending.shuffled(using: &random)
    }
  }

  /// Short texts of few words, so that most scores are equal to many others.
  private static func document(_ identity: [UInt8], _ random: inout SeededGenerator) -> Document {
    var folder = TextFolder()
    var document = Document()
    document.begin(uniqueTerm: Array("Q".utf8) + identity)
    let words = (0..<Int.random(in: 1...3, using: &random)).map { _ in word(&random) }
    document.addText(Array(words.joined(separator: " ".utf8)), prefix: "", folder: &folder)
    document.addTerm(Array("XB\(Int.random(in: 0...2, using: &random))".utf8))
    document.setValue(slot: identitySlot, identity)
    if Int.random(in: 0...9, using: &random) > 0 {
      document.setNumber(slot: 2, SortableNumber(Int64.random(in: 0...20, using: &random)))
    }
    return document
  }

  /// `w0` is in most texts, and `w9` in few.
  private static func word(_ random: inout SeededGenerator) -> [UInt8] {
    Array("w\(Int.random(in: 0...9, using: &random) * Int.random(in: 0...9, using: &random) / 10)".utf8)
  }

  private static func write(_ path: String, _ documents: [Document]) throws {
    let writer = try IndexWriter(path: path, stemmer: "none")
    try writer.begin()
    for document in documents { try writer.put(document) }
    try writer.commit(metadata: [:])
  }

  private static func reader(
    _ databases: Databases, _ identities: Identities, _ directory: TemporaryDirectory, _ random: inout SeededGenerator
  ) throws -> IndexReader {
    func documents(_ numbers: Range<Int>) -> [Document] {
      Self.identities(identities, numbers, &random).map { document($0, &random) }
    }
    try write(directory.file("first"), documents(0..<9_000))
    let first = try IndexReader(path: directory.file("first"))
    switch databases {
    case .one: return first
    case .overlay: return try first.overlaid(with: documents(8_950..<9_050), stemmer: "none")
    case .group:
      try write(directory.file("second"), documents(8_500..<9_500))
      return try .group(of: [first, IndexReader(path: directory.file("second"))], stemmer: "none")
    }
  }

  private static func query(_ random: inout SeededGenerator) -> Query {
    func words(_ count: ClosedRange<Int>) -> [Query] {
      (0..<Int.random(in: count, using: &random)).map { _ in .term(word(&random)) }
    }
    let flag = Query.term(Array("XB1".utf8))
    return switch Int.random(in: 0...9, using: &random) {
    case 0: .everything
    case 1: flag
    case 2: .numbers(slot: 2, 5, 15)
    case 3: .or(words(2...4))
    case 4: .and(words(2...2))
    case 5: .filter(words(1...1)[0], by: flag)
    case 6: .andNot(words(1...1)[0], flag)
    case 7: .boosted(words(1...1)[0], slot: 2, .recency(newest: 20, half: 5), by: 3)
    default: words(1...1)[0]
    }
  }

  /// Documents of several databases may have the same identity. Their order is not part of the list.
  private struct Ranked: Equatable {
    let score: Double
    let identity: [UInt8]

    init(_ hit: Hits.Hit) { (score, identity) = (hit.score, hit.identity) }

    static func precedes(_ one: Ranked, _ other: Ranked) -> Bool {
      if one.score != other.score { return one.score > other.score }
      return one.identity.lexicographicallyPrecedes(other.identity)
    }
  }

  @Test(arguments: Databases.allCases, Rounds.seeds(1, full: 3, long: 60))
  private func `a page is a part of the list of all hits`(databases: Databases, seed: Int) throws {
    let identities = Identities.allCases[seed % Identities.allCases.count]
    var random = SeededGenerator(seed: seed)
    let reader = try Self.reader(databases, identities, directory, &random)
    let documents = try reader.documentCount()
    for _ in 0..<25 {
      let query = Self.query(&random)
      let all = try reader.search(
        query, offset: 0, limit: documents, exactUpTo: documents, identitySlot: Self.identitySlot)
      let found = all.hits.map(Ranked.init)
      let list = found.sorted(by: Ranked.precedes)
      let isOrdered = found == list
      #expect(isOrdered, "seed \(seed): \(query)")
      #expect(all.matches == list.count, "seed \(seed): \(query)")
      for _ in 0..<6 {
        let offset = Bool.random(using: &random) ? 0 : Int.random(in: 0...(list.count + 10), using: &random)
        let limit = Int.random(in: 0...(Bool.random(using: &random) ? 3 : 400), using: &random)
        let exactUpTo = Bool.random(using: &random) ? 1 : documents
        let page = try reader.search(
          query, offset: offset, limit: limit, exactUpTo: exactUpTo, identitySlot: Self.identitySlot)
        let isPart = page.hits.map(Ranked.init) == Array(list.dropFirst(offset).prefix(limit))
        #expect(isPart, "seed \(seed): \(query), offset \(offset), limit \(limit), exact up to \(exactUpTo)")
        if exactUpTo == documents { #expect(page.matches == list.count, "seed \(seed): \(query)") }
      }
    }
  }
}
