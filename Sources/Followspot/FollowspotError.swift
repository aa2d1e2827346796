#if canImport(Glibc)
  internal import Glibc
#endif

/// What went wrong where store and index meet, for people and for machines.
public struct FollowspotError: Error, CustomStringConvertible, Sendable {
  /// An open set: compare with the values below.
  public struct Code: Hashable, Sendable {
    let name: String

    /// The request itself is wrong.
    public static let usage = Code(name: "usage")
    /// Another process, or another part of this one, does this work; it is named.
    public static let locked = Code(name: "locked")
    /// The history does not reach back, or the store has another past, and healing was forbidden.
    public static let historyGone = Code(name: "historyGone")
    /// The new generation does not equal the store: a fault of the program or the machine.
    public static let unequal = Code(name: "unequal")
    /// A file that is not the store or the index cannot be read or written.
    public static let file = Code(name: "file")
    /// The index directory that was locked is no longer in its place.
    public static let removed = Code(name: "removed")
    /// The index is further behind than an answer may be.
    public static let stale = Code(name: "stale")
    /// The work was stopped by a signal; what was committed stays.
    package static let stopped = Code(name: "stopped")
  }

  public var code: Code
  /// What was being done, on which path.
  public var message: String
  /// What a person may do.
  public var hint: String?
  /// What the store, SQLite or Xapian said, where they said something.
  public var cause: (any Error)?

  package init(_ code: Code, _ message: String, hint: String? = nil, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
    self.cause = cause
  }

  public var description: String { message }
}

extension FollowspotError {
  /// What the system refused to do with a file that is neither the store nor the index.
  ///
  /// - Parameter number: The system's error, an `errno` value.
  static func system(_ what: String, _ number: Int32, hint: String? = nil) -> FollowspotError {
    let message = "\(what): \(String(cString: strerror(number)))"
    return switch number {
    case ENOSPC, EDQUOT, EFBIG: FollowspotError(.full, message, hint: "make room, then try again; nothing was lost")
    default: FollowspotError(.file, message, hint: hint)
    }
  }
}
