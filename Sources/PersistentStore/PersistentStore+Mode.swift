internal import SQLite

extension PersistentStore {
  /// Why a private copy is read instead of the file itself.
  package enum CopyReason: Sendable {
    /// The directory cannot be written, and SQLite has no place for its `-shm`.
    case notWritable
    /// A program was interrupted in a transaction, and only a program that writes can roll it back.
    case interrupted

    /// As part of a sentence.
    package var text: String {
      switch self {
      case .notWritable: "the store's directory cannot be written"
      case .interrupted: "a program was interrupted in a transaction, which is rolled back in the copy"
      }
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
      case .readWrite, .copied(.interrupted): .readWrite
      case .immutable: .immutable
      }
    }

    var copyReason: CopyReason? { if case .copied(let reason) = self { reason } else { nil } }
  }
}
