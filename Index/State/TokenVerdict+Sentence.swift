// SPDX-License-Identifier: MIT

internal import Store

extension TokenVerdict {
  /// The verdict as a sentence without a full stop.
  func sentence(token: StoreToken?) -> String {
    let number = token.map { String($0.number) } ?? "-"
    switch self {
    case .noToken: return "the index has no token"
    case .valid: return "the history continues after transaction \(number)"
    case .expired(let missing) where missing.isEmpty: return "the token \(number) has expired"
    case .expired(let missing):
      return "the token \(number) has expired: \(missing.subject) not in the history"
    case .diverged(.otherStore(let uuid)): return "the store is another one: the index followed \(uuid)"
    case .diverged(.beforeAttaching): return "the database was attached after it was indexed"
    case .diverged(.newerThanStore(let newest)):
      return "the store is older than the index: its newest transaction is \(newest), the token is \(number)"
    case .diverged(.otherHistory):
      return "the history has diverged: transaction \(number) of the store is not the one that was indexed"
    case .mayHaveChanged: return "the database may have changed since it was indexed"
    case .unexplained:
      return
        "the change log does not explain all that was written to the database: rows may have changed without triggers"
    case .changed: return "the database has changed since it was indexed"
    case .modelGrown: return "the store's model has grown"
    case .modelChanged: return "the store's model has changed"
    }
  }
}

extension [ClosedRange<Int64>] {
  /// `transaction 3 is`, `transactions 3, 5-9 are`
  package var subject: String {
    count == 1 && first?.count == 1 ? "transaction \(text) is" : "transactions \(text) are"
  }

  /// `3, 5-9`
  var text: String {
    map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: ", ")
  }
}
