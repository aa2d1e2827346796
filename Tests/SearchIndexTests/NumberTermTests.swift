// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import SearchIndex

/// Ranges of numbers of which a document has several, compared with a scan of all numbers.
@Suite(.overlapping, .temporaryDirectory)
struct NumberTermTests {
  private let directory = TemporaryDirectory()

  private static let terms = NumberTerms(number: Array("XJA.w:".utf8), interval: Array("XJA.w;".utf8))

  private func number(_ generator: inout SeededGenerator) -> Double {
    switch Int.random(in: 0...5, using: &generator) {
    case 0: Double(Int.random(in: -4...4, using: &generator))
    case 1: Double(Int.random(in: -1_000...1_000, using: &generator)) / 4
    case 2: Double.random(in: -1e9...1e9, using: &generator)
    case 3: [1, 2, 4, 8, 0.5, -2, -8, 1e300, -1e300, 0].randomElement(using: &generator)!
    default: Double(Int.random(in: 0...200, using: &generator)) / 100
    }
  }

  @Test(arguments: Rounds.seeds(3, long: 20))
  func `a range finds the documents with a number in it`(seed: Int) throws {
    var generator = SeededGenerator(seed: seed)
    let writer = try IndexWriter(path: directory.file("db"), stemmer: "english")
    try writer.begin()
    var documents: [[Double]] = []
    for key in 0..<300 {
      let numbers = (0..<Int.random(in: 0...3, using: &generator)).map { _ in number(&generator) }
      documents.append(numbers)
      var document = Document()
      document.begin(uniqueTerm: Array("Q\(key)".utf8))
      for term in numbers.flatMap({ Self.terms.terms(of: SortableNumber($0)) }) { document.addTerm(term) }
      document.setValue(slot: 1, Array("\(key)".utf8))
      try writer.put(document)
    }
    try writer.commit(metadata: [:])
    let reader = try IndexReader(path: directory.file("db"), stemmer: "english")
    for _ in 0..<400 {
      let bounds = [number(&generator), number(&generator)].sorted()
      let (hasLower, hasUpper) = (
        Int.random(in: 0...4, using: &generator) > 0, Int.random(in: 0...4, using: &generator) > 0
      )
      let (lowIn, highIn) = (Bool.random(using: &generator), Bool.random(using: &generator))
      let range = NumberRange(
        from: hasLower ? .init(SortableNumber(bounds[0]), isInclusive: lowIn) : nil,
        to: hasUpper ? .init(SortableNumber(bounds[1]), isInclusive: highIn) : nil)
      func isIn(_ number: Double) -> Bool {
        (!hasLower || (lowIn ? number >= bounds[0] : number > bounds[0]))
          && (!hasUpper || (highIn ? number <= bounds[1] : number < bounds[1]))
      }
      let expected = documents.indices.filter { documents[$0].contains(where: isIn) }.map { "\($0)" }
      let query = try Self.terms.query(range, in: reader)
      let found = try reader.search(query, offset: 0, limit: 1_000, exactUpTo: 1_000, identitySlot: 1)
      #expect(found.hits.map { String(decoding: $0.identity, as: UTF8.self) }.sorted() == expected.sorted(), "\(range)")
    }
  }
}
