// SPDX-License-Identifier: MIT

internal import Base
internal import SQLite

#if canImport(Glibc)
  internal import Glibc
#endif

extension PersistentStore {
  /// Saves the changes of `body` as one history transaction.
  ///
  /// One SQLite transaction contains the rows, one ATRANSACTION and one ACHANGE per object. It is durable on return
  /// (`synchronous=FULL`). A save without changes writes no transaction. If `body` throws, nothing is written.
  ///
  /// - Parameters:
  ///   - author: The author of the transaction; nil for none.
  ///   - process: The name of the saving program. It is stored with the transaction, as is its bundle's.
  /// - Throws: `StoreError.busy` after ten seconds of another writer, `.full`, `.notWritable`, and errors of `body`.
  @discardableResult
  package func save(
    author: String? = nil, process: String = "followspot", bundle: String = "followspot",
    _ body: (Save) throws -> Void
  ) throws -> SaveResult {
    precondition(access == .readWrite, "a store that was opened for reading cannot save")
    guard tables == nil else { throw Self.notWritten(path) }
    return try Self.translating(path) {
      try connection.beginWrite()
      let save = Save(store: self)
      do {
        try refuseReplaced()
        try body(save)
        try save.constraints.check(self)
        guard save.records.contains(where: { $0.kind != nil }) else {
          connection.rollback()
          save.external?.rolledBack()
          return SaveResult(transaction: try newest())
        }
        for (root, next) in save.nextKeys { try setMaximum(ofEntity: root, to: next - 1) }
        let result = try writeHistory(of: save, author: author, process: process, bundle: bundle)
        try save.external?.prepare()
        try commit(save.external)
        return result
      } catch {
        connection.rollback()
        save.external?.rolledBack()
        throw error
      }
    }
  }

  /// Commits, and keeps or removes the external files according to the result.
  func commit(_ external: ExternalChanges?) throws {
    do {
      try connection.commit()
    } catch {
      // Only the next opening shows whether a failed commit took effect.
      external?.keepAll()
      throw error
    }
    guard let external else { return }
    connection.whenFinal { end in
      switch end {
      case .committed: external.committed()
      case .rolledBack: external.rolledBack()
      case .unknown: external.keepAll()
      }
    }
  }

  // MARK: Numbering

  private func setMaximum(ofEntity number: Int, to maximum: Int64) throws {
    try connection.run(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = max(Z_MAX, ?2) WHERE Z_ENT = ?1", [.integer(Int64(number)), .integer(maximum)])
  }

  // MARK: History

  func writeHistory(
    of save: Save, author: String?, context: String? = nil, process: String = "followspot",
    bundle: String = "followspot"
  ) throws -> SaveResult {
    typealias Numbers = StoreLayout.HistoryEntity
    let number = try maximum(ofEntity: Numbers.transaction) + 1
    let authorString = try author.map(intern).map(Value.integer) ?? .null
    let contextString = try context.map(intern).map(Value.integer) ?? .null
    let (bundleString, processString) = (try intern(bundle), try intern(process))
    try connection.run(
      """
      INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS, ZPROCESSIDTS, ZTIMESTAMP)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      """,
      [
        .integer(number), .integer(Int64(Numbers.transaction)), authorString, .integer(bundleString), contextString,
        .integer(processString), .real(try nextTimestamp()),
      ])
    try setMaximum(ofEntity: Numbers.transaction, to: number)

    var rows: [ChangeKind: [RowIdentifier]] = [:]
    for kind in [ChangeKind.insert, .update, .delete] {
      rows[kind] = try writeChanges(kind, of: save, transaction: number)
    }
    return SaveResult(transaction: number, rows: rows)
  }

  private func writeChanges(_ kind: ChangeKind, of save: Save, transaction: Int64) throws -> [RowIdentifier] {
    guard let first = save.records.firstIndex(where: { $0.kind == kind }) else { return [] }
    var number = try maximum(ofEntity: StoreLayout.HistoryEntity.change) + 1
    let statement = try connection.statement(insertChange)
    defer { statement.reset() }
    try statement.bind(Int64(StoreLayout.HistoryEntity.change), at: 2)
    try statement.bind(Int64(kind.rawValue), at: 3)
    try statement.bind(transaction, at: 6)
    var rows: [RowIdentifier] = []
    rows.reserveCapacity(save.records.count - first)
    for index in first..<save.records.count where save.records[index].kind == kind {
      let row = save.records[index].row
      rows.append(row)
      try statement.bind(number, at: 1)
      try statement.bind(Int64(row.entity), at: 4)
      try statement.bind(row.key, at: 5)
      if kind == .update, let entity = layout.entity(number: row.entity) {
        try statement.bind(.blob(entity.bitmap(of: save.records[index].updated)), at: 7)
      }
      if kind == .delete {
        let tombstone = save.records[index].tombstone
        for column in 0..<layout.tombstoneColumns {
          try statement.bind(
            tombstone.indices.contains(column) ? tombstone[column] : .null, at: Int32(column) + 8)
        }
      }
      try statement.runAgain()
      number += 1
    }
    try setMaximum(ofEntity: StoreLayout.HistoryEntity.change, to: number - 1)
    return rows
  }

  private var insertChange: String {
    let columns =
      ["Z_PK", "Z_ENT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS"] + layout.tombstoneNames
    let parameters = columns.indices.map { "?\($0 + 1)" }
    return "INSERT INTO ACHANGE (\(columns.joined(separator: ", "))) VALUES (\(parameters.joined(separator: ", ")))"
  }

  /// The key of a string in ATRANSACTIONSTRING, which is added if it is new.
  private func intern(_ name: String) throws -> Int64 {
    let known = try connection.integer("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?1", [.text(name)])
    if let known { return known }
    let entity = StoreLayout.HistoryEntity.transactionString
    let key = try maximum(ofEntity: entity) + 1
    try connection.run(
      "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (?1, ?2, ?3)",
      [.integer(key), .integer(Int64(entity)), .text(name)])
    try setMaximum(ofEntity: entity, to: key)
    return key
  }

  /// Seconds since 2001, strictly later than the newest transaction's. The 12 lowest bits, half a millisecond, are
  /// random, so that neither a clock that stands still nor a restored copy repeats a timestamp.
  private func nextTimestamp() throws -> Double {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let seconds = Double(now.tv_sec) - Epoch.secondsFrom1970To2001 + Double(now.tv_nsec) / 1e9
    let noise = UInt64.random(in: 0..<4096)
    let stamp = Double(bitPattern: (max(seconds, 0).bitPattern & ~4095) | noise)
    let previous = try connection.firstRow("SELECT ZTIMESTAMP FROM ATRANSACTION ORDER BY Z_PK DESC LIMIT 1") {
      $0.double(at: 0)
    }
    guard let previous else { return stamp }
    return stamp > previous ? stamp : Double(bitPattern: previous.bitPattern + 1 + noise)
  }
}
