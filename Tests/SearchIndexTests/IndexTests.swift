// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import SearchIndex

/// Writers and readers of real databases.
@Suite(.overlapping, .temporaryDirectory)
struct IndexTests {
  private let directory = TemporaryDirectory()

  private static func document(
    _ number: Int, _ text: String = "toy", numbers: [UInt32: Double] = [:], more: (inout Document) -> Void = { _ in }
  ) -> Document {
    var document = Document()
    var folder = TextFolder()
    document.begin(uniqueTerm: unique(number))
    document.addText(text.utf8, prefix: "XT", folder: &folder)
    for (slot, number) in numbers.sorted(by: { $0.key < $1.key }) {
      document.setNumber(slot: slot, SortableNumber(number))
    }
    document.setValue(slot: 1, [UInt8(number >> 8), UInt8(number & 255)])
    document.setData(Array("\(number)".utf8))
    more(&document)
    return document
  }

  private static func unique(_ number: Int) -> [UInt8] { Array("Q\(number)".utf8) }

  private static func write(_ path: String, _ documents: [Document], metadata: [String: String] = [:]) throws {
    let writer = try IndexWriter(path: path, stemmer: "english")
    try writer.begin()
    for document in documents { try writer.put(document) }
    try writer.commit(metadata: metadata)
  }

  private static func find(
    _ reader: IndexReader, _ query: Query, offset: Int = 0, limit: Int = 1_000
  ) throws -> [Int] {
    try reader.search(query, offset: offset, limit: limit, exactUpTo: 100_000, identitySlot: 1).hits
      .compactMap { Int(String(decoding: $0.content.data, as: UTF8.self)) }
  }

  private static func term(_ word: String) -> Query { .term(Array("XT\(word)".utf8)) }

