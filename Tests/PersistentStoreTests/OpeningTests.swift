// SPDX-License-Identifier: MIT

import Base
import Foundation
import SQLite
import TestSupport
import Testing

@testable import Store

@Suite(.overlapping, .temporaryDirectory)
struct OpeningTests {
  private let directory = TemporaryDirectory()

  private static let bothWays: [PersistentStore.Access] = [.readOnly, .readWrite]

  @Test(arguments: bothWays)
  func `a path without a file is missing, and no file is created`(_ access: PersistentStore.Access) throws {
    let path = directory.file("films.store")
    let error = #expect(throws: StoreError.self) { _ = try StoreFile.open(path, access: access) }
    #expect(error?.code == .missing)
    #expect(error?.description == "no store at \(path)")
    #expect(error?.recovery == .createStore)
    let names = try fileNames(in: directory)
    #expect(names == [])
  }

  /// The SQL of an SQLite file, and the error of opening it without the path.
  @Test(
    arguments: [
      (
        """
        CREATE TABLE Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST); CREATE TABLE Z_PRIMARYKEY (x);
        CREATE TABLE ATRANSACTION (x); CREATE TABLE ACHANGE (x)
        """, StoreError.Code.notAStore, " has no row in Z_METADATA"
      ),
      (
        """
        CREATE TABLE Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST); CREATE TABLE Z_PRIMARYKEY (x);
        CREATE TABLE ATRANSACTION (x); CREATE TABLE ACHANGE (x); INSERT INTO Z_METADATA VALUES (1, 'U', x'00')
        """, .notAStore, " has a model description that cannot be read"
      ),
    ], bothWays)
  func `another SQLite file is refused with its kind`(
    _ file: (sql: String, code: StoreError.Code, text: String), _ access: PersistentStore.Access
  ) throws {
    let path = directory.file("other.db")
    try Connection(path: path, access: .create).execute("PRAGMA user_version = 1; " + file.sql)
    let error = #expect(throws: StoreError.self) { _ = try StoreFile.open(path, access: access) }
    #expect(error?.code == file.code)
    #expect(error?.description == path + file.text)
  }

  @Test(arguments: ["", "CREATE TABLE ATRANSACTION (x)"])
  func `a store without history cannot be opened for writing`(_ sql: String) throws {
    let path = directory.file("other.db")
    try Connection(path: path, access: .create).execute(
      "CREATE TABLE Z_METADATA (x); CREATE TABLE Z_PRIMARYKEY (x);" + sql)
    let error = #expect(throws: StoreError.self) { _ = try StoreFile.open(path, access: .readWrite) }
    #expect(error?.code == .noHistory)
    #expect(error?.description == "\(path) keeps no transaction history")
  }

  @Test(arguments: bothWays)
  func `an empty file is not a store, and stays empty`(_ access: PersistentStore.Access) throws {
    let path = try directory.write("", to: "films.store")
    let error = #expect(throws: StoreError.self) { _ = try StoreFile.open(path, access: access) }
    #expect(error?.code == .notAStore)
    #expect(error?.description == "\(path) is an empty file, not a store")
    #expect(error?.recovery == .replaceFile)
    #expect(FileManager.default.contents(atPath: path) == Data())
  }

  @Test(arguments: ["title,year\nUp,2009\n", String(repeating: "{\"title\": \"Up\"}\n", count: 1_000)])
  func `a file that is not an SQLite file is not a store`(_ text: String) throws {
    let path = try directory.write(text, to: "films.jsonl")
    let error = #expect(throws: StoreError.self) { _ = try StoreFile.open(path) }
    #expect(error?.code == .notAStore)
    #expect(error?.description == "\(path) is not an SQLite file: file is not a database")
  }

  /// SQLite treats a file of one byte as an empty database.
  @Test(arguments: ["", "\n"])
  func `an empty file is not a store`(_ text: String) throws {
    let path = try directory.write(text, to: "films.store")
    let code = try storeErrorCode { _ = try StoreFile.open(path) }
    #expect(code == .notAStore)
  }

  @Test(arguments: bothWays)
  func `a directory is not a store`(_ access: PersistentStore.Access) throws {
    let text = try storeErrorText { _ = try StoreFile.open(directory.path, access: access) }
    #expect(text == "\(directory.path) is a directory")
  }

  @Test func `a symbolic link is followed, and a dangling one is missing`() throws {
    let bench = try StoreFixture()
    let link = bench.directory.file("link.store")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: bench.path)
    let opened = try StoreFile.open(link)
    #expect(opened.uuid == bench.store.uuid)
    let dangling = bench.directory.file("dangling.store")
    try FileManager.default.createSymbolicLink(atPath: dangling, withDestinationPath: bench.path + ".none")
    let code = try storeErrorCode { _ = try StoreFile.open(dangling) }
    #expect(code == .missing)
  }

  @Test(.enabled(if: getuid() != 0, "root reads everything"))
  func `a file without permission is unreadable`() throws {
    let bench = try StoreFixture()
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: bench.path)
    let code = try storeErrorCode { _ = try StoreFile.open(bench.path) }
    #expect(code == .unreadable)
  }

  /// The remaining bytes of a store with a few hundred rows.
  @Test(arguments: [1, 99, 100, 511, 1_024, 4_095, 4_096, 8_192, 40_960, 65_536])
  func `a truncated store is refused or reported as damaged`(_ length: Int) throws {
    let bench = try StoreFixture()
    try bench.store.save { save in
      for number in 0..<500 {
        try save.insert(
          bench.film, bench.values(["title": .text("film \(number) " + String(repeating: "x", count: 400))]))
      }
    }
    let copy = bench.directory.file("copy.store")
    try bench.outside.execute("VACUUM INTO '\(copy)'")
    let whole = try #require(FileManager.default.contents(atPath: copy))
    #expect(whole.count > 200_000)
    try whole.prefix(length).write(to: URL(fileURLWithPath: copy))
    let code = try storeErrorCode {
      let cursor = try StoreFile.open(copy).rows(of: bench.film, attributes: [0])
      while try cursor.next() != nil {}
    }
    #expect(code == .notAStore || code == .corrupt)
  }
}

@Suite(.overlapping, .temporaryDirectory)
struct FileIdentityTests {
  private let directory = TemporaryDirectory()

  @Test func `a replaced file has another identity, and a written one has the same`() throws {
    let bench = try StoreFixture()
    let copy = bench.directory.file("copy.store")
    try bench.outside.execute("VACUUM INTO '\(copy)'")
    try bench.addFilms("A")
    #expect(!bench.store.isReplaced)
    #expect(rename(copy, bench.path) == 0)
    #expect(bench.store.isReplaced)
  }

  @Test func `a removed file is detected`() throws {
    let bench = try StoreFixture()
    try FileManager.default.removeItem(atPath: bench.path)
    #expect(bench.store.isReplaced)
  }

  @Test func `links and equivalent paths have the same identity`() throws {
    let path = try directory.write("x", to: "a")
    let other = try directory.write("x", to: "b")
    let link = directory.file("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    #expect(FileIdentity(path: path) == FileIdentity(path: link))
    #expect(FileIdentity(path: path) == FileIdentity(path: directory.path + "/./a"))
    #expect(FileIdentity(path: path) != FileIdentity(path: other))
    #expect(FileIdentity(path: directory.file("none")) == nil)
    #expect(FileIdentity(path: path)?.otherKind == nil)
    #expect(FileIdentity(path: directory.path)?.otherKind == "a directory")
  }
}
