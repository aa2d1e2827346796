import SearchIndex
import TestSupport
import Testing

/// Documents that Xapian 1.4 does not take: what it throws is told from damage and from the machine's trouble.
@Suite(.timeLimit(.minutes(30)))
struct RefusalTests {
  /// The largest value that is taken has some 130 MB.
  private static let hugeBytes = 140 << 20

  @Test func `a huge value is refused at the commit, and the writer after it takes others`() throws {
    try TemporaryDirectory.with { directory in
      let path = directory.file("index")
      var huge = Document()
      huge.begin(uniqueTerm: Array("Q1".utf8))
      huge.setValue(slot: 3, [UInt8](repeating: 0x41, count: Self.hugeBytes))
      try write(path, huge, isRefused: true)
      #expect(try IndexReader(path: path).documentCount() == 0)
      var small = Document()
      small.begin(uniqueTerm: Array("Q2".utf8))
      small.setValue(slot: 3, [0x41])
      try write(path, small, isRefused: false)
      #expect(try IndexReader(path: path).documentCount() == 1)
    }
  }

  @Test(arguments: [246, 300])
  func `a term beyond 245 bytes is refused at once`(_ length: Int) throws {
    try TemporaryDirectory.with { directory in
      let writer = try IndexWriter(path: directory.file("index"), stemmer: "none")
      try writer.begin()
      var document = Document()
      document.begin(uniqueTerm: Array("Q1".utf8))
      document.addTerm([UInt8](repeating: 0x78, count: length))
      let error = #expect(throws: IndexError.self) { try writer.put(document) }
      #expect(error?.code == .refused)
      #expect(error?.cause?.hasPrefix("InvalidArgumentError: Term too long") == true)
    }
  }

  private func write(_ path: String, _ document: Document, isRefused: Bool) throws {
    let writer = try IndexWriter(path: path, stemmer: "none")
    try writer.begin()
    guard isRefused else {
      try writer.put(document)
      return try writer.commit(metadata: [:])
    }
    let error = #expect(throws: IndexError.self) {
      try writer.put(document)
      try writer.commit(metadata: [:])
    }
    #expect(error?.code == .refused, "\(String(describing: error))")
    #expect(error?.cause?.contains("insanely large") == true)
  }
}
