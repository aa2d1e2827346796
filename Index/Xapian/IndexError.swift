// SPDX-License-Identifier: MIT

internal import CXapian

/// An error of an index.
package struct IndexError: Error, CustomStringConvertible, Sendable {
  /// An open set: compare with the values below.
  package struct Code: Hashable, Sendable {
    let name: String

    /// There is no index at the path.
    package static let missing = Code(name: "missing")
    /// The index at the path is being built.
    package static let building = Code(name: "building")
    /// The directory belongs to another program.
    package static let foreign = Code(name: "foreign")
    /// Another writer holds the index.
    package static let locked = Code(name: "locked")
    /// The index cannot be read: rebuild it.
    package static let corrupt = Code(name: "corrupt")
    /// The reader's revision was overwritten by later commits: retry.
    package static let changed = Code(name: "changed")
    /// No space is left: retry when there is.
    package static let full = Code(name: "full")
    /// The process cannot get more memory or open more files: retry when it can.
    package static let limit = Code(name: "limit")
    /// Files or directories of the index cannot be read or written.
    package static let unreadable = Code(name: "unreadable")
    /// The query cannot be run.
    package static let invalidQuery = Code(name: "invalidQuery")
    /// Xapian rejects the document. Another attempt fails in the same way.
    package static let rejected = Code(name: "rejected")
    /// Another machine does not answer, not in time, or not as Xapian's server does.
    package static let unreachable = Code(name: "unreachable")
    package static let other = Code(name: "other")
  }

  package var code: Code
  /// What failed, on which path.
  package var message: String
  /// What removes the cause; nil if the message is enough.
  package var recovery: Recovery?
  /// Xapian's exception class and its complete message.
  package var cause: String?
  /// The host and the port of the index that failed; nil if it is on this machine.
  package var remote: String?

  package init(_ code: Code, _ message: String, recovery: Recovery? = nil, cause: String? = nil) {
    self.code = code
    self.message = message
    self.recovery = recovery
    self.cause = cause
  }

  package var description: String { cause.map { "\(message): \($0)" } ?? message }
}

extension IndexError {
  static func from(_ error: cx_error, _ operation: String, path: String) -> IndexError {
    let remote = withUnsafeBytes(of: error.remote) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    guard !remote.isEmpty else { return local(error, operation, path: path) }
    var made = local(error, operation, path: remote)
    made.remote = remote
    return made
  }

  private static func local(_ error: cx_error, _ operation: String, path: String) -> IndexError {
    let type = withUnsafeBytes(of: error.type) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    let text = withUnsafeBytes(of: error.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    let cause = "\(type): \(text)"
    switch Int(error.code) {
    case CX_LOCKED: return IndexError(.locked, "\(path) is being written by another process", cause: cause)
    case CX_FULL:
      return IndexError(
        .full, "no space left for \(path)", recovery: .freeSpace, cause: cause)
    case CX_LIMIT:
      return IndexError(
        .limit, "\(operation) \(path) failed",
        recovery: .raiseLimits([.memory, .openFiles]), cause: cause)
    case CX_MODIFIED:
      return IndexError(
        .changed, "the index \(path) changed while it was being read", recovery: .retry, cause: cause)
    case CX_CORRUPT, CX_MISSING:
      return IndexError(.corrupt, "the index \(path) cannot be read", recovery: .rebuildIndex, cause: cause)
    case CX_DENIED:
      return IndexError(
        .unreadable, "\(operation) \(path) is not permitted", recovery: .checkPermissions, cause: cause)
    case CX_UNREACHABLE: return IndexError(.unreachable, "\(path) does not answer", cause: text)
    case CX_INVALID: return IndexError(.invalidQuery, "\(operation) was refused", cause: cause)
    default:
      return IndexError(
        .other, "\(operation) \(path) failed", recovery: .checkDisk,
        cause: cause)
    }
  }
}
