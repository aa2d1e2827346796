// SPDX-License-Identifier: MIT

import Foundation
import SearchIndex
import TestSupport
import Testing

@Suite(.overlapping, .temporaryDirectory)
struct IndexDirectoryTests {
  private let directory = TemporaryDirectory()

  private static func code(_ body: () throws -> Void) -> IndexError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? IndexError)?.code
    }
  }

  @Test func `a missing or an empty directory has no serving generation`() throws {
    let index = IndexDirectory(path: directory.file("index"))
    #expect(try index.serving() == nil)
    #expect(index.generations() == [])
    try index.make(rightsOf: directory.path)
    try index.make(rightsOf: directory.path)
    #expect(try index.serving() == nil)
  }

  @Test(arguments: [
    ("index", ""), ("index/notes.txt", "mine"), ("index/gen-1", ""), ("index/XAPIANDB", "chert /elsewhere\n"),
    ("index/XAPIANDB", "auto elsewhere\n"), ("index/XAPIANDB", ""),
    ("index/XAPIANDB", "auto gen-0001\nauto gen-0002\n"),
    ("index/iamglass", "x"),
  ])
  func `a directory of another program is refused`(_ name: String, _ text: String) throws {
    let index = IndexDirectory(path: directory.file("index"))
    if name != "index" {
      try FileManager.default.createDirectory(atPath: index.path, withIntermediateDirectories: true)
    }
    let file = try directory.write(text, to: name)
    #expect(Self.code { _ = try index.serving() } == .foreign)
    #expect(Self.code { try index.make(rightsOf: directory.path) } == .foreign)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
  }

  @Test func `a reader notices a flip, also to the same generation`() throws {
    let index = IndexDirectory(path: directory.file("index"))
    try index.make(rightsOf: directory.path)
    try index.flip(to: 1)
    let first = try #require(try index.serving())
    #expect(first.number == 1)
    #expect(first.path == index.path + "/gen-0001")
    #expect(try index.serving() == first)
    try index.flip(to: 12_345)
    #expect(try index.serving()?.path == index.path + "/gen-12345")
    try index.flip(to: 1)
    let again = try #require(try index.serving())
    #expect(again.number == 1)
    #expect(again != first)
    #expect(try FileManager.default.contentsOfDirectory(atPath: index.path) == ["XAPIANDB"])
  }

  @Test func `a reader finds a complete stub at any time during flips`() throws {
    let index = IndexDirectory(path: directory.file("index"))
    try index.make(rightsOf: directory.path)
    try index.flip(to: 1)
    let flipper = Thread { for number in 1...100 { try? index.flip(to: number) } }
    flipper.start()
    var seen = 0
    while !flipper.isFinished {
      let number = try #require(try index.serving()).number
      #expect(number >= seen)
      seen = number
    }
    #expect(try index.serving()?.number == 100)
  }

  @Test func `generations are listed in order and removed completely`() throws {
    let index = IndexDirectory(path: directory.file("index"))
    for number in [10, 2, 1, 12_345] {
      try FileManager.default.createDirectory(
        atPath: index.path(ofGeneration: number), withIntermediateDirectories: true)
      _ = try directory.write("12345", to: "index/gen-0010/file")
    }
    _ = try directory.write("", to: "index/tailer.lock")
    #expect(index.generations() == [1, 2, 10, 12_345])
    #expect(index.bytes(ofGeneration: 10) == 5)
    try index.sync(generation: 10)
    index.removeGeneration(10)
    index.removeGeneration(99)
    #expect(index.generations() == [1, 2, 12_345])
    #expect(index.bytes(ofGeneration: 10) == 0)
    #expect(try index.serving() == nil)
  }
}
