// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials
package import SearchIndex

#if canImport(Glibc)
  internal import Glibc
#endif

/// The definitions of the saved searches of an index: one JSON file in the index directory. It belongs to no generation,
/// so that it survives rebuilds.
package struct SavedSearches: Sendable {
  private let directory: IndexDirectory

  package init(directory: IndexDirectory) { self.directory = directory }

  private struct File: Codable {
    var format = 1
    var searches: [SavedSearch] = []
  }

  private var path: String { directory.path + "/saved.json" }

  // MARK: Reading

  /// All definitions in the order of their names.
  package func list() throws -> [SavedSearch] { try read().searches }

  /// - Throws: `OperationError.usage` if there is no such search.
  package func search(named name: String) throws -> SavedSearch {
    let all = try list()
    if let found = all.first(where: { $0.name == name }) { return found }
    throw OperationError(
      .usage, "there is no saved search '\(name)'",
      recovery: .nearestSearch(NearestNames.of(name, among: all.map(\.name)).first))
  }

  private func read() throws -> File {
    guard access(path, F_OK) == 0 else { return File() }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw OperationError.system("\(path) cannot be read", errno, recovery: .checkPermissions)
    }
    do {
      let file = try JSONDecoder().decode(File.self, from: data)
      guard file.format == 1 else {
        throw OperationError(.file, "\(path) has format \(file.format), which this version cannot read")
      }
      return file
    } catch is DecodingError {
      throw OperationError(.file, "\(path) does not contain definitions of saved searches", recovery: .moveOrLink)
    }
  }

  // MARK: Changing

  /// - Parameter replaces: Whether a search of the same name is replaced.
  /// - Throws: `OperationError.usage` if the name is taken; `.locked` if the search to replace is watched.
  package func add(_ search: SavedSearch, replaces: Bool = false) throws {
    let lock = replaces ? try FileLock(.saved(search.name), in: directory, verb: "replacing") : nil
    try withExtendedLifetime(lock) {
      try change { searches in
        let others = searches.filter { $0.name != search.name }
        guard replaces || others.count == searches.count else {
          throw OperationError(
            .usage, "there is a saved search '\(search.name)' already", recovery: .replaceSearch)
        }
        searches = others + [search]
      }
    }
  }

  /// Removes a search, its state, and its consumer of the history.
  package func remove(_ name: String, storePath: String) throws {
    // Equal names can differ in their bytes; the files have the stored one.
    let name = try search(named: name).name
    let lock = try FileLock(.saved(name), in: directory, verb: "removing")
    try withExtendedLifetime(lock) {
      let consumers = Consumers(storePath: storePath)
      let consumer = SavedSearch.consumerName(name, in: directory, ofStore: storePath)
      if try consumers.contains(consumer) { try consumers.drop(consumer) }
      SavedState.remove(name, in: directory)
      try change { $0.removeAll { $0.name == name } }
      unlink(directory.path + "/saved-\(name).lock")
    }
  }

  private func change(_ body: (inout [SavedSearch]) throws -> Void) throws {
    let lock = try waitForLock()
    try withExtendedLifetime(lock) {
      var file = try read()
      try body(&file.searches)
      file.searches.sort { $0.name < $1.name }
      try write(file)
    }
  }

  private func waitForLock() throws -> FileLock {
    for _ in 0..<Self.lockAttempts {
      do {
        return try FileLock(.definitions, in: directory, verb: "saved")
      } catch let error as OperationError where error.code == .locked {
        usleep(5_000)
      }
    }
    return try FileLock(.definitions, in: directory, verb: "saved")
  }

  private static let lockAttempts = 2_000

  /// Replaces the file by rename. Only the holder of the lock calls this.
  private func write(_ file: File) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try FileReplacement.write(
      Array(try encoder.encode(file)) + [0x0a], to: path, giveRights: directory.giveRights,
      failure: { OperationError.system($0, $1) })
    try directory.sync()
  }
}
