// SPDX-License-Identifier: MIT

internal import Base
internal import Store

/// The period of the condition `deleted:`, which makes a query search deleted records.
struct DeletionPeriod: Equatable {
  /// Seconds since 2001.
  var start = -Double.greatestFiniteMagnitude
  /// The first moment after it.
  var end = Double.greatestFiniteMagnitude
  let name: String
  /// Offset of the condition in the query.
  let offset: Int

  /// The period of a request; nil if its query does not find deleted records.
  static func of(_ request: SearchRequest, in view: SearchView) throws -> DeletionPeriod? {
    // A query that is being typed may not be complete. Those who need it whole report that.
    guard let parsed = try? view.searched.parse(request), view.searched.findsDeleted(parsed) else { return nil }
    return try QueryResolver(query: request.query, view: view, now: DatePeriod.now).deletionPeriod(parsed)
  }

  /// Refuses a query about deleted records where only present ones can be meant.
  static func refuse(_ request: SearchRequest, in view: SearchView, _ reason: String) throws {
    guard let period = try of(request, in: view) else { return }
    throw QueryError("\(period.name) finds deleted records, \(reason)", query: request.query, offset: period.offset)
  }

  /// The transactions of the period.
  var condition: HistoryCondition { HistoryCondition(from: start, to: end) }

  /// The time in both periods.
  func intersection(_ other: DeletionPeriod) -> DeletionPeriod {
    DeletionPeriod(start: max(start, other.start), end: min(end, other.end), name: name, offset: offset)
  }
}

extension QueryResolver {
  /// The period of all conditions `deleted:` of a query; nil if the query has none.
  ///
  /// - Throws: `QueryError` if one of them is an alternative or is negated. One query cannot find both deleted and
  ///   present records.
  func deletionPeriod(_ parsed: ParsedQuery) throws -> DeletionPeriod? { try deletionPeriod(parsed.root, below: nil) }

  private func deletionPeriod(_ node: QueryNode, below context: String?) throws -> DeletionPeriod? {
    func found(_ period: DeletionPeriod) throws -> DeletionPeriod {
      guard let context else { return period }
      throw error(
        "\(period.name) is a condition on the whole query and cannot be part of \(context)", at: period.offset,
        recovery: .examples(["\(period.name):2024..", "\(period.name):* word"]))
    }
    switch node {
    case .field(let name, let value, _, let offset):
      guard isDeletion(name) else { return nil }
      return try found(deletionPeriod(name.lowercased(), value, offset: offset))
    case .range(let name, let low, let high, let offset):
      guard isDeletion(name) else { return nil }
      return try found(deletionPeriod(name.lowercased(), low, high, offset: offset))
    case .and(let nodes):
      return try nodes.compactMap { try deletionPeriod($0, below: context) }
        .reduce(nil as DeletionPeriod?) { $0?.intersection($1) ?? $1 }
    case .or(let nodes):
      for node in nodes { _ = try deletionPeriod(node, below: "OR") }
    case .not(let inner): _ = try deletionPeriod(inner, below: "NOT")
    default: break
    }
    return nil
  }

  private func isDeletion(_ name: String) -> Bool {
    if case .history(.deleted) = FieldName(name, in: view.fields) { true } else { false }
  }

  /// The period of `deleted:VALUE`; `*` means any time.
  func deletionPeriod(_ name: String, _ value: String, offset: Int) throws -> DeletionPeriod {
    guard value != "*" else { return DeletionPeriod(name: name, offset: offset) }
    guard let period = DatePeriod(value, now: now, isOfHistory: true) else {
      throw error(
        "\(name) takes dates, not '\(value)'", at: offset + name.count + 1,
        recovery: .examples(["\(name):yesterday", "\(name):2d", "\(name):2024-11..", "\(name):*"]))
    }
    return DeletionPeriod(start: period.start, end: period.end, name: name, offset: offset)
  }

  func deletionPeriod(
    _ name: String, _ low: QueryNode.Bound?, _ high: QueryNode.Bound?, offset: Int
  ) throws -> DeletionPeriod {
    let (start, end) = try period(name, low, high, offset, isOfHistory: true)
    return DeletionPeriod(
      start: start?.instant ?? -.greatestFiniteMagnitude, end: end?.instant ?? .greatestFiniteMagnitude, name: name,
      offset: offset)
  }
}
