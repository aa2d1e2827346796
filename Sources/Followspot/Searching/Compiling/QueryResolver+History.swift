// SPDX-License-Identifier: MIT

internal import Base
internal import SQLite
internal import SearchIndex
internal import Store

extension QueryResolver {
  /// Refuses a condition on the history where there is none.
  private func refuseWithoutHistory(_ name: String, _ offset: Int) throws {
    if view.store.isInMemory {
      throw error(
        "\(name) needs the history of the store, which a remote index or a replica does not have", at: offset,
        recovery: .askWriter)
    }
    guard view.store.tracking.hasHistory else {
      // A field such as `authors` or `author_name` is meant more likely than a history that does not exist.
      let named = view.fields.typedNames.filter { NameWords.of($0).map(NameWords.singular).contains(name.lowercased()) }
      guard named.isEmpty else { throw unknown("field", name, named, offset) }
      throw QueryError.withoutHistory(name, in: view.store, query: query, offset: offset)
    }
  }

  func history(_ field: HistoryField, _ name: String, _ value: String, offset: Int) throws -> ResolvedNode {
    try refuseWithoutHistory(name, offset)
    let valueOffset = offset + name.count + 1
    switch field {
    case .author: return .history(try condition(author: value), name: name, reach: .everything, offset: offset)
    case .changed:
      guard let period = DatePeriod(value, now: now, isOfHistory: true) else {
        throw error(
          "\(name) takes dates, not '\(value)'", at: valueOffset,
          recovery: .examples(["\(name):yesterday", "\(name):2d", "\(name):2024-11.."]))
      }
      return history(from: period.start, to: period.end, name, offset)
    case .deleted:
      _ = try deletionPeriod(name, value, offset: offset)
      return .deleted(offset: offset)
    case .tx:
      let number = try transaction(value, name, valueOffset)
      let condition = HistoryCondition("\(HistoryCondition.Column.number.sql) = ?1", [.integer(number)])
      return .history(condition, name: name, reach: .transaction(number), offset: offset)
    }
  }

  /// Transactions of authors with that name, compared without regard to case and diacritics.
  private func condition(author: String) throws -> HistoryCondition {
    let wanted = view.folded(author).lowercased()
    let authors = try view.store.authors().filter { view.folded($0).lowercased() == wanted }
    let parameters = (1...max(1, authors.count)).map { "?\($0)" }.joined(separator: ", ")
    return HistoryCondition(
      "\(HistoryCondition.Column.author.sql) IN (\(parameters))", authors.isEmpty ? [.null] : authors.map { .text($0) })
  }

  func history(
    _ field: HistoryField, _ name: String, _ low: QueryNode.Bound?, _ high: QueryNode.Bound?, offset: Int
  ) throws -> ResolvedNode {
    try refuseWithoutHistory(name, offset)
    switch field {
    case .author: throw error("\(name) does not support ranges", at: offset, recovery: .examples(["\(name):someone"]))
    case .changed:
      let (start, end) = try period(name, low, high, offset, isOfHistory: true)
      return history(
        from: start?.instant ?? -.greatestFiniteMagnitude, to: end?.instant ?? .greatestFiniteMagnitude, name, offset)
    case .deleted:
      _ = try deletionPeriod(name, low, high, offset: offset)
      return .deleted(offset: offset)
    case .tx:
      let valueOffset = offset + name.count + 1
      let first = try low.map { try transaction($0.text, name, valueOffset) }
      let last = try high.map { try transaction($0.text, name, valueOffset) }
      if let first, let last, first > last { throw reversed(name, low, high, offset) }
      let start = low?.isInclusive == false ? min(first ?? 0, .max - 1) + 1 : first ?? 0
      let (above, below) = (low?.isInclusive == false ? ">" : ">=", high?.isInclusive == false ? "<" : "<=")
      let number = HistoryCondition.Column.number.sql
      let condition = HistoryCondition(
        "\(number) \(above) ?1 AND \(number) \(below) ?2", [.integer(first ?? 0), .integer(last ?? .max)])
      return .history(condition, name: name, reach: .transaction(start), offset: offset)
    }
  }

  private func history(from start: Double, to end: Double, _ name: String, _ offset: Int) -> ResolvedNode {
    .history(HistoryCondition(from: start, to: end), name: name, reach: .time(start), offset: offset)
  }

  private func transaction(_ text: String, _ name: String, _ offset: Int) throws -> Int64 {
    if let number = Int64(text), number >= 0 { return number }
    throw error(
      "\(name) takes numbers of transactions, not '\(text)'", at: offset,
      recovery: .transactions(["\(name):12", "\(name):>12", "\(name):12..20"]))
  }
}

extension QueryLowering {
  /// Maximum number of records that are searched by one term each. More are compared with every document.
  private static let fewRows = 1_000

  /// The records that the transactions changed, or the deleted records that they deleted.
  mutating func history(
    _ condition: HistoryCondition, _ name: String, _ reach: HistoryReach, offset: Int
  ) throws -> Query {
    if view.rows.deletions == nil, let note = try view.store.gapNote(reach, lost: "saves") { budget.note(note) }
    if case .time = reach, let stamp = try view.store.futureStamp(now: now + Epoch.secondsFrom1970To2001) {
      budget.note("\(name) uses the recorded times: \(stamp.sentence)")
    }
    let rows =
      view.rows.deletions == nil
      ? try view.store.changedRows(where: condition, limit: budget.rowsLeft + 1) : try deletedRows(where: condition)
    try budget.spendRows(rows.count, of: name, offset: offset, newest: view.store.newest)
    let definition = view.definition
    let named = rows.compactMap { row -> (entity: String, key: Int64)? in
      guard let entity = view.store.layout.entity(number: row.entity)?.entity.name, definition.entities[entity] != nil
      else {
        return nil
      }
      return (entity, row.key)
    }
    guard !named.isEmpty else { return .nothing }
    guard named.count <= Self.fewRows else {
      return .valueSet(
        slot: DocumentLayout.Slot.identity, named.map { DocumentLayout.identity(entity: $0.entity, key: $0.key) })
    }
    // Rare terms would dominate the score: they only filter.
    return .filter(.everything, by: .or(named.map { .term(definition.lookupTerm(entity: $0.entity, key: $0.key)) }))
  }

  private func deletedRows(where condition: HistoryCondition) throws -> [RowIdentifier] {
    var rows: [RowIdentifier] = []
    try view.store.eachDeletion(where: condition) {
      rows.append($0.row)
      return rows.count <= budget.rowsLeft
    }
    return rows
  }
}

extension ResolvedNode {
  /// All deleted records of the snapshot, which were selected by the time of their deletion.
  fileprivate static func deleted(offset: Int) -> ResolvedNode {
    .condition(.filter(.everything, by: .term(DocumentLayout.overlayTerm)), offset: offset)
  }
}
