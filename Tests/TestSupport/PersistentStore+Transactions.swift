// SPDX-License-Identifier: MIT

package import Store

extension PersistentStore {
  /// Calls `body` with each of the transactions.
  package func transactions(
    after number: Int64 = 0, through last: Int64 = .max, where condition: HistoryCondition = .all,
    orderBy order: [String] = [], limit: Int? = nil, of isWanted: ((RowIdentifier) -> Bool)? = nil,
    _ body: (StoredTransaction) throws -> Void
  ) throws {
    try transactions(
      after: number, through: last, where: condition, orderBy: order, limit: limit, of: isWanted
    ) { (transaction: StoredTransaction) -> Bool in
      try body(transaction)
      return true
    }
  }
}
