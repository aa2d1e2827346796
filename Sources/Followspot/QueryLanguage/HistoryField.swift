// SPDX-License-Identifier: MIT

internal import SearchIndex

/// A condition on the history. An attribute of the same name takes precedence; `@` before the name always means the
/// history.
package enum HistoryField: String, CaseIterable {
  /// When the record was saved: `changed:yesterday`, `changed:2d..`.
  case changed
  /// Who saved it.
  case author
  /// In which transaction: `tx:12`, `tx:>12`.
  case tx
  /// When a record was deleted: `deleted:yesterday`, `deleted:*`. The query then finds deleted records, and the other
  /// conditions on the history are about the transactions that deleted them.
  case deleted

  init?(_ name: String, in fields: FieldTable) {
    let lowered = name.lowercased()
    guard fields[lowered] == nil,
      let field = Self(rawValue: lowered.hasPrefix("@") ? String(lowered.dropFirst()) : lowered)
    else { return nil }
    self = field
  }
}
