// SPDX-License-Identifier: MIT

internal import PersistentStore
internal import SQLite

/// A predicate over transactions as a condition on a store's history.
struct TransactionCondition {
  let compiled: HistoryCondition
  /// The number of the token after which the selected transactions begin; nil where they begin after no token.
  let beginning: Int64?

  /// - Parameter store: The identifier of the store whose history is read.
  /// - Throws: `SwiftDataError.unsupportedPredicate`.
  init(_ predicate: Predicate<DefaultHistoryTransaction>?, _ store: String) throws {
    guard let predicate else {
      compiled = .all
      beginning = nil
      return
    }
    let compiled = try RecordPredicateCompiler(columns: Self.columns(store)).compile(predicate)
    self.compiled = HistoryCondition(compiled.condition, compiled.bindings)
    beginning = (predicate.expression as? any TokenBound)?.beginning(store)
  }

  /// Terms of ORDER BY.
  ///
  /// - Throws: `SwiftDataError.unsupportedSortDescriptor`.
  static func order(_ descriptors: [SortDescriptor<DefaultHistoryTransaction>]) throws -> [String] {
    let columns = columns("")
    return try descriptors.map { descriptor in
      guard let column = descriptor.keyPath.flatMap({ columns[$0] }) else {
        throw SwiftDataError(
          .unsupportedSortDescriptor, "transactions are sorted by any of their properties but `changes`")
      }
      return descriptor.order == .forward ? column.sql : column.sql + " DESC"
    }
  }

  // MARK: Columns

  private typealias Column = RecordPredicateCompiler.Column

  /// The columns by key path, as code that names the type makes it, and as code over any transaction does.
  private static func columns(_ store: String) -> [AnyKeyPath: RecordPredicateCompiler.Column] {
    let number = Column(HistoryCondition.Column.number.sql, Int64.self)
    let token = Column(HistoryCondition.Column.number.sql, DefaultHistoryToken.self) {
      ($0 as? DefaultHistoryToken)?.number(of: store).map(Value.integer)
    }
    let timestamp = Column(HistoryCondition.Column.timestamp.sql, Date.self)
    let author = Column(HistoryCondition.Column.author.sql, String.self, isNullable: true)
    // The file says what its identifier is: a quotation mark in it stays a character.
    let identifier = Column(Value.text(store).literal, String.self)
    let bundle = Column("coalesce(\(HistoryCondition.Column.bundle.sql), '')", String.self)
    let process = Column("coalesce(\(HistoryCondition.Column.process.sql), '')", String.self)
    func generic<Transaction: HistoryTransaction>(_ type: Transaction.Type) -> [AnyKeyPath: Column] {
      [
        \Transaction.token: token, \Transaction.transactionIdentifier: number, \Transaction.timestamp: timestamp,
        \Transaction.author: author, \Transaction.storeIdentifier: identifier,
      ]
    }
    let own: [AnyKeyPath: Column] = [
      \DefaultHistoryTransaction.token: token, \DefaultHistoryTransaction.transactionIdentifier: number,
      \DefaultHistoryTransaction.id: number, \DefaultHistoryTransaction.timestamp: timestamp,
      \DefaultHistoryTransaction.author: author, \DefaultHistoryTransaction.storeIdentifier: identifier,
      \DefaultHistoryTransaction.bundleIdentifier: bundle, \DefaultHistoryTransaction.processIdentifier: process,
    ]
    return own.merging(generic(DefaultHistoryTransaction.self)) { first, _ in first }
  }
}

/// An expression that may select the transactions after a token.
private protocol TokenBound {
  func beginning(_ store: String) -> Int64?
}

extension PredicateExpressions.Conjunction: TokenBound {
  fileprivate func beginning(_ store: String) -> Int64? {
    let sides = [lhs as Any, rhs as Any].compactMap { ($0 as? any TokenBound)?.beginning(store) }
    return sides.max()
  }
}

extension SeveralPredicates: TokenBound {
  fileprivate func beginning(_ store: String) -> Int64? {
    areAllNeeded ? predicates.compactMap { ($0.expression as? any TokenBound)?.beginning(store) }.max() : nil
  }
}

extension PredicateExpressions.Comparison: TokenBound {
  fileprivate func beginning(_ store: String) -> Int64? {
    let captured: LHS.Output?
    switch op {
    case .greaterThan, .greaterThanOrEqual: captured = try? rhs.evaluate(PredicateBindings())
    case .lessThan, .lessThanOrEqual: captured = try? lhs.evaluate(PredicateBindings())
    @unknown default: captured = nil
    }
    return (captured as? DefaultHistoryToken)?.number(of: store)
  }
}
