// SPDX-License-Identifier: MIT

public import FoundationEssentials

/// An error of an index of a store: a code and a recovery for programs, a message for people.
public struct FollowspotError: Error, CustomStringConvertible, Sendable {
  /// An open set: compare with the values below.
  public struct Code: Hashable, Sendable {
    private let name: String

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
    /// The search took longer than `SearchQuery.deadline`.
    public static let timeout = Code(name: "timeout")
    /// There is no store at the path.
    public static let storeMissing = Code(name: "storeMissing")
    /// The file is not a store, keeps no history, or is damaged.
    public static let storeUnusable = Code(name: "storeUnusable")
    /// There is no index yet.
    public static let indexMissing = Code(name: "indexMissing")
    /// The index cannot be read: rebuild it.
    public static let indexCorrupt = Code(name: "indexCorrupt")
    /// The query is not valid; `FollowspotError.queryOffset` is the position of the mistake.
    public static let query = Code(name: "query")
    /// The index definition is wrong, or does not fit the store's model.
    public static let definition = Code(name: "definition")
    /// No space is left: try again when there is.
    public static let full = Code(name: "full")
    /// Another process held the store, or overtook the reader, for too long, or the process cannot get more memory or
    /// open more files: try again.
    public static let busy = Code(name: "busy")
  }

  /// The kind of the error.
  public var code: Code
  /// What failed, on what, and why: a sentence without a full stop.
  public var message: String
  /// What removes the cause; nil if only another request can succeed.
  public var recovery: Recovery?
  /// For `.query`: the query or the SQL statement with the mistake; nil for other errors.
  public var query: String?
  /// For `.query`: the number of characters before the mistake; nil if the error concerns the whole query.
  public var queryOffset: Int?
  /// For `.query`: the query with the closest name instead of an unknown one, to be offered to the user; nil if no name is
  /// close, or if another mistake was made.
  public var correctedQuery: String?
  /// Names that exist, where the request has an unknown one and few exist. Empty otherwise.
  public var knownNames: [String] = []
  /// What the store, SQLite or Xapian reported.
  public var cause: (any Error)?
  /// More precise than the advice of `recovery`.
  var ownAdvice: String?

  /// - Parameters:
  ///   - code: The kind of the error.
  ///   - message: What failed, on what, and why: a sentence without a full stop.
  ///   - recovery: What removes the cause; nil if only another request can succeed.
  public init(code: Code, message: String, recovery: Recovery? = nil) {
    (self.code, self.message, self.recovery) = (code, message, recovery)
  }

  /// What a person or the program can do: a sentence without a full stop; nil if the message is enough.
  public var advice: String? { ownAdvice ?? recovery?.advice }

  /// The position of the mistake in `query`; nil if the error concerns the whole query.
  public var queryIndex: String.Index? {
    guard let query, let queryOffset else { return nil }
    return query.index(query.startIndex, offsetBy: queryOffset, limitedBy: query.endIndex)
  }

  /// The message.
  public var description: String { message }
}

extension FollowspotError: LocalizedError {
  /// The message.
  public var errorDescription: String? { message }
  /// What the store, SQLite or Xapian reported.
  public var failureReason: String? { cause.map { String(describing: $0) } }
  /// The advice.
  public var recoverySuggestion: String? { advice }
}
