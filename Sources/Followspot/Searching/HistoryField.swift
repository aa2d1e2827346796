internal import IndexDefinitions
internal import PersistentStore
internal import SQLite
internal import SearchIndex

/// What a query may ask of the history. An attribute of the same name goes first; with `@` before it the history is
/// meant in any case.
enum HistoryField: String, CaseIterable {
  /// When the record was saved: `changed:yesterday`, `changed:2d..`.
  case changed
  /// Who saved it.
  case author
  /// In which transaction: `tx:12`, `tx:>12`.
  case tx

  init?(_ name: String, in fields: FieldTable) {
    let lowered = name.lowercased()
    guard fields[lowered] == nil,
      let field = Self(rawValue: lowered.hasPrefix("@") ? String(lowered.dropFirst()) : lowered)
    else { return nil }
    self = field
  }
}

extension QueryCompiler {
  /// Records that are sought by a term each; more are compared with every document.
  private static let fewRows = 1_000

  mutating func history(_ name: String, _ value: String, place: Int) throws -> Query {
    let valuePlace = place + name.count + 1
    switch HistoryField(name, in: index.fields) {
    case .author:
      return try rows(try condition(author: value), name, place)
    case .changed:
      guard let period = DatePeriod(value, now: now) else {
        throw QueryError(
          "\(name) takes dates, not '\(value)'", query: query, place: valuePlace,
          hint: "\(name):yesterday, \(name):2d or \(name):2024-11..")
      }
      return try history(from: period.start, to: period.end, name, place)
    case .tx, nil:
      let number = try transaction(value, name, valuePlace)
      return try rows(HistoryCondition("t.Z_PK = ?1", [.integer(number)]), name, place)
    }
  }

  /// Transactions of authors of that name, folded as words are.
  private mutating func condition(author: String) throws -> HistoryCondition {
    let wanted = folder.fold(author).lowercased()
    let authors = try store?.authors().filter { folder.fold($0).lowercased() == wanted } ?? []
    let parameters = (1...max(1, authors.count)).map { "?\($0)" }.joined(separator: ", ")
    return HistoryCondition("a.ZNAME IN (\(parameters))", authors.isEmpty ? [.null] : authors.map { .text($0) })
  }

  mutating func history(_ name: String, _ low: QueryNode.Bound?, _ high: QueryNode.Bound?, place: Int) throws -> Query {
    switch HistoryField(name, in: index.fields) {
    case .author:
      throw QueryError("\(name) has no ranges", query: query, place: place, hint: "\(name):someone")
    case .changed:
      let start = try low.map { try period($0, name, place).lowest(isInclusive: $0.isInclusive) }
      let end = try high.map { try period($0, name, place).highest(isInclusive: $0.isInclusive) }
      if let start, let end, start >= end { throw reversed(name, low, high, place) }
      return try history(from: start ?? -.greatestFiniteMagnitude, to: end ?? .greatestFiniteMagnitude, name, place)
    case .tx, nil:
      let valuePlace = place + name.count + 1
      let first = try low.map { try transaction($0.text, name, valuePlace) }
      let last = try high.map { try transaction($0.text, name, valuePlace) }
      if let first, let last, first > last { throw reversed(name, low, high, place) }
      return try rows(
        HistoryCondition(
          "t.Z_PK \(low?.isInclusive == false ? ">" : ">=") ?1 AND t.Z_PK \(high?.isInclusive == false ? "<" : "<=") ?2",
          [.integer(first ?? 0), .integer(last ?? .max)]), name, place)
    }
  }

  private mutating func history(from start: Double, to end: Double, _ name: String, _ place: Int) throws -> Query {
    if let stamp = try store?.futureStamp(now: now + HistoryTransaction.secondsFrom1970To2001) {
      let note = "\(name) takes stamps as they are: \(stamp.sentence)"
      if !notes.contains(note) { notes.append(note) }
    }
    let condition = HistoryCondition("t.ZTIMESTAMP >= ?1 AND t.ZTIMESTAMP < ?2", [.real(start), .real(end)])
    return try rows(condition, name, place)
  }

  private func transaction(_ text: String, _ name: String, _ place: Int) throws -> Int64 {
    if let number = Int64(text), number >= 0 { return number }
    throw QueryError(
      "\(name) takes numbers of transactions, not '\(text)'", query: query, place: place,
      hint: "\(name):12, \(name):>12 or \(name):12..20; followspot history lists them")
  }

  /// The records that the transactions touched, each by its own term.
  private mutating func rows(_ condition: HistoryCondition, _ name: String, _ place: Int) throws -> Query {
    guard let store else { throw QueryError("\(name) needs the store's history", query: query, place: place) }
    let rows = try store.changedRows(where: condition, limit: rowsLeft + 1)
    guard rows.count <= rowsLeft else {
      throw QueryError(
        "\(name) means more than \(Self.mostRows) records", query: query, place: place,
        hint: "narrow it, as in changed:1d.. or tx:>\(try store.newest())")
    }
    rowsLeft -= rows.count
    let definition = index.definition
    let named = rows.compactMap { row -> (entity: String, key: Int64)? in
      guard let entity = store.layout.entity(number: row.entity)?.entity.name, definition.entities[entity] != nil else {
        return nil
      }
      return (entity, row.key)
    }
    guard !named.isEmpty else { return .nothing }
    guard named.count <= Self.fewRows else {
      return .among(
        slot: DocumentLayout.Slot.identity, named.map { DocumentLayout.identity(entity: $0.entity, key: $0.key) })
    }
    // Terms of identity would weigh a lot: they decide only.
    return .filter(.everything, by: .or(named.map { .term(definition.lookupTerm(entity: $0.entity, key: $0.key)) }))
  }
}
