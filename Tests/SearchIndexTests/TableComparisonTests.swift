// SPDX-License-Identifier: MIT

import SearchIndex
import TestSupport
import Testing

/// The comparison of a whole index with the documents that it should contain.
@Suite(.overlapping, .temporaryDirectory)
struct TableComparisonTests {
  private static func document(_ number: Int, _ text: String? = nil, more: (inout Document) -> Void = { _ in })
    -> Document
  {
    var document = Document()
    var folder = TextFolder()
    document.begin(uniqueTerm: Array("Q\(number)".utf8))
    document.addText((text ?? "red moon number\(number) moon").utf8, prefix: "XTA", folder: &folder)
    document.addTerm(Array("XE:Film".utf8))
    document.setValue(slot: 1, [UInt8(number)])
    document.setData(Array("Film/p\(number)".utf8))
    more(&document)
    return document
  }

  /// Documents that differ from the seventh one in one part.
  private static let others: [(what: String, document: Document)] = [
    ("order of words", document(7, "moon red number7 moon")), ("frequency", document(7, "red moon number7 moon moon")),
    ("word", document(7, "red moon number8 moon")), ("fewer words", document(7, "red moon moon")),
    ("term", document(7) { $0.addTerm(Array("XB:new".utf8)) }),
    ("value", document(7) { $0.setValue(slot: 1, [8]) }), ("slot", document(7) { $0.setValue(slot: 2, [7]) }),
    ("data", document(7) { $0.setData(Array("Film/p8".utf8)) }),
  ]

  private func makeIndex() throws -> IndexReader {
    let directory = TemporaryDirectory()
    let path = directory.file("db")
    let writer = try IndexWriter(path: path, stemmer: "english")
    try writer.begin()
    for number in 1...20 { try writer.put(Self.document(number)) }
    try writer.commit(metadata: [:])
    return try IndexReader(path: path, stemmer: "english")
  }

  private func areEqual(_ reader: IndexReader, _ documents: [Document]) throws -> Bool {
    let comparison = TableComparison(path: reader.path, slots: 10)
    for document in documents { try comparison.add(document, storedUnder: document.uniqueTerm, in: reader) }
    return try comparison.areEqual()
  }

  @Test func `equal documents are equal, whether all or some of them are compared`() throws {
    let reader = try makeIndex()
    #expect(try areEqual(reader, (1...20).map { Self.document($0) }))
    #expect(try areEqual(reader, [20, 3].map { Self.document($0) }))
  }

  @Test func `a difference in any part of one document is found`() throws {
    let reader = try makeIndex()
    for other in Self.others {
      let documents = (1...20).map { $0 == 7 ? other.document : Self.document($0) }
      #expect(try !areEqual(reader, documents), "\(other.what)")
    }
  }
}
