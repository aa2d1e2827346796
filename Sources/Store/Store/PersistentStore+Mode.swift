// SPDX-License-Identifier: MIT

internal import SQLite

extension PersistentStore {
  /// Why a private copy is read instead of the file itself.
  package enum CopyReason: Equatable, Sendable {
    /// The directory cannot be written, and SQLite has no place for its `-shm`.
    case notWritable
    /// A program was interrupted in a transaction, and only a program that writes can roll it back.
    case interrupted
    /// Another process keeps the file locked, though it may not be writing (`PRAGMA locking_mode = EXCLUSIVE`); nil if
    /// the process is not known.
    case locked(LockHolder?)

    /// As part of a sentence.
    package var text: String {
      switch self {
      case .notWritable: "the store's directory cannot be written"
      case .interrupted: "a program was interrupted in a transaction, which is rolled back in the copy"
      case .locked(let holder): "\(holder?.description ?? "another process") keeps the file locked"
      }
    }
  }

  /// A private copy that is read instead of the file.
  struct CopyInUse {
    let reason: CopyReason
    /// When a reader that follows the file may make the next copy.
    let next: ContinuousClock.Instant

    /// After a copy, a follower pauses ten times as long as copying took, and at least 0.1 s.
    private static let pauses = 10
    private static let shortestPause = Duration.milliseconds(100)

    init(_ copy: PrivateCopy, _ reason: CopyReason) {
      self.reason = reason
      next = .now + max(copy.duration * Self.pauses, Self.shortestPause)
    }
  }

  /// How the file is opened.
  enum Mode {
    case readOnly, readWrite, immutable
    /// A private copy of the file and its log.
    case copied(CopyReason)

    var access: Connection.Access {
      switch self {
      case .readOnly, .copied(.notWritable): .readOnly
      // The copy may have to be rolled back.
      case .readWrite, .copied(.interrupted), .copied(.locked): .readWrite
      case .immutable: .immutable
      }
    }

    var copyReason: CopyReason? { if case .copied(let reason) = self { reason } else { nil } }
  }
}
