// SPDX-License-Identifier: MIT

#if canImport(Glibc)
  internal import Glibc
#endif

/// An error of an index of a store: a code and a recovery for programs, a message for people.
public struct FollowspotError: Error, CustomStringConvertible, Sendable {
  /// An open set: compare with the values below.
  public struct Code: Hashable, Sendable {
    let name: String

    /// The request itself is wrong.
    public static let usage = Code(name: "usage")
    /// Another process, or another part of this one, does this work. The message names it.
    public static let locked = Code(name: "locked")
    /// Required history is missing or has diverged, and reconciling was forbidden or is not possible.
    public static let historyGone = Code(name: "historyGone")
    /// The new generation does not equal the store: an error of the program or of the hardware.
    public static let unequal = Code(name: "unequal")
    /// A file that is not the store or the index cannot be read or written.
    public static let file = Code(name: "file")
    /// The index directory was removed or replaced while it was locked.
    public static let removed = Code(name: "removed")
    /// The index is further behind than the request allows.
    public static let stale = Code(name: "stale")
    /// Another machine does not answer, or stops answering.
    package static let unreachable = Code(name: "unreachable")
    /// Parts of a group do not answer.
    package static let incomplete = Code(name: "incomplete")
    /// A replica cannot be read or updated: it is copied again.
    package static let damagedReplica = Code(name: "damagedReplica")
    /// The work was stopped by a signal; what was committed stays.
    package static let stopped = Code(name: "stopped")
  }

  /// The kind of the error.
  public var code: Code
  /// What failed, on what, and why: a sentence without a full stop.
  public var message: String
  /// What removes the cause; nil if only another request can succeed.
  public var recovery: Recovery?
  /// For `.query`: the number of characters before the mistake; nil if the error concerns the whole query.
  public var queryOffset: Int?
  /// What the store, SQLite or Xapian reported.
  public var cause: (any Error)?
  package var action: Action?

  package init(_ code: Code, _ message: String, recovery action: Action? = nil, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.action = action
    self.cause = cause
    recovery = action.flatMap(Recovery.init)
  }

  /// The message.
  public var description: String { message }
}

extension FollowspotError {
  /// An error of the system for a file that is neither the store nor the index.
  ///
  /// - Parameter number: The `errno` value.
  static func system(_ what: String, _ number: Int32, recovery: Action? = nil) -> FollowspotError {
    let message = "\(what): \(String(cString: strerror(number)))"
    return switch number {
    case ENOSPC, EDQUOT, EFBIG: FollowspotError(.full, message, recovery: .freeSpace)
    case EMFILE, ENFILE, ENOMEM: FollowspotError(.busy, message, recovery: .raiseFileLimit)
    default: FollowspotError(.file, message, recovery: recovery)
    }
  }
}
