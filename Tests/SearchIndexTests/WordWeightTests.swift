// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

@testable import SearchIndex

/// The weight of a word that has a term in each of several fields.
@Suite(.overlapping, .temporaryDirectory)
struct WordWeightTests {
  private let directory = TemporaryDirectory()

  /// The fields of a document with the word.
  enum Fields: CaseIterable, Sendable { case same, different, some }

  @Test(arguments: Fields.allCases, [400, 8_000])
  func `a document with the word in several fields is counted once`(fields: Fields, documents: Int) throws {
    let path = directory.file("db")
    let writer = try IndexWriter(path: path, stemmer: "none")
    var folder = TextFolder()
    var matches = 0
    try writer.begin()
    for number in 0..<documents {
      var document = Document()
      document.begin(uniqueTerm: Array("Q\(number)".utf8))
      let (one, other) =
        switch fields {
        case .same: (number % 4 == 0, number % 4 == 0)
        case .different: (number % 4 == 0, number % 4 == 1)
        case .some: (number % 4 == 0, number % 2 == 0)
        }
      if one { document.addText(Array("toy".utf8), prefix: "XA:", folder: &folder) }
      if other { document.addText(Array("toy".utf8), prefix: "XB:", folder: &folder) }
      if one || other { matches += 1 }
      try writer.put(document)
    }
    try writer.commit(metadata: [:])
    let query = Query.synonyms([.term(Array("XA:toy".utf8)), .term(Array("XB:toy".utf8))])
    let best = try #require(
      try IndexReader(path: path).search(query, offset: 0, limit: 1, exactUpTo: 1, identitySlot: 1).hits.first)
    // BM25 without document lengths, in the unit of the frequencies.
    let k1 = FieldLength.unit * 1.2
    let (all, some) = (Double(documents), Double(matches))
    let odds = (all - some + 0.5) / (some + 0.5)
    let once = FieldLength(weight: 1, typical: 8).frequency(ofWords: 1)
    let frequency = Double(fields == .different ? once : 2 * once)
    let weight = log(odds < 2 ? odds * 0.5 + 1 : odds) * (k1 + 1) * frequency / (k1 + frequency)
    // Of long posting lists, only a part is counted.
    #expect(abs(best.score - weight) <= (documents == 400 ? 1e-9 : 0.002) * weight, "\(best.score) \(weight)")
  }
}
