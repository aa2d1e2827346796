// SPDX-License-Identifier: MIT

internal import Base
internal import Store

/// The rows that are not indexed, or only in part.
package struct UnindexedRows {
  package struct Retried: Equatable, Sendable {
    package var retried = 0
    /// The number of rows that are now indexed completely, or deleted in the store.
    package var fixed = 0
    package var failed: Int { retried - fixed }
  }

  private let directory: IndexDirectory

  package init(directory: IndexDirectory) { self.directory = directory }

  /// - Returns: The truncated and rejected rows by entity and key, with the identity of the store that they are of; the rows
  ///   without a document, as the last pass counted them.
  /// - Throws: `IndexError.missing`, `.corrupt`.
  package func list() throws -> (storeUUID: String?, rows: [FailedRow], leftOut: LeftOutRows) {
    guard let serving = try directory.serving() else { throw IndexError.missing(directory) }
    return try Self.list(in: IndexReader(path: serving.path))
  }

  /// As `list()`, in an open index.
  package static func list(
    in reader: IndexReader
  ) throws -> (storeUUID: String?, rows: [FailedRow], leftOut: LeftOutRows) {
    let state = try IndexState.read(reader)
    return (state.token?.storeUUID, try FailedRows.all(in: reader), state.leftOut)
  }

  /// Indexes the present rows again.
  ///
  /// - Parameter report: Called with a sentence for each row that is rejected again.
  /// - Throws: `OperationError.locked` beside a follower; errors of store and index.
  package func retry(storePath: String, report: (String) -> Void) throws -> Retried {
    guard let serving = try directory.serving() else { throw IndexError.missing(directory) }
    let store = try StoreFile.open(storePath, readings: directory.readings)
    let lock = try FileLock(.update, in: directory, verb: "failed --retry")
    defer { withExtendedLifetime(lock) {} }
    return try store.withSnapshot {
      let writer = try GenerationWriter(path: serving.path)
      let rows = try FailedRows.all(in: writer)
      guard !rows.isEmpty else { return Retried() }
      try checkPast(of: store, writer.state)
      try store.refuseUnreadRecords(in: writer.state.definition)
      let mapper = try DocumentMapper(definition: writer.state.definition, layout: store.layout)
      for row in rows {
        try StopSignal.check()
        try write(row, store, mapper, writer)
        if writer.isFull { try writer.commit(token: nil) }
      }
      try writer.commit(token: nil)
      for row in writer.rejected.rows { report(try row.sentence(in: store)) }
      let names = Set(rows.map(\.identifier))
      let left = names.intersection(try FailedRows.all(in: writer).map(\.identifier))
      return Retried(retried: names.count, fixed: names.count - left.count)
    }
  }

  /// Refuses another store, or one with a diverged history, because its rows are not those that failed.
  private func checkPast(of store: PersistentStore, _ state: IndexState) throws {
    let verdict = try store.verdict(on: state.token)
    guard verdict != .valid else { return }
    throw OperationError(.usage, verdict.sentence(token: state.token), recovery: .updateIndex)
  }

  private func write(
    _ row: FailedRow, _ store: PersistentStore, _ mapper: DocumentMapper, _ writer: GenerationWriter
  ) throws {
    let mapped: MappedDocument? =
      if let entity = store.layout.entity(named: row.entity), let plan = mapper.plan(ofEntity: entity.number) {
        try store.withRow(of: entity, key: row.key, attributes: plan.attributes) { found in
          try found.map { try mapper.map($0, plan, from: store) }
        }
      } else {
        nil
      }
    if let mapped {
      try writer.replace(mapped)
    } else {
      try writer.remove(entity: row.entity, key: row.key)
    }
  }
}
