// SPDX-License-Identifier: MIT

package import Base
package import Store

/// Compares an index with its store, object by object, in one snapshot of the store.
package struct Comparison {
  enum Difference {
    /// A row without a document.
    case missing(MappedDocument)
    /// A document that differs from its row.
    case stale(MappedDocument)
    /// A document with the right digest whose content is not what was written.
    case damaged(MappedDocument)
    /// A document without a row.
    case extra(entity: String, key: Int64)
  }

  /// The result of a comparison.
  struct Outcome: Sendable {
    /// The number of rows to index.
    var rows = 0
    /// The identities of rows whose documents Xapian rejected, as recorded.
    var rejected: Set<[UInt8]> = []
    /// The checksum of an index that equals the store.
    var checksum: UInt128 = 0
    /// The number of documents that have lost their identity, so that no row can be found for them.
    var nameless = 0

    package init(rows: Int = 0, rejected: Set<[UInt8]> = [], checksum: UInt128 = 0, nameless: Int = 0) {
      self.rows = rows
      self.rejected = rejected
      self.checksum = checksum
      self.nameless = nameless
    }
  }

  let store: PersistentStore
  package let mapper: DocumentMapper
  let progress: Progress

  package init(store: PersistentStore, mapper: DocumentMapper, progress: Progress) {
    self.store = store
    self.mapper = mapper
    self.progress = progress
  }

  /// Calls `body` with the document of every row to index, by entity and key.
  ///
  /// - Parameter entities: Only rows of these; nil for all.
  package func eachRow(of entities: [EntityLayout]? = nil, _ body: (MappedDocument) throws -> Void) throws {
    let plans = (entities ?? store.layout.entities).compactMap { mapper.plan(ofEntity: $0.number) }
    progress.begin(total: try plans.reduce(0) { $0 + (try store.count(of: $1.entity)) })
    for plan in plans {
      let rows = try store.rows(of: plan.entity, attributes: plan.attributes)
      while let row = try rows.next() {
        try body(try mapper.map(row, plan, from: store))
        try progress.advance()
      }
    }
    progress.finish()
  }

  /// The checksum of an index that equals the store. Call it inside a snapshot.
  ///
  /// - Parameter content: The index with its records of rejected rows; nil if there are none.
  func checksum(of content: (any IndexContent)?) throws -> Outcome {
    let rejected = try content.map { try FailedRows.rejected(in: $0) } ?? [:]
    var outcome = Outcome()
    try eachRow { mapped in
      if rejected[mapped.identity] == mapped.digest {
        outcome.rejected.insert(mapped.identity)
      } else {
        outcome.add(mapped)
      }
    }
    return outcome
  }

  /// Compares all rows with all documents. Call it inside a snapshot.
  ///
  /// - Parameters:
  ///   - pending: Rows with changes that are not indexed yet. They are skipped in store and index.
  ///   - deep: Compares terms, values and data of each document as well, not only digests.
  ///   - equal: Called with each document that has the right digest, and with its term.
  ///   - report: Called with each difference; it may write to `content`.
  func run(
    with content: any IndexContent, pending: Set<RowIdentifier> = [], deep: IndexReader? = nil,
    equal: (MappedDocument, _ term: [UInt8]) throws -> Void = { _, _ in }, report: (Difference) throws -> Void
  ) throws -> Outcome {
    let documents = try content.documentCount()
    let rejected = try FailedRows.rejected(in: content)
    var outcome = Outcome()
    var expected = 0
    try eachRow { mapped in
      if try isRejected(mapped, rejected, content) {
        outcome.rejected.insert(mapped.identity)
        return
      }
      outcome.add(mapped)
      guard !pending.contains(mapped.row) else { return }
      if try compare(mapped, with: content, deep: deep, equal: equal, report: report) { expected += 1 }
    }
    for row in pending {
      guard let entity = store.layout.entity(number: row.entity) else { continue }
      let term = mapper.definition.lookupTerm(entity: entity.entity.name, key: row.key)
      if try content.value(of: term, slot: DocumentLayout.Slot.digest) != nil { expected += 1 }
    }
    if documents > expected {
      let extras = try extras(in: content, pending: pending)
      outcome.nameless = max(0, documents - expected - extras.count)
      for extra in extras { try report(.extra(entity: extra.entity, key: extra.key)) }
    }
    return outcome
  }

  /// The rows of some entities whose documents are missing, stale or without a row. Call it inside a snapshot.
  ///
  /// - Parameter check: Called before each row is compared; it may throw to end the work.
  func differences(
    of entities: [EntityLayout], with content: any IndexContent, check: @escaping () throws -> Void = {}
  ) throws -> [RowIdentifier] {
    let rejected = try FailedRows.rejected(in: content)
    var rows: [RowIdentifier] = []
    try eachRow(of: entities) { mapped in
      try check()
      guard try !isRejected(mapped, rejected, content) else { return }
      _ = try compare(mapped, with: content, deep: nil) { _ in rows.append(mapped.row) }
    }
    let numbers = Dictionary(uniqueKeysWithValues: entities.map { ($0.entity.name, $0.number) })
    for extra in try extras(in: content, pending: [], of: Set(numbers.keys), check: check) {
      if let number = numbers[extra.entity] { rows.append(RowIdentifier(entity: number, key: extra.key)) }
    }
    return rows
  }

  /// Whether the same document was rejected before, and the index has no other document of the row.
  func isRejected(
    _ mapped: MappedDocument, _ rejected: [[UInt8]: ContentDigest], _ content: any IndexContent
  ) throws -> Bool {
    try rejected[mapped.identity] == mapped.digest && digest(of: mapped, in: content) == nil
  }

  /// Reports how the document of a row differs. Returns whether there is a document.
  func compare(
    _ mapped: MappedDocument, with content: any IndexContent, deep: IndexReader?,
    equal: (MappedDocument, _ term: [UInt8]) throws -> Void = { _, _ in }, report: (Difference) throws -> Void
  ) throws -> Bool {
    guard let digest = try digest(of: mapped, in: content) else {
      try report(.missing(mapped))
      return false
    }
    guard digest == mapped.digest.bytes, let term = lookupTerm(of: mapped) else {
      try report(.stale(mapped))
      return true
    }
    if let deep, try deep.description(ofStored: term) != deep.description(of: mapped.document) {
      try report(.damaged(mapped))
    } else {
      try equal(mapped, term)
    }
    return true
  }

  /// The digest of the row's document in the index.
  private func digest(of mapped: MappedDocument, in content: any IndexContent) throws -> [UInt8]? {
    try lookupTerm(of: mapped).flatMap { try content.value(of: $0, slot: DocumentLayout.Slot.digest) }
  }

  private func lookupTerm(of mapped: MappedDocument) -> [UInt8]? {
    DocumentLayout.parseIdentity(mapped.identity).map { mapper.definition.lookupTerm(entity: $0.entity, key: $0.key) }
  }

  /// Compares some objects (such as `Entity/p12`) again, and finds documents without a row. Call it inside a snapshot.
  func runAgain(
    _ names: [String], with content: any IndexContent, pending: Set<RowIdentifier>, deep: IndexReader?,
    report: (Difference) throws -> Void
  ) throws {
    let rejected = try FailedRows.rejected(in: content)
    for identifier in names.compactMap(RecordURI.init) {
      guard let entity = store.layout.entity(named: identifier.entityName),
        let plan = mapper.plan(ofEntity: entity.number),
        !pending.contains(RowIdentifier(entity: entity.number, key: identifier.key))
      else { continue }
      let mapped = try store.withRow(of: entity, key: identifier.key, attributes: plan.attributes) { row in
        try row.map { try mapper.map($0, plan, from: store) }
      }
      if let mapped, try !isRejected(mapped, rejected, content) {
        _ = try compare(mapped, with: content, deep: deep, report: report)
      }
    }
    for extra in try extras(in: content, pending: pending) {
      try report(.extra(entity: extra.entity, key: extra.key))
    }
  }

  /// - Parameter entities: Only documents of these; nil for all.
  private func extras(
    in content: any IndexContent, pending: Set<RowIdentifier>, of entities: Set<String>? = nil,
    check: @escaping () throws -> Void = {}
  ) throws -> [(entity: String, key: Int64)] {
    var candidates: [(entity: String, key: Int64)] = []
    var failure: (any Error)?
    try content.eachValue(slot: DocumentLayout.Slot.identity) { value in
      guard let (name, key) = DocumentLayout.parseIdentity(value), entities?.contains(name) != false else {
        return true
      }
      do {
        try check()
        guard let entity = store.layout.entity(named: name), mapper.plan(ofEntity: entity.number) != nil else {
          candidates.append((name, key))
          return true
        }
        let isPending = pending.contains(RowIdentifier(entity: entity.number, key: key))
        if !isPending, try !store.exists(entity, key: key) { candidates.append((name, key)) }
        return true
      } catch {
        failure = error
        return false
      }
    }
    if let failure { throw failure }
    return candidates.sorted { ($0.entity, $0.key) < ($1.entity, $1.key) }
  }
}

extension Comparison.Outcome {
  fileprivate mutating func add(_ mapped: MappedDocument) {
    rows += 1
    checksum &+= DocumentLayout.checksumPart(identity: mapped.identity, digest: mapped.digest)
  }

  var checksumText: String { ContentDigest(value: checksum).hexadecimal }
}
