// SPDX-License-Identifier: MIT

#if canImport(Glibc)
  internal import Glibc
#endif

/// An operation on a store and its index failed: a code and an action for the caller, a message for people.
package struct OperationError: Error, CustomStringConvertible, Sendable {
  package enum Code: Sendable {
    /// The request itself is wrong.
    case usage
    /// Another process, or another part of this one, does this work. The message names it.
    case locked
    /// Required history is missing or has diverged, and reconciling was forbidden or is not possible.
    case historyGone
    /// The new generation does not equal the store: an error of the program or of the hardware.
    case unequal
    /// A file that is not the store or the index cannot be read or written.
    case file
    /// No space is left.
    case full
    /// Another process held the store for too long, or the process cannot get more memory or open more files.
    case busy
    /// The index directory was removed or replaced while it was locked.
    case removed
    /// The index is further behind than the request allows.
    case stale
    /// Another machine does not answer, or stops answering.
    case unreachable
    /// Parts of a group do not answer.
    case incomplete
    /// A replica cannot be read or updated: it is copied again.
    case damagedReplica
    /// The work was stopped by a signal; what was committed stays.
    case stopped
  }

  package var code: Code
  /// What failed, on what, and why: a sentence without a full stop.
  package var message: String
  /// What removes the cause; nil if only another request can succeed.
  package var action: Action?
  /// What the store, SQLite or Xapian reported.
  package var cause: (any Error)?

  package init(_ code: Code, _ message: String, recovery action: Action? = nil, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.action = action
    self.cause = cause
  }

  package var description: String { message }

  /// An error of the system for a file that is neither the store nor the index.
  ///
  /// - Parameter number: The `errno` value.
  package static func system(_ what: String, _ number: Int32, recovery: Action? = nil) -> OperationError {
    let message = "\(what): \(String(cString: strerror(number)))"
    return switch number {
    case ENOSPC, EDQUOT, EFBIG: OperationError(.full, message, recovery: .freeSpace)
    case EMFILE, ENFILE, ENOMEM: OperationError(.busy, message, recovery: .raiseFileLimit)
    default: OperationError(.file, message, recovery: recovery)
    }
  }
}
