// SPDX-License-Identifier: MIT

internal import Base
package import Store

/// Writes documents to one generation, and updates its token and checksum in the same commits.
///
/// A document that Xapian rejects is skipped and recorded, and the rest of the commit is written again without it.
/// After any other error the writer cannot be used any more. Each object may change only once between two commits.
package final class GenerationWriter {
  let path: String
  private let mode: IndexWriter.Mode
  /// nil while it is reopened, and while there is a builder.
  private var opened: IndexWriter?
  /// Builds a new generation in bulk, until the first commit.
  private var builder: IndexBuilder?
  package private(set) var state: IndexState
  private var failed = FailedRows()
  private var pending = PendingChanges()
  private var isNew: Bool
  /// The model of the store in the metadata of the generation.
  private var writtenModel: String?
  /// What the commits since the writer was opened have changed.
  private(set) var effects = WriteEffects()
  private var uncommitted = WriteEffects()
  private(set) var rejected = RejectedDocuments()
  /// Whether there are so many changes that they should be committed; never for a bulk writer.
  var isFull: Bool { pending.isFull }

  /// Opens an existing generation.
  package init(path: String) throws {
    self.path = path
    mode = .durable
    state = try IndexState.read(path: path)
    isNew = false
    try open()
  }

  /// Creates a generation in a directory that does not exist.
  ///
  /// - Parameter mode: `.bulk` is fast, but throws if Xapian rejects a document, and loses what was written so far.
  package init(
    newAt path: String, state: IndexState, mode: IndexWriter.Mode = .bulk, limits: IndexBuilder.Limits = .init()
  ) throws {
    self.path = path
    self.mode = mode
    self.state = state
    isNew = true
    if mode == .durable {
      opened = try IndexWriter(path: path, stemmer: state.definition.language)
      // A rejected document makes it reopen the generation, which reads this state.
      try commit(token: nil)
    } else {
      builder = IndexBuilder(
        path: path, stemmer: state.definition.language, limits: limits, check: StopSignal.check)
    }
  }

  /// Whether documents are added in bulk.
  var isBuilding: Bool { builder != nil }

  /// Call it after the last document in bulk: it prepares the first commit in the background.
  func seal() throws { try builder?.seal() }

  /// Ends the background work, immediately if a signal ends the process.
  func cancel() { StopSignal.number == 0 ? builder?.cancel() : builder?.abandon() }

  private func open() throws {
    opened = nil
    let writer = try IndexWriter(path: path, stemmer: state.definition.language, mode: mode)
    // Read after opening: another writer may have committed before.
    state = try IndexState.read(path: path)
    writtenModel = state.modelText
    failed = try FailedRows(in: writer)
    pending = PendingChanges()
    uncommitted = WriteEffects(skipped: uncommitted.skipped)
    opened = writer
  }

  private func writer() throws(IndexError) -> IndexWriter {
    guard let opened else { throw IndexError(.other, "the writer of \(path) cannot be used after an error") }
    return opened
  }

  // MARK: Changes

  /// Adds or replaces the document, unless the index has one with its digest.
  package func upsert(_ mapped: MappedDocument) throws {
    let before = try digest(of: lookupTerm(mapped))
    if before == mapped.digest || (before == nil && isRejected(mapped)) {
      uncommitted.skipped += 1
    } else {
      try change(.put(mapped)) { try put(mapped, replacing: before) }
    }
  }

  /// Counts changed rows that need no new document.
  func skip(_ rows: Int) {
    state.skippedUpdates += rows
    uncommitted.skipped += rows
  }

  /// The term by which a row's document is found.
  private func lookupTerm(_ mapped: MappedDocument) -> [UInt8] {
    guard mapped.isIdentifiedByValue, let (entity, key) = DocumentLayout.parseIdentity(mapped.identity) else {
      return mapped.document.uniqueTerm
    }
    return DocumentLayout.keyTerm(entity: entity, key: key)
  }

  /// Adds a document whose object is not in the index yet, without a lookup.
  package func add(_ mapped: MappedDocument) throws {
    if let builder {
      try builder.add(mapped.document)
      count(mapped, replacing: nil)
      return
    }
    try change(.put(mapped)) { try put(mapped, replacing: nil) }
  }

  /// Replaces the document, even if the index has one with its digest.
  func replace(_ mapped: MappedDocument) throws {
    let before = try digest(of: lookupTerm(mapped))
    try change(.put(mapped)) { try put(mapped, replacing: before) }
  }

  /// Removes the document of a row. The row may be gone.
  ///
  /// - Parameter uniqueTerm: The unique term of the document, if it is known and does not come from the row's key.
  package func remove(entity: String, key: Int64, uniqueTerm: [UInt8]? = nil) throws {
    let identity = DocumentLayout.identity(entity: entity, key: key)
    var term = state.definition.lookupTerm(entity: entity, key: key)
    // The value may belong to another object by now.
    if let uniqueTerm, try value(of: uniqueTerm, slot: DocumentLayout.Slot.identity) == identity { term = uniqueTerm }
    guard let before = try digest(of: term) else { return try forget(identity) }
    try change(.remove(identity: identity, term: term)) { try remove(identity, term, replacing: before) }
  }

  /// Whether the same document was rejected before.
  private func isRejected(_ mapped: MappedDocument) -> Bool { failed.rejected[mapped.identity] == mapped.digest }

  /// The identities of all rows that have a record of rejection.
  var rejectedIdentities: Set<[UInt8]> { Set(failed.rejected.keys) }

  /// Removes the records of a row that is gone and has no document.
  func forget(_ identity: [UInt8]) throws {
    try change(.forget(identity: identity)) { failed.setTruncated(nil, of: identity) }
  }

  private func put(_ mapped: MappedDocument, replacing before: ContentDigest?) throws {
    if mapped.isIdentifiedByValue { try removeOthers(than: mapped) }
    if let before {
      state.checksum &-= DocumentLayout.checksumPart(identity: mapped.identity, digest: before)
    }
    count(mapped, replacing: before)
    let writer = try writer()
    try writer.begin()
    try writer.put(mapped.document)
  }

  /// Adds a document that is written to the state and the records.
  private func count(_ mapped: MappedDocument, replacing before: ContentDigest?) {
    state.checksum &+= DocumentLayout.checksumPart(identity: mapped.identity, digest: mapped.digest)
    failed.setTruncated(mapped.reason, of: mapped.identity)
    if before == nil { uncommitted.inserted += 1 } else { uncommitted.updated += 1 }
  }

  /// Removes the documents that a document identified by a value replaces: that of the same object under its earlier
  /// value, and that of another object which had the value before.
  private func removeOthers(than mapped: MappedDocument) throws {
    let writer = try writer()
    try writer.begin()
    try writer.remove(lookupTerm(mapped))
    let term = mapped.document.uniqueTerm
    guard let holder = try writer.value(of: term, slot: DocumentLayout.Slot.identity),
      let digest = try digest(of: term)
    else { return }
    state.checksum &-= DocumentLayout.checksumPart(identity: holder, digest: digest)
    uncommitted.deleted += 1
  }

  private func remove(_ identity: [UInt8], _ term: [UInt8], replacing before: ContentDigest) throws {
    state.checksum &-= DocumentLayout.checksumPart(identity: identity, digest: before)
    failed.setTruncated(nil, of: identity)
    uncommitted.deleted += 1
    let writer = try writer()
    try writer.begin()
    try writer.remove(term)
  }

  /// The digest of the document in the index; zero if it is damaged.
  private func digest(of uniqueTerm: [UInt8]) throws -> ContentDigest? {
    try value(of: uniqueTerm, slot: DocumentLayout.Slot.digest).map {
      ContentDigest(bytes: $0) ?? ContentDigest(value: 0)
    }
  }

  // MARK: Commit

  /// Changes the state, which the next commit makes durable.
  func updateState(_ change: (inout IndexState) throws -> Void) rethrows {
    try change(&state)
  }

  /// Makes everything since the last commit durable as one revision.
  ///
  /// - Parameters:
  ///   - token: The last transaction whose changes are complete; nil keeps the old token.
  ///   - highWaterMark: The newest transaction when the rows were read; nil if it is the token.
  package func commit(token: StoreToken?, highWaterMark: StoreToken? = nil) throws {
    if let token { state.token = token }
    state.highWaterMark = highWaterMark == state.token ? nil : highWaterMark
    do {
      try commitPending()
    } catch {
      guard RejectedDocuments.rejection(error) != nil, !pending.isEmpty else { throw error }
      try writeWithoutRejected()
      try commitPending()
    }
  }

  private func commitPending() throws {
    if let builder {
      opened = try builder.finish()
      self.builder = nil
    }
    let writer = try writer()
    try writer.begin()
    (state.leftOut.rejected, state.leftOut.truncated) = (failed.rejected.count, failed.truncatedCount)
    var metadata = isNew ? try state.metadata() : try state.movingMetadata()
    metadata.merge(state.modelChange(since: writtenModel)) { $1 }
    try writer.commit(metadata: metadata.merging(failed.changes) { $1 })
    writtenModel = state.modelText
    isNew = false
    failed.markCommitted()
    pending = PendingChanges()
    effects += uncommitted
    uncommitted = WriteEffects()
  }

  // MARK: Rejected documents

  /// Makes a change, and keeps it until the commit.
  private func change(_ change: PendingChanges.Change, _ body: () throws -> Void) throws {
    if mode == .durable { pending.append(change) }
    do {
      try body()
    } catch {
      guard RejectedDocuments.rejection(error) != nil, mode == .durable else { throw error }
      try writeWithoutRejected()
    }
  }

  /// Commits the pending changes in parts that keep the old token, without the documents that Xapian rejects.
  private func writeWithoutRejected() throws {
    let wanted = state
    let changes = pending.changes
    try open()
    let checksumBefore = rejected.checksum
    try RejectedDocuments.bisect(changes[...]) { part in
      for change in part { try make(change) }
      try commitPending()
    } reopen: {
      try open()
    } reject: { change, error in
      guard case .put(let mapped) = change else { throw error }
      try reject(mapped, error.cause ?? "rejected")
    }
    // The caller's other changes of the state still have to be committed.
    state = wanted
    state.checksum &-= rejected.checksum &- checksumBefore
  }

  private func make(_ change: PendingChanges.Change) throws {
    switch change {
    case .put(let mapped): try put(mapped, replacing: try digest(of: lookupTerm(mapped)))
    case .remove(let identity, let term):
      guard let before = try digest(of: term) else { return failed.setTruncated(nil, of: identity) }
      try remove(identity, term, replacing: before)
    case .forget(let identity): failed.setTruncated(nil, of: identity)
    }
  }

  /// Records a rejected document, and removes the earlier document of its object.
  private func reject(_ mapped: MappedDocument, _ reason: String) throws {
    guard let (entity, key) = DocumentLayout.parseIdentity(mapped.identity) else { return }
    try remove(entity: entity, key: key)
    if mapped.isIdentifiedByValue { try removeOthers(than: mapped) }
    failed.setRejected(mapped.digest, reason, of: mapped.identity)
    try commitPending()
    rejected.append(mapped, reason)
  }
}

/// Reads the generation with its pending changes, also after its writer was reopened.
extension GenerationWriter: IndexContent {
  package func metadata(_ key: String) throws(IndexError) -> String? { try writer().metadata(key) }

  package func metadataKeys(prefix: String) throws(IndexError) -> [String] {
    try writer().metadataKeys(prefix: prefix)
  }

  package func documentCount() throws(IndexError) -> Int { try writer().documentCount() }

  package func value(of uniqueTerm: [UInt8], slot: UInt32) throws(IndexError) -> [UInt8]? {
    try writer().value(of: uniqueTerm, slot: slot)
  }

  package func eachValue(slot: UInt32, _ visit: @escaping ([UInt8]) -> Bool) throws(IndexError) {
    try writer().eachValue(slot: slot, visit)
  }

  package func eachValue(
    slot: UInt32, of term: [UInt8], _ visit: @escaping ([UInt8]) -> Bool
  ) throws(IndexError) { try writer().eachValue(slot: slot, of: term, visit) }
}
