// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials

#if canImport(Glibc)
  internal import Glibc
#endif

/// What a replica knows of its replication: a file beside the copy.
package struct ReplicaState: Codable, Equatable, Sendable {
  /// The address of the server, as it was given.
  package var source: String
  /// The transaction that the server's index had reached when the server answered last; nil before that.
  var token: Int64?
  /// The newest transaction of the store at that time.
  package var newest: Int64?
  /// The generation of the server's index at that time.
  package var generation: Int?
  /// When the server answered last: seconds since 1970 UTC.
  var heard: Double?
  /// When the copy last equalled the server's index.
  var complete: Double?
  /// Why the last attempt failed; nil if it did not.
  package var failure: String?
  /// How often the whole database was copied.
  package var copies = 0

  init(source: String) { self.source = source }

  /// The state of the replica in a directory; nil if there is none.
  package init?(in directory: IndexDirectory) {
    guard let data = FileManager.default.contents(atPath: directory.replicaPath),
      let state = try? JSONDecoder().decode(ReplicaState.self, from: data)
    else { return nil }
    self = state
  }

  func write(in directory: IndexDirectory) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    try FileReplacement.write(
      Array(try encoder.encode(self)), to: directory.replicaPath, isDurable: false,
      failure: { OperationError.system($0, $1, recovery: .checkPermissions) })
  }

  /// Seconds since the server answered last; nil if it never did.
  package func silence(now: Double) -> Double? { heard.map { max(0, now - $0) } }
}
