// SPDX-License-Identifier: MIT

internal import SQLite
internal import Store

/// A predicate over transactions as a condition on a store's history.
struct TransactionCondition {
  let compiled: HistoryCondition
  /// Between which tokens the selected transactions are.
  let range: TokenRange

  /// - Parameter store: The store whose history is read.
  /// - Throws: `SwiftDataError.unsupportedPredicate`.
  init(_ predicate: Predicate<DefaultHistoryTransaction>?, _ store: StoreBinding) throws {
    guard let predicate else {
      compiled = .all
      range = TokenRange()
      return
    }
    let changes = RowsTerm.changes(in: store)
    let record = RecordTerm(
      columns: Self.columns(store.storeIdentifier),
      collections: [
        \DefaultHistoryTransaction.changes: changes, Self.genericChanges(DefaultHistoryTransaction.self): changes,
      ])
    let compiled = try RecordPredicateCompiler(record: record).compile(predicate)
    self.compiled = HistoryCondition(compiled.condition, compiled.bindings)
    range = (predicate.expression as? any TokenBound)?.range(store.storeIdentifier) ?? TokenRange()
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

  private typealias Column = RecordTerm.Column

  private static func genericChanges<Transaction: HistoryTransaction>(_ type: Transaction.Type) -> AnyKeyPath {
    \Transaction.changes
  }

  /// The columns by key path, as code that names the type makes it, and as code over any transaction does.
  private static func columns(_ store: String) -> [AnyKeyPath: RecordTerm.Column] {
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

/// The numbers of transactions between two tokens.
struct TokenRange {
  /// nil where the transactions begin after no token.
  var after: Int64?
  /// nil for the newest.
  var through: Int64?

  /// What all expressions select.
  fileprivate static func intersection(of expressions: [Any], _ store: String) -> TokenRange {
    let ranges = expressions.compactMap { ($0 as? any TokenBound)?.range(store) }
    return TokenRange(after: ranges.compactMap(\.after).max(), through: ranges.compactMap(\.through).min())
  }
}

/// An expression that may select the transactions between two tokens.
private protocol TokenBound {
  func range(_ store: String) -> TokenRange
}

extension PredicateExpressions.Conjunction: TokenBound {
  fileprivate func range(_ store: String) -> TokenRange {
    TokenRange.intersection(of: [lhs, rhs], store)
  }
}

extension SeveralPredicates: TokenBound {
  fileprivate func range(_ store: String) -> TokenRange {
    areAllNeeded ? TokenRange.intersection(of: predicates.map { $0.expression as Any }, store) : TokenRange()
  }
}

extension PredicateExpressions.Comparison: TokenBound {
  fileprivate func range(_ store: String) -> TokenRange {
    func number(_ side: some PredicateExpression) -> Int64? {
      ((try? PredicateBindings().value(of: side)) as? DefaultHistoryToken)?.number(of: store)
    }
    let (left, right) = (number(lhs), number(rhs))
    guard let bound = right ?? left else { return TokenRange() }
    let isAfter = (right != nil) == (op == .greaterThan || op == .greaterThanOrEqual)
    let includesBound = op == .greaterThanOrEqual || op == .lessThanOrEqual
    return isAfter
      ? TokenRange(after: includesBound ? bound - 1 : bound) : TokenRange(through: includesBound ? bound : bound - 1)
  }
}