  private static func code(_ body: () throws -> Void) -> IndexError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? IndexError)?.code
    }
  }

  // MARK: Writing

  @Test(arguments: [IndexWriter.Mode.durable, .bulk])
  func `documents and metadata are committed together`(mode: IndexWriter.Mode) throws {
    let path = directory.file("db")
    try Self.write(path, [Self.document(1)], metadata: ["token": "1", "failed/a": "x"])
    let reader = try IndexReader(path: path)
    let writer = try IndexWriter(path: path, stemmer: "english", mode: mode)
    try writer.begin()
    try writer.put(Self.document(2))
    try reader.reopen()
    #expect(try reader.documentCount() == 1)
    #expect(try reader.metadata("token") == "1")
    try writer.commit(metadata: ["token": "2", "failed/a": "", "failed/b": "y"])
    try reader.reopen()
    #expect(try reader.documentCount() == 2)
    #expect(try reader.metadata("token") == "2")
    #expect(try reader.metadataKeys(prefix: "failed/") == ["failed/b"])
    #expect(try reader.metadata("failed/a") == nil)
  }

  @Test(arguments: [false, true])
  func `a discarded writer leaves no changes`(afterError: Bool) throws {
    let path = directory.file("db")
    try Self.write(path, [Self.document(1)], metadata: ["token": "1"])
    try {
      let writer = try IndexWriter(path: path, stemmer: "english")
      try writer.begin()
      for number in 2..<50 { try writer.put(Self.document(number)) }
      try writer.remove(Self.unique(1))
      if afterError {
        let poison = Self.document(50) { $0.addTerm([UInt8](repeating: 0x61, count: 300)) }
        #expect(Self.code { try writer.put(poison) } != nil)
      }
    }()
    let reader = try IndexReader(path: path)
    #expect(try reader.documentCount() == 1)
    #expect(try Self.find(reader, Self.term("toy")) == [1])
    #expect(try reader.metadata("token") == "1")
    try Self.write(path, [Self.document(2)], metadata: ["token": "2"])
    try reader.reopen()
    #expect(try Self.find(reader, .everything) == [1, 2])
  }

  @Test func `a batch reads its own documents`() throws {
    let writer = try IndexWriter(path: directory.file("db"), stemmer: "english")
    try writer.begin()
    try writer.put(Self.document(1))
    #expect(try writer.value(of: Self.unique(1), slot: 1) == [0, 1])
    try writer.put(Self.document(1) { $0.setValue(slot: 1, [7]) })
    #expect(try writer.value(of: Self.unique(1), slot: 1) == [7])
    #expect(try writer.documentCount() == 1)
    try writer.remove(Self.unique(1))
    try writer.remove(Self.unique(9))
    #expect(try writer.value(of: Self.unique(1), slot: 1) == nil)
    #expect(try writer.documentCount() == 0)
    try writer.put(Self.document(2))
    try writer.commit(metadata: [:])
    var values: [[UInt8]] = []
    try IndexReader(path: directory.file("db")).eachValue(slot: 1) {
      values.append($0)
      return true
    }
    #expect(values == [[0, 2]])
  }

  @Test func `a second writer gets the error that the index is locked`() throws {
    let path = directory.file("db")
    let first = try IndexWriter(path: path, stemmer: "english")
    #expect(Self.code { _ = try IndexWriter(path: path, stemmer: "english") } == .locked)
    withExtendedLifetime(first) {}
  }

  // MARK: Reading beside a writer

  @Test func `a reader continues during many commits`() throws {
    let path = directory.file("db")
    let all = (0..<300).map { Self.document($0, "toy number \($0)") }
    try Self.write(path, all)
    let reader = try IndexReader(path: path)
    let writer = try IndexWriter(path: path, stemmer: "english")
    for round in 1...12 {
      try writer.begin()
      for number in 0..<300 { try writer.put(Self.document(number, "toy round \(round) of \(number)")) }
      try writer.commit(metadata: ["token": "\(round)"])
      #expect(try Self.find(reader, Self.term("toy")).sorted() == Array(0..<300))
      #expect(try reader.value(of: Self.unique(299), slot: 1) == [1, 43])
      #expect(try reader.description(ofStored: Self.unique(7)) != nil)
      #expect(try reader.metadata("token").map { Int($0) ?? 0 } ?? 0 <= round)
    }
    try reader.reopen()
    #expect(try reader.metadata("token") == "12")
    let last = try IndexReader(path: path, stemmer: "english")
    let stored = try last.description(ofStored: Self.unique(7))
    #expect(stored == (try last.description(of: Self.document(7, "toy round 12 of 7"))))
  }

  @Test func `a reader is opened, reads and is reopened beside a writer that commits without pause`() throws {
    let path = directory.file("db")
    try Self.write(path, (1...200).map { Self.document($0) }, metadata: ["token": "0"])
    let readings = Mutex<(tokens: [Int], errors: [String])>(([], []))
    let hasEnded = Mutex(false)
    @Sendable func write() throws {
      defer { hasEnded.withLock { $0 = true } }
      let writer = try IndexWriter(path: path, stemmer: "english", mode: .bulk)
      // Until there were enough readings, however long the machine lets them wait.
      for number in 1...100_000 where readings.withLock({ $0.tokens.count < 1_000 }) {
        try writer.begin()
        try writer.put(Self.document(number % 200 + 1, "toy\(number)"))
        try writer.commit(metadata: ["token": "\(number)"])
      }
    }
    @Sendable func read() throws {
      while !hasEnded.withLock({ $0 }) {
        let reader = try IndexReader(path: path)
        let first = try reader.metadata("token").flatMap { Int($0) } ?? -1
        try reader.reopen()
        let second = try reader.metadata("token").flatMap { Int($0) } ?? -1
        readings.withLock { $0.tokens += [first, second] }
        if second < first || first < 0 { readings.withLock { $0.errors.append("\(first), then \(second)") } }
      }
    }
    let ended = DispatchSemaphore(value: 0)
    for work in [write, read, read] {
      Thread {
        do { try work() } catch { readings.withLock { $0.errors.append("\(error)") } }
        ended.signal()
      }.start()
    }
    for _ in 0..<3 { ended.wait() }
    let (tokens, errors) = readings.withLock { $0 }
    #expect(errors == [])
    #expect(Set(tokens).count > 1)
  }

  // MARK: Searching

  @Test func `hits of equal relevance are ordered by identity and pages do not repeat`() throws {
    let path = directory.file("db")
    var random = SeededGenerator(seed: 1)
    try Self.write(path, (0..<400).shuffled(using: &random).map { Self.document($0) })
    let reader = try IndexReader(path: path)
    for query in [Self.term("toy"), .everything] {
      #expect(try Self.find(reader, query) == Array(0..<400))
      let pages = try stride(from: 0, to: 420, by: 7).flatMap {
        try Self.find(reader, query, offset: $0, limit: 7)
      }
      #expect(pages == Array(0..<400))
    }
  }

  private static let queries: [(Query, [Int])] = [
    (.everything, [1, 2, 3, 4]), (.nothing, []), (.and([]), []), (.or([]), []),
    (term("toy"), [1, 2, 4]), (term("nowhere"), []), (.term(Array("ZXTstori".utf8)), [1, 2]),
    (.and([term("toy"), term("story")]), [1, 2]), (.or([term("robot"), term("story")]), [1, 2, 3]),
    (.andNot(term("toy"), term("story")), [4]), (.andNot(.everything, term("toy")), [3]),
    (.andNot(.nothing, term("toy")), []), (.andNot(.everything, .nothing), [1, 2, 3, 4]),
    (.andNot(.everything, .everything), []), (.and([.everything, term("robot")]), [3]),
    (.phrase([Array("XTtoy".utf8), Array("XTstory".utf8)]), [1]),
    (.phrase([Array("XTstory".utf8), Array("XTtoy".utf8)]), [2]), (.phrase([Array("XTtoy".utf8)]), [1, 2, 4]),
    (.phrase([Array("XTtoy".utf8), Array("ZXTstori".utf8)]), []),
    (.filter(term("toy"), by: term("story")), [1, 2]), (.filter(.everything, by: term("robot")), [3]),
    (.filter(.nothing, by: .everything), []), (.filter(term("toy"), by: .nothing), []),
    (.prefixes([Array("XTsto".utf8)]), [1, 2]), (.prefixes([Array("XTro".utf8), Array("XTsto".utf8)]), [1, 2, 3]),
    (.prefixes([Array("zzz".utf8)]), []), (.synonyms([.prefixes([Array("XTsto".utf8)]), term("robot")]), [1, 2, 3]),
    (.numbers(slot: 2, 1, 2), [1, 2]), (.numbers(slot: 2, nil, nil), [1, 2, 3]), (.numbers(slot: 2, nil, 1), [1, 3]),
    (.numbers(slot: 2, 2, nil), [2]), (.numbers(slot: 2, 2, 1), []), (.numbers(slot: 2, -5, -5), [3]),
    (.numbers(slot: 2, 1, 2, isHalfOpen: true), [1]), (.numbers(slot: 2, nil, -5, isHalfOpen: true), []),
    (.numbers(slot: 2, .infinity, nil), []), (.numbers(slot: 2, -.infinity, .infinity), [1, 2, 3]),
    (.numbers(slot: 9, nil, nil), []),
  ]

  @Test func `queries match exactly their documents, and the count is exact`() throws {
    let path = directory.file("db")
    try Self.write(
      path,
      [
        Self.document(1, "toy story", numbers: [2: 1]), Self.document(2, "story toy", numbers: [2: 2]),
        Self.document(3, "robot", numbers: [2: -5]), Self.document(4, "toy"),
      ])
    let reader = try IndexReader(path: path)
    for (query, numbers) in Self.queries {
      #expect(try Self.find(reader, query).sorted() == numbers, "\(query)")
      let counted = try reader.search(query, offset: 0, limit: 0, exactUpTo: 4, identitySlot: 1)
      #expect(counted.hits.isEmpty && counted.matches == numbers.count, "\(query)")
    }
  }

  @Test func `a phrase does not extend from one value into the next`() throws {
    let path = directory.file("db")
    var document = Self.document(1, "toy")
    var folder = TextFolder()
    document.addText("story".utf8, prefix: "XT", folder: &folder)
    try Self.write(path, [document])
    let reader = try IndexReader(path: path)
    let terms = ["XTtoy", "XTstory"].map { Array($0.utf8) }
    #expect(try Self.find(reader, .phrase(terms)) == [])
    #expect(try Self.find(reader, .and(terms.map(Query.term))) == [1])
  }

  @Test func `a writer waits for a lock that is released soon`() throws {
    let path = directory.file("db")
    let isHeld = Mutex(false)
    let mayGo = DispatchSemaphore(value: 0)
    // As a process that is being forked holds it: for a moment only.
    let holder = Thread {
      let first = try? IndexWriter(path: path, stemmer: "english")
      isHeld.withLock { $0 = first != nil }
      mayGo.wait()
      usleep(50_000)
      withExtendedLifetime(first) {}
    }
    holder.start()
    #expect(eventually { isHeld.withLock { $0 } })
    mayGo.signal()
    let second = try IndexWriter(path: path, stemmer: "english")
    try second.begin()
    try second.put(Self.document(1))
    try second.commit(metadata: [:])
    #expect(try second.documentCount() == 1)
  }

  /// BM25 of a sum of frequencies, as `ranking.cc` says it.
  private static func weight(_ frequency: Int, matches: Int, documents: Int) -> Double {
    let odds = (Double(documents - matches) + 0.5) / (Double(matches) + 0.5)
    return log(odds < 2 ? odds / 2 + 1 : odds) * (19.2 + 1) * Double(frequency) / (19.2 + Double(frequency))
  }

  @Test(arguments: [(words: 30, seed: 0), (30, 1), (3_000, 0), (3_000, 1)])
  func `words that begin in one way are weighed as one word, in all databases of a group`(
    words: Int, seed: Int
  ) throws {
    var random = SeededGenerator(seed: seed)
    let counts = (0..<900).map { _ in max(0, Int.random(in: -6...12, using: &random)) }
    let documents = counts.enumerated().map { number, count in
      // Texts of one length: each word has the same frequency.
      let text = (0..<13).map { $0 < count ? "wo\(Int.random(in: 0..<words, using: &random))" : "filler\($0)" }
      return Self.document(number, text.joined(separator: " "))
    }
    let paths = [directory.file("one"), directory.file("two")]
    try Self.write(paths[0], Array(documents[..<700]))
    try Self.write(paths[1], Array(documents[700...]))
    let group = try IndexReader.group(of: paths.map { try IndexReader(path: $0) }, stemmer: "english")
    let query = Query.prefixes([Array("XTwo".utf8), Array("XTnowhere".utf8)])
    let matches = counts.count { $0 > 0 }
    let expected = counts.enumerated().filter { $0.element > 0 }.sorted {
      ($1.element, $0.offset) < ($0.element, $1.offset)
    }
    let found = try group.search(query, offset: 0, limit: 900, exactUpTo: 900, identitySlot: 1)
    #expect(found.matches == matches, "seed \(seed)")
    let scores = found.hits.map { Int(($0.score * 1e6).rounded()) }
    // With few words, the number of matches is an estimate, as for other words.
    if words > 64 {
      let whole = Self.weight(1_000_000_000, matches: matches, documents: 900)
      let least = found.hits.last?.score ?? 0
      let frequency = Int((19.2 * least / (whole - least)).rounded())
      let weights = expected.map { Self.weight($0.element * frequency, matches: matches, documents: 900) }
      #expect(scores == weights.map { Int(($0 * 1e6).rounded()) }, "seed \(seed)")
    }
    #expect(found.hits.compactMap { Int(String(decoding: $0.content.data, as: UTF8.self)) } == expected.map(\.offset))
    for limit in [1, 10, 100] {
      let best = try group.search(query, offset: 0, limit: limit, exactUpTo: 1, identitySlot: 1)
      #expect(best.hits.map { Int(($0.score * 1e6).rounded()) } == Array(scores.prefix(limit)), "seed \(seed)")
    }
  }

  @Test(arguments: 0..<5)
  func `counts are exact up to the limit`(seed: Int) throws {
    var random = SeededGenerator(seed: seed)
    let texts = (0..<700).map { _ in
      ["toy", "story", "robot"].filter { _ in Bool.random(using: &random) }.joined(separator: " ")
    }
    try Self.write(directory.file("db"), texts.enumerated().map { Self.document($0.offset, $0.element) })
    let reader = try IndexReader(path: directory.file("db"))
    let query = Query.or([.and([Self.term("toy"), Self.term("story")]), Self.term("robot")])
    let expected = texts.count { ($0.contains("toy") && $0.contains("story")) || $0.contains("robot") }
    let found = try reader.search(query, offset: 0, limit: 1, exactUpTo: 700, identitySlot: 1)
    #expect(found.matches == expected)
    #expect(found.hits.count == 1)
  }

  // MARK: What cannot be opened

  @Test(arguments: ["empty", "garbage", "file", "missing"])
  func `a file that is not a database is corrupt`(kind: String) throws {
    let path = directory.file("db")
    switch kind {
    case "empty": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    case "garbage":
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      for name in ["iamglass", "postlist.glass"] { _ = try directory.write("garbage", to: "db/" + name) }
    case "file": _ = try directory.write("garbage", to: "db")
    default: break
    }
    #expect(Self.code { _ = try IndexReader(path: path) } == .corrupt)
  }

  @Test(arguments: ["iamglass", "postlist.glass", "termlist.glass", "docdata.glass", "position.glass"], [0, 1, 100])
  func `a truncated database is either corrupt or unchanged`(name: String, size: Int) throws {
    let path = directory.file("db")
    try Self.write(path, (0..<200).map { Self.document($0, "toy story \($0)") }, metadata: ["token": "1"])
    truncate(path + "/" + name, off_t(size))
    let code = Self.code {
      let reader = try IndexReader(path: path)
      _ = try Self.find(reader, .phrase([Array("XTtoy".utf8), Array("XTstory".utf8)]))
      _ = try reader.description(ofStored: Self.unique(1))
      try IndexReader.check(path: path)
    }
    #expect(code == .corrupt)
  }

  // MARK: Hostile content

  @Test func `values of NULs, long texts and terms of every byte are stored`() throws {
    let path = directory.file("db")
    let terms = (0...255).map { Term.whole(Array("XG:".utf8), [UInt8](repeating: UInt8($0), count: 128)) }
    let nuls = [UInt8](repeating: 0, count: 128)
    let document = Self.document(1, String(repeating: "toy story ", count: 1 << 20)) { document in
      for term in terms { document.addTerm(term) }
      document.setValue(slot: 5, nuls)
      document.setData(nuls)
    }
    try Self.write(path, [document])
    let reader = try IndexReader(path: path)
    #expect(try terms.map { try reader.frequency(of: $0) } == [Int](repeating: 1, count: 256))
    #expect(try reader.value(of: Self.unique(1), slot: 5) == nuls)
    let hits = try reader.search(Self.term("story"), offset: 0, limit: 1, exactUpTo: 1, identitySlot: 5).hits
    #expect(hits.map(\.content.data) == [nuls])
    #expect(hits.map(\.identity) == [nuls])
    try IndexReader.check(path: path)
  }

  @Test func `a document of 100000 different words is stored`() throws {
    let path = directory.file("db")
    try Self.write(path, [Self.document(1, (0..<100_000).map { "w\($0)x" }.joined(separator: " "))])
    let reader = try IndexReader(path: path)
    for word in ["XTw0x", "XTw99999x", "XTw5x"] { #expect(try reader.frequency(of: Array(word.utf8)) == 1) }
    #expect(try reader.frequency(of: Array("XTw100000x".utf8)) == 0)
  }
}
