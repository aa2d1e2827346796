/// What went wrong where store and index meet, for people and for machines.
package struct FollowspotError: Error, CustomStringConvertible, Sendable {
  /// An open set: compare with the values below.
  package struct Code: Hashable, Sendable {
    let name: String

    /// The request itself is wrong.
    package static let usage = Code(name: "usage")
    /// Another process does this work; it is named.
    package static let locked = Code(name: "locked")
    /// The history does not reach back, or the store has another past, and healing was forbidden.
    package static let historyGone = Code(name: "historyGone")
    /// The new generation does not equal the store: a fault of the program or the machine.
    package static let unequal = Code(name: "unequal")
    /// A file that is not the store or the index cannot be read or written.
    package static let file = Code(name: "file")
    /// The index directory that was locked is no longer in its place.
    package static let removed = Code(name: "removed")
    /// The work was stopped by a signal; what was committed stays.
    package static let stopped = Code(name: "stopped")
  }

  package var code: Code
  package var message: String
  package var hint: String?

  package init(_ code: Code, _ message: String, hint: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
  }

  package var description: String { message }
}
