// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

@testable import SearchIndex

/// Databases built from runs, compared with the same documents written one by one.
@Suite(.overlapping, .temporaryDirectory)
struct IndexBuilderTests {
  private let directory = TemporaryDirectory()

  private static func documents(_ count: Int, seed: Int) -> [Document] {
    var catalogue = Catalogue(seed: seed)
    var folder = TextFolder()
    return (0..<count).map { number in
      var document = Document()
      document.begin(uniqueTerm: Array("Q\(number)".utf8))
      document.addText(catalogue.words(catalogue.number(0...30)).utf8, prefix: "XTA", weight: 3, folder: &folder)
      document.setNumber(slot: 2, SortableNumber(Double(number)))
      document.setValue(slot: 1, [UInt8(number >> 8), UInt8(number & 255)])
      document.setData(Array("\(number)".utf8))
      return document
    }
  }

  private static func limits(
    documents: Int, bytes: Int = .max, threads: Int = 2, fan: Int
  ) -> IndexBuilder.Limits {
    var limits = IndexBuilder.Limits()
    limits.documents = documents
    limits.bytes = bytes
    limits.threads = threads
    limits.fan = fan
    return limits
  }

  /// The files of an index directory, without locks.
  private static func names(_ index: IndexDirectory) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: index.path).sorted()
  }

  @Test(
    arguments: [
      limits(documents: 1, fan: 2), limits(documents: 3, fan: 2), limits(documents: 3, threads: 3, fan: 4),
      limits(documents: 7, threads: 1, fan: 64), limits(documents: 5, fan: 3),
      limits(documents: 100, bytes: 2_000, fan: 8), limits(documents: 1_000, fan: 2),
    ], [0, 2, 60])
  func `a database built from runs equals one written document by document`(
    limits: IndexBuilder.Limits, count: Int
  ) throws {
    let index = IndexDirectory(path: directory.file("index"))
    try index.make(rightsOf: directory.path)
    let documents = Self.documents(count, seed: count)
    let builder = IndexBuilder(
      path: index.path(ofGeneration: 1), stemmer: "english", limits: limits)
    for document in documents { try builder.add(document) }
    try builder.seal()
    try builder.finish().commit(metadata: ["token": "1"])
    #expect(try Self.names(index) == ["gen-0001"])
    let reader = try IndexReader(path: index.path(ofGeneration: 1), stemmer: "english")
    #expect(try reader.documentCount() == count)
    #expect(try reader.metadata("token") == "1")
    for document in documents {
      #expect(try reader.description(ofStored: document.uniqueTerm) == reader.description(of: document))
    }
    let all = try reader.search(.everything, offset: 0, limit: count, exactUpTo: count, identitySlot: 1)
    #expect(all.hits.map { String(decoding: $0.content.data, as: UTF8.self) } == (0..<count).map(String.init))
    try IndexReader.check(path: index.path(ofGeneration: 1))
  }

  @Test func `any number of threads makes the same documents and lists`() throws {
    let index = IndexDirectory(path: directory.file("index"))
    try index.make(rightsOf: directory.path)
    let documents = Self.documents(400, seed: 5)
    var contents: [[[UInt8]?]] = []
    for (offset, threads) in [1, 2, 3, 8].enumerated() {
      var limits = IndexBuilder.Limits()
      (limits.documents, limits.threads) = (10, threads)
      let path = index.path(ofGeneration: offset + 1)
      let builder = IndexBuilder(path: path, stemmer: "english", limits: limits)
      for document in documents { try builder.add(document) }
      try builder.finish().commit(metadata: [:])
      let reader = try IndexReader(path: path, stemmer: "english")
      var terms: [[UInt8]?] = []
      try reader.eachTerm(prefix: [], from: []) {
        terms.append(Array($0))
        return true
      }
      let frequencies = try terms.compactMap(\.self).map { Array("\(try reader.frequency(of: $0))".utf8) }
      contents.append(terms + frequencies + (try documents.map { try reader.description(ofStored: $0.uniqueTerm) }))
      try IndexReader.check(path: path)
    }
    #expect(contents[0].count > 800)
    for other in contents.dropFirst() { #expect(other == contents[0]) }
  }

  @Test(
    arguments: [
      (1, 256, nil, 20_000, 1, 2_184), (2, 256, 64 << 10, 20_000, 2, 1_092), (16, 256, 64 << 10, 20_000, 6, 364),
      (8, 8 << 10, 64 << 10, 1_024, 8, 16), (8, 256, 300, 20_000, 2, 640), (8, 0, 64 << 10, 20_000, 1, 64),
      (2, 256, nil, 64, 2, 4), (100, 8 << 10, nil, 1_024, 32, 4),
    ] as [(Int, Int, Int?, Int, Int, Int)])
  func `threads and joins are limited by cores, memory and open files`(
    cores: Int, megabytes: Int, available: Int?, openFiles: Int, threads: Int, fan: Int
  ) {
    var limits = IndexBuilder.Limits()
    limits.memory = megabytes << 20
    let plan = limits.plan(cores: cores, available: available.map { $0 << 20 }, openFiles: openFiles)
    #expect(plan == (threads, fan))
  }

  @Test(
    arguments: [
      ([150_000, 100_000], 2), ([200_000, 100_000], 2), ([10_000, 100_000], 1), ([nil, 100_000], nil), ([], nil),
      ([100_000, 0], nil),
    ] as [([Int?], Int?)])
  func `a processor quota is rounded up to cores`(fields: [Int?], cores: Int?) {
    #expect(MachineLimits.cores(ofQuota: fields) == cores)
  }

  @Test func `after a rejected document no file is left beside the database`() throws {
    let index = IndexDirectory(path: directory.file("index"))
    try index.make(rightsOf: directory.path)
    let builder = IndexBuilder(
      path: index.path(ofGeneration: 1), stemmer: "english",
      limits: Self.limits(documents: 2, fan: 2))
    var documents = Self.documents(50, seed: 1)
    documents[25].addTerm([UInt8](repeating: 0x61, count: 300))
    #expect(throws: IndexError.self) {
      for document in documents { try builder.add(document) }
      _ = try builder.finish()
    }
    builder.cancel()
    index.removeGeneration(1)
    #expect(try Self.names(index) == [])
  }

  @Test(arguments: [0, 3_000, 20_000])
  func `an abandoned builder leaves no files, neither now nor later`(microseconds: Int) throws {
    let index = IndexDirectory(path: directory.file("index"))
    try index.make(rightsOf: directory.path)
    let builder = IndexBuilder(
      path: index.path(ofGeneration: 1), stemmer: "english",
      limits: Self.limits(documents: 20, fan: 8))
    for document in Self.documents(2_000, seed: microseconds) { try builder.add(document) }
    try builder.seal()
    usleep(UInt32(microseconds))
    builder.abandon()
    #expect(try Self.names(index) == [])
    // The threads run on and find nothing.
    usleep(300_000)
    #expect(try Self.names(index) == [])
  }

  @Test func `a cancelled builder ends its threads and leaves no files`() throws {
    let index = IndexDirectory(path: directory.file("index"))
    try index.make(rightsOf: directory.path)
    try {
      let builder = IndexBuilder(
        path: index.path(ofGeneration: 1), stemmer: "english",
        limits: Self.limits(documents: 2, fan: 2))
      for document in Self.documents(50, seed: 2) { try builder.add(document) }
    }()
    index.removeGeneration(1)
    #expect(try Self.names(index) == [])
  }
}
