// SPDX-License-Identifier: MIT

/// The changes since the last commit of a generation. They are kept so that they can be made again.
struct PendingChanges {
  enum Change {
    case put(MappedDocument)
    case remove(identity: [UInt8], term: [UInt8])
    /// Removes the records of a row that has no document.
    case forget(identity: [UInt8])

    fileprivate var size: Int { if case .put(let mapped) = self { mapped.document.size } else { 0 } }
  }

  private(set) var changes: [Change] = []
  private var bytes = 0

  var isEmpty: Bool { changes.isEmpty }
  /// Whether there are so many changes that they should be committed.
  var isFull: Bool { changes.count >= 2_000 || bytes > 32 << 20 }

  mutating func append(_ change: Change) {
    changes.append(change)
    bytes += change.size
  }
}
