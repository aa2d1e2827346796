// SPDX-License-Identifier: MIT

internal import Synchronization

/// What the data of an open store were. Two are equal only if no other connection has committed between them. Those of
/// different openings are never equal, because SQLite counts for each connection from 1.
package struct DataVersion: Hashable, Sendable {
  let opening: Int
  let number: Int64

  private static let openings = Atomic(0)

  /// A number that no other open store of this process has.
  static func newOpening() -> Int { openings.wrappingAdd(1, ordering: .relaxed).newValue }
}
