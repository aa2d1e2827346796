// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials

#if canImport(Glibc)
  internal import Glibc
#endif

/// What a server of replicas announces about its index, in a small database that is replicated before the index.
struct Announcement: Equatable, Sendable {
  /// The version of the announcement itself.
  static let version = "1"

  /// The format of the index.
  var format: String
  /// The transaction that the index has reached.
  var token: Int64
  /// The newest transaction of the store.
  var newest: Int64
  var generation: Int
  /// Identifies the directory of the index, so that a replica does not follow itself.
  var home: String

  private enum Key {
    static let version = "replication"
    static let format = "followspot"
    static let token = "token"
    static let newest = "newest"
    static let generation = "generation"
    static let home = "home"
  }

  private var metadata: [String: String] {
    [
      Key.version: Self.version, Key.format: format, Key.token: String(token), Key.newest: String(newest),
      Key.generation: String(generation), Key.home: home,
    ]
  }

  /// Writes it as the only content of the database at `path`.
  func write(to path: String) throws {
    let writer = try IndexWriter(path: path, stemmer: "none")
    try writer.begin()
    try writer.commit(metadata: metadata)
  }

  init(format: String, token: Int64, newest: Int64, generation: Int, home: String) {
    self.format = format
    self.token = token
    self.newest = newest
    self.generation = generation
    self.home = home
  }

  /// - Throws: `OperationError.usage` if the database contains something else, or an announcement of another version.
  init(path: String, from address: NetworkAddress) throws {
    let reader = try IndexReader(path: path)
    guard try reader.metadata(Key.version) == Self.version, let format = try reader.metadata(Key.format) else {
      throw OperationError(
        .usage, "\(address) does not serve an index of this version of followspot", recovery: .sameVersion)
    }
    self.init(
      format: format, token: try reader.metadata(Key.token).flatMap { Int64($0) } ?? 0,
      newest: try reader.metadata(Key.newest).flatMap { Int64($0) } ?? 0,
      generation: try reader.metadata(Key.generation).flatMap { Int($0) } ?? 0,
      home: try reader.metadata(Key.home) ?? "")
  }

  /// The identity of a directory on this machine.
  static func home(of path: String) -> String {
    var status = stat()
    guard stat(path, &status) == 0 else { return "" }
    let machine = (try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8)) ?? ""
    return "\(machine.prefix { !$0.isWhitespace }) \(status.st_dev) \(status.st_ino)"
  }
}
