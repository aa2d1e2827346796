// SPDX-License-Identifier: MIT

/// How far a reader of the change feed has read: through one change of one transaction, or through all of them.
///
/// As text: `12` (all of transaction 12), `12:345` (through change 345 of it), or either with the raw timestamp of the
/// transaction in hexadecimal digits: `12:all:41c6f0a2b3c4d5e6`, `12:345:41c6f0a2b3c4d5e6`. The timestamp identifies a
/// restored store, in which another transaction has the same number.
package struct FeedPosition: Equatable, Sendable, CustomStringConvertible {
  var transaction: Int64
  /// The number of the last change read; nil if the whole transaction was read.
  var change: Int64?
  /// The bits of the transaction's timestamp; nil if it is not known.
  var stamp: UInt64?

  init(transaction: Int64, change: Int64? = nil, stamp: UInt64? = nil) {
    self.transaction = transaction
    self.change = change
    self.stamp = stamp
  }

  /// nil for text of any other form.
  init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count), let transaction = Int64(parts[0]), transaction >= 0 else { return nil }
    self.init(transaction: transaction)
    guard parts.count > 1 else { return }
    if parts[1] != "all" {
      guard let change = Int64(parts[1]), change >= 0 else { return nil }
      self.change = change
    }
    guard parts.count > 2 else { return }
    guard let stamp = UInt64(parts[2], radix: 16) else { return nil }
    self.stamp = stamp
  }

  package var description: String {
    let end = stamp.map { ":" + String($0, radix: 16) } ?? ""
    if let change { return "\(transaction):\(change)\(end)" }
    return stamp == nil ? String(transaction) : "\(transaction):all\(end)"
  }
}
