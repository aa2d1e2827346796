// SPDX-License-Identifier: MIT

import SearchIndex
import TestSupport
import Testing

/// Documents that Xapian 1.4 rejects: its errors are distinguished from damage and from errors of the system.
@Suite(.overlapping, .temporaryDirectory)
struct RejectionTests {
  private let directory = TemporaryDirectory()

  /// The largest value that Xapian accepts has about 130 MB.
  private static let hugeBytes = 140 << 20

  @Test func `a huge value is rejected at the commit, and the next writer accepts other values`() throws {
    let path = directory.file("index")
    var huge = Document()
    huge.begin(uniqueTerm: Array("Q1".utf8))
    huge.setValue(slot: 3, [UInt8](repeating: 0x41, count: Self.hugeBytes))
    try write(path, huge, isRejected: true)
    #expect(try IndexReader(path: path).documentCount() == 0)
    var small = Document()
    small.begin(uniqueTerm: Array("Q2".utf8))
    small.setValue(slot: 3, [0x41])
    try write(path, small, isRejected: false)
    #expect(try IndexReader(path: path).documentCount() == 1)
  }

  @Test(arguments: [246, 300])
  func `a term of more than 245 bytes is rejected at once`(_ length: Int) throws {
    let writer = try IndexWriter(path: directory.file("index"), stemmer: "none")
    try writer.begin()
    var document = Document()
    document.begin(uniqueTerm: Array("Q1".utf8))
    document.addTerm([UInt8](repeating: 0x78, count: length))
    let error = #expect(throws: IndexError.self) { try writer.put(document) }
    #expect(error?.code == .rejected)
    #expect(error?.cause?.hasPrefix("InvalidArgumentError: Term too long") == true)
  }

  private func write(_ path: String, _ document: Document, isRejected: Bool) throws {
    let writer = try IndexWriter(path: path, stemmer: "none")
    try writer.begin()
    guard isRejected else {
      try writer.put(document)
      return try writer.commit(metadata: [:])
    }
    let error = #expect(throws: IndexError.self) {
      try writer.put(document)
      try writer.commit(metadata: [:])
    }
    #expect(error?.code == .rejected, "\(String(describing: error))")
    #expect(error?.cause?.contains("insanely large") == true)
  }
}
