// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// The verbs on stores that Apple's software wrote. Without FOLLOWSPOT_DATA these tests are skipped, with a message.
@Suite(
  .enabled(if: Shell.dataDirectory != nil, "FOLLOWSPOT_DATA does not name the directory that holds stores/"),
  .overlapping, .temporaryDirectory)
struct AppleStoreCommandTests {
  private static func bytes(_ path: String) -> [Data?] {
    ["", "-wal"].map { FileManager.default.contents(atPath: path + $0) }
  }

  @Test(arguments: [
    ["set", "Keyword/p1", "title=x"], ["delete", "Keyword/p1"], ["import", "x.jsonl", "--kind", "Keyword"],
    ["history", "purge", "--before", "10"], ["migrate", "model.json"],
  ])
  func `verbs that write refuse the store and do not change it`(_ arguments: [String]) throws {
    let (path, directory) = try AppleStore.photos.copy()
    _ = try directory.write(#"{"title": "x"}"#, to: "x.jsonl")
    _ = try directory.write(#"{"entities": [{"name": "Keyword", "attributes": []}]}"#, to: "model.json")
    let before = Self.bytes(path)
    var shell = Shell(in: directory)
    shell.environment["FOLLOWSPOT_STORE"] = path
    let outcome = try shell.run(arguments)
    #expect(outcome.code != 0)
    #expect(outcome.errors.contains("was made by Apple's software"), "\(outcome)")
    #expect(Self.bytes(path) == before)
  }

  @Test func `verbs that read do not change the store or its log, and create only the index`() throws {
    let (path, directory) = try AppleStore.photos.copy()
    let before = Self.bytes(path)
    var shell = Shell(in: directory)
    shell.environment["FOLLOWSPOT_STORE"] = path
    for verb in [["index"], ["search", "pumpkins"], ["verify"], ["status"], ["history"], ["schema"], ["doctor"]] {
      let outcome = try shell.run(verb)
      #expect(outcome.code == 0, "\(verb) \(outcome)")
    }
    #expect(Self.bytes(path) == before)
    let files = try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { !$0.hasPrefix(".") }
    #expect(
      Set(files).subtracting(["Photos.sqlite-shm"]) == ["Photos.sqlite", "Photos.sqlite-wal", "Photos.sqlite.index"])
  }

  @Test func `a log in a read-only directory is read from a copy, and the index is in the cache directory`() throws {
    let (_, directory) = try AppleStore.photos.copy()
    try FileManager.default.createDirectory(atPath: directory.file("closed"), withIntermediateDirectories: false)
    let store = directory.file("closed/Photos.sqlite")
    try AppleStore.photos.copy(to: store)
    for file in [directory.path, directory.file("closed"), store, store + "-wal"] {
      try FileManager.default.setAttributes(
        [.posixPermissions: file.hasSuffix("closed") ? 0o555 : file == directory.path ? 0o777 : 0o444],
        ofItemAtPath: file)
    }
    let before = Self.bytes(store)
    var shell = Shell(in: directory)
    shell.environment["FOLLOWSPOT_STORE"] = store
    shell.environment["XDG_CACHE_HOME"] = directory.file("cache")
    shell.environment["TMPDIR"] = directory.path
    if getuid() == 0 {
      shell.wrapper = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    }
    for verb in [["index"], ["verify"], ["search", "pumpkins"]] {
      let outcome = try shell.run(verb)
      #expect(outcome.code == 0, "\(verb) \(outcome)")
    }
    let status = try shell.run("status", "--format", "json")
    #expect(status.output.contains(#""access":"copied""#), "\(status)")
    #expect(status.output.contains(directory.file("cache/followspot/Photos.sqlite-")))
    #expect(Self.bytes(store) == before)
    let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    #expect(!left.contains { $0.hasPrefix("followspot-copy") })
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: directory.file("closed")).sorted() == [
        "Photos.sqlite", "Photos.sqlite-wal",
      ])
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.file("closed"))
  }

  @Test func `history and schema print the contents of the store`() throws {
    let (path, directory) = try AppleStore.oldHistory.copy()
    var shell = Shell(in: directory)
    shell.environment["FOLLOWSPOT_STORE"] = path
    let history = try shell.run("history", "-n", "1", "--format", "json")
    #expect(history.output.contains(#""bundle":"com.apple.coreduetd""#), "\(history)")
    let schema = try shell.run("schema")
    #expect(schema.code == 0 && schema.output.contains(#""streamName""#), "\(schema)")
  }
}
