// SPDX-License-Identifier: MIT

package import Base
internal import FoundationEssentials
internal import Store

/// Compares index and store, and reports the differences.
package struct Verify {
  package struct Outcome: Sendable {
    package var missing: [String] = []
    package var extra: [String] = []
    package var stale: [String] = []
    /// Whether a document is not what was written. Only a rebuild repairs that.
    package var isDamaged = false
    /// The number of documents without an identity.
    package var nameless = 0
    /// The rows without a document that are not differences.
    package var leftOut = LeftOutRows()
    package var documents = 0
    package var token: Int64 = 0
    package var checksum = ""
    /// Whether the checksum in the metadata is that of the documents.
    package var isChecksumRight = true

    package var isEqual: Bool {
      missing.isEmpty && extra.isEmpty && stale.isEmpty && nameless == 0 && isChecksumRight
    }
  }

  private let storePath: String
  private let directory: IndexDirectory
  private let progress: (Progress) -> Void

  package init(storePath: String, directory: IndexDirectory, progress: @escaping (Progress) -> Void = { _ in }) {
    self.storePath = storePath
    self.directory = directory
    self.progress = progress
  }

  /// Compares in one snapshot of the store. Transactions that are not indexed yet are not differences.
  ///
  /// - Parameter isQuick: Compares only digests, or only checksums if nothing is pending.
  /// - Throws: `IndexError.missing`, `.corrupt`; errors of the store, among them `StoreError.corrupt` where SQLite's check
  ///   of the whole file finds damage.
  package func run(isQuick: Bool) throws -> Outcome {
    // Report errors of the store before errors of the index.
    let store = try StoreFile.open(storePath)
    if !isQuick {
      try store.refuseDamage()
      try checkStructure()
    }
    var (outcome, mayHaveChanged, isOneRevision) = try whole(isQuick: isQuick)
    if !isOneRevision { outcome = try settle(outcome, isQuick: isQuick) }
    // Without digests of the rows, a difference may be a change of the database or a fault of the index.
    guard outcome.isEqual || !mayHaveChanged else {
      throw OperationError(
        .stale, "the index differs from the database \(storePath), which may have changed since it was indexed",
        recovery: .updateAndVerify)
    }
    try nameRecords(of: &outcome, in: store)
    return outcome
  }

  /// Names the records of the differences as users know them. They are compared by number.
  private func nameRecords(of outcome: inout Outcome, in store: PersistentStore) throws {
    guard store.namesRecordsByKey, !(outcome.missing + outcome.stale + outcome.extra).isEmpty else { return }
    if let serving = try directory.serving() {
      let reader = try IndexReader(path: serving.path)
      let definition = try IndexState.read(reader).definition
      // Rows of extra documents do not exist.
      store.findKeys { entity, key in
        try? reader.value(of: definition.lookupTerm(entity: entity, key: key), slot: DocumentLayout.Slot.key)
      }
    }
    func named(_ name: String) throws -> String {
      guard let record = RecordURI(name), let entity = store.layout.entity(named: record.entityName) else {
        return name
      }
      return try store.identifier(of: RowIdentifier(entity: entity.number, key: record.key)).short
    }
    outcome.missing = try outcome.missing.map(named)
    outcome.stale = try outcome.stale.map(named)
    outcome.extra = try outcome.extra.map(named)
  }

  /// The differences of all rows and documents, and whether the reader stayed at one revision.
  private func whole(isQuick: Bool) throws -> (outcome: Outcome, mayHaveChanged: Bool, isOneRevision: Bool) {
    try repeatedWhileOverwritten {
      var outcome = Outcome()
      var mayHaveChanged = false
      let isOneRevision = try withSnapshot { view in
        mayHaveChanged = view.mayHaveChanged
        try compare(view, isQuick: isQuick, into: &outcome)
      }
      return (outcome, mayHaveChanged, isOneRevision)
    }
  }

  /// Beside a busy follower the reader's revision may be overwritten, and the reader continues with a newer one. Differences
  /// are then checked again, which is fast enough to see one revision.
  private func settle(_ first: Outcome, isQuick: Bool) throws -> Outcome {
    var outcome = first
    outcome.nameless = 0
    outcome.isChecksumRight = true
    var candidates = first.missing + first.stale + first.extra
    return try repeatedWhileOverwritten {
      (outcome.missing, outcome.stale, outcome.extra, outcome.isDamaged) = ([], [], [], false)
      let isOneRevision = try withSnapshot { view in
        try view.comparison.runAgain(
          candidates, with: view.reader, pending: view.pending, deep: isQuick ? nil : view.reader
        ) { outcome.add($0) }
      }
      if isOneRevision { return outcome }
      candidates = outcome.missing + outcome.stale + outcome.extra
      return nil
    }
  }

  /// Repeats `body` until it has a result, also where the writer has overwritten what one call read too often.
  private func repeatedWhileOverwritten<Result>(_ body: () throws -> Result?) throws -> Result {
    for _ in 0..<50 {
      do {
        if let result = try body() { return result }
      } catch let error as IndexError where error.code == .changed {
        continue
      }
    }
    throw IndexError(.changed, "the index \(directory.path) changes faster than it can be compared", recovery: .retry)
  }

  /// Index and store as they stand together.
  private struct View {
    let reader: IndexReader
    let state: IndexState
    let comparison: Comparison
    let pending: Set<RowIdentifier>
    /// Whether the marks of a database without history differ, and its index has no digests of the indexed rows, or the log
    /// of an attached one does not explain what was written. Changed rows then cannot be distinguished from wrong documents.
    let mayHaveChanged: Bool
  }

  /// Runs `body` in one snapshot of the store. Returns whether the reader stayed at one revision.
  private func withSnapshot(_ body: (View) throws -> Void) throws -> Bool {
    let store = try StoreFile.open(storePath, readings: directory.readings)
    guard let serving = try directory.serving() else { throw IndexError.missing(directory) }
    // The index first: its token is then not newer than the snapshot.
    let reader = try IndexReader(path: serving.path)
    let revision = try reader.revision()
    let state = try IndexState.read(reader)
    try reader.setStemmer(state.definition.language)
    return try store.withSnapshot {
      let comparison = try comparison(store, state)
      let verdict = try state.verdict(in: store)
      let mayHaveChanged =
        try verdict == .unexplained || (verdict == .mayHaveChanged && !refuseChangedRows(store, state, reader))
      let view = View(
        reader: reader, state: state, comparison: comparison,
        pending: try pending(store, state, verdict, comparison.mapper, reader), mayHaveChanged: mayHaveChanged)
      try body(view)
      return try reader.revision() == revision
    }
  }

  /// Xapian's own check, which takes a database that is being written for a damaged one: a fault counts only where
  /// nobody wrote meanwhile.
  private func checkStructure() throws {
    guard let serving = try directory.serving() else { throw IndexError.missing(directory) }
    let revision = try IndexReader(path: serving.path).revision()
    do {
      try IndexReader.check(path: serving.path)
    } catch {
      // The check opens files for writing; whoever may only read compares documents all the same.
      if error.code == .unreadable { return }
      let isQuiet = try FileLock.holder(.update, in: directory) == nil && directory.serving() == serving
      guard isQuiet, try IndexReader(path: serving.path).revision() == revision else { return }
      throw error
    }
  }

  private func comparison(_ store: PersistentStore, _ state: IndexState) throws -> Comparison {
    try store.refuseUnreadRecords(in: state.definition)
    let mapper = try DocumentMapper(definition: state.definition, layout: store.layout)
    return Comparison(store: store, mapper: mapper, progress: Progress(show: progress))
  }

  /// Rows changed after the token, and the owners of changed related objects; none where the token is of no use.
  private func pending(
    _ store: PersistentStore, _ state: IndexState, _ verdict: TokenVerdict, _ mapper: DocumentMapper,
    _ reader: IndexReader
  ) throws -> Set<RowIdentifier> {
    guard let token = state.token, [.valid, .unexplained, .modelGrown].contains(verdict) else { return [] }
    let changed = try store.changedRows(after: token.number)
    return try RelatedOwners(store: store, mapper: mapper).including(changed, in: reader)
  }

  /// Compares the rows of a database without history with the digests of the indexed rows.
  ///
  /// - Returns: false if the index has no digests.
  /// - Throws: `OperationError.stale` if rows have changed.
  private func refuseChangedRows(
    _ store: PersistentStore, _ state: IndexState, _ reader: IndexReader
  ) throws -> Bool {
    guard let changed = try RowDigests.changes(in: store, since: state, generation: reader.path) else { return false }
    guard changed.isEmpty else {
      throw OperationError(.stale, state.sentence(of: .changed), recovery: .updateAndVerify)
    }
    return true
  }

  private func compare(_ view: View, isQuick: Bool, into outcome: inout Outcome) throws {
    outcome.token = view.state.token?.number ?? 0
    outcome.leftOut = try LeftOutRows(of: view.comparison.store, view.comparison.mapper)
    if isQuick, view.pending.isEmpty {
      let found = try view.comparison.checksum(of: view.reader)
      outcome.leftOut.rejected = found.rejected.count
      (outcome.documents, outcome.checksum) = (found.rows, found.checksumText)
      if found.checksum == view.state.checksum, found.rows == (try view.reader.documentCount()) { return }
    }
    let found = try compared(view, isQuick: isQuick, into: &outcome)
    outcome.nameless = found.nameless
    outcome.leftOut.rejected = found.rejected.count
    (outcome.documents, outcome.checksum) = (found.rows, found.checksumText)
    outcome.isChecksumRight = try view.reader.checksum() == view.state.checksum
  }

  /// Compares the tables of the index first. Only if they differ, or were written meanwhile, each document is compared.
  private func compared(_ view: View, isQuick: Bool, into outcome: inout Outcome) throws -> Comparison.Outcome {
    if !isQuick {
      var differences = Outcome()
      if let found = try tables(view, into: &differences) {
        (outcome.missing, outcome.stale, outcome.extra) = (differences.missing, differences.stale, differences.extra)
        return found
      }
    }
    let deep: IndexReader? = isQuick ? nil : view.reader
    return try view.comparison.run(with: view.reader, pending: view.pending, deep: deep) { outcome.add($0) }
  }

  /// Compares digests while the tables are read, and then all content at once; nil if that differs.
  private func tables(_ view: View, into differences: inout Outcome) throws -> Comparison.Outcome? {
    let tables = TableComparison(path: view.reader.path, slots: view.comparison.mapper.fields.slots)
    let reader = view.reader
    func add(_ mapped: MappedDocument, _ term: [UInt8]) throws {
      try tables.add(mapped.document, storedUnder: term, in: reader)
    }
    let found = try view.comparison.run(with: reader, pending: view.pending, equal: add) { differences.add($0) }
    do {
      return try tables.areEqual() ? found : nil
    } catch {
      guard error.code == .changed else { throw error }
      return nil
    }
  }

  // MARK: Repair

  /// Updates the index, then repairs the differences.
  ///
  /// - Throws: `OperationError.locked` beside a follower; `IndexError.corrupt` if only a rebuild helps.
  package func repair() throws -> IndexState.Reconciliation {
    guard let serving = try directory.serving() else { throw IndexError.missing(directory) }
    let lock = try FileLock(.update, in: directory, verb: "verify --repair")
    defer { withExtendedLifetime(lock) {} }
    try IndexReader.check(path: serving.path)
    let store = try StoreFile.open(storePath, readings: directory.readings)
    return try store.withSnapshot {
      let writer = try GenerationWriter(path: serving.path)
      let reader = try IndexReader(path: serving.path, stemmer: writer.state.definition.language)
      return try comparison(store, writer.state).reconcile(
        writer, reason: "verify --repair", deep: reader,
        now: DateText.now)
    }
  }
}

extension Verify.Outcome {
  fileprivate mutating func add(_ difference: Comparison.Difference) {
    switch difference {
    case .missing(let mapped): missing.append(mapped.name)
    case .stale(let mapped): stale.append(mapped.name)
    case .damaged(let mapped):
      stale.append(mapped.name)
      isDamaged = true
    case .extra(let entity, let key): extra.append("\(entity)/p\(key)")
    }
  }
}
