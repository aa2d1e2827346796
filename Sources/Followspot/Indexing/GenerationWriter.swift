internal import IndexDefinitions
package import PersistentStore
package import SearchIndex

#if canImport(Glibc)
  internal import Glibc
#endif

/// Writes documents into one generation and keeps its token and checksum with them.
///
/// A document that Xapian refuses is left out and recorded, and the rest of the commit is written again without it.
/// After any other error the writer is spent. Between two commits an object is changed once at most.
package final class GenerationWriter {
  package enum Effect: Sendable { case unchanged, added, updated, removed }

  /// One change since the last commit, kept until the next so that it can be made again.
  private enum Change {
    case put(MappedDocument)
    case remove(identity: [UInt8], term: [UInt8])
    case forget(identity: [UInt8])

    var size: Int { if case .put(let mapped) = self { mapped.document.size } else { 0 } }
  }

  package let path: String
  private let mode: IndexWriter.Mode
  /// nil only while it is being opened anew, or while there is a builder.
  private var opened: IndexWriter?
  /// Takes the documents of a new generation in bulk, until the first commit.
  private var builder: IndexBuilder?
  package private(set) var state: IndexState
  /// The keys of the records of rows that were cut or left out.
  private var failures: Set<String> = []
  /// The digests of refused documents by identity: they are not tried again by themselves.
  private var rejected: [[UInt8]: ContentDigest] = [:]
  private var newFailures: [String: String] = [:]
  private var pending: [Change] = []
  private var isNew: Bool
  /// Documents written and removed since the writer was opened.
  package private(set) var touched = 0
  /// Rows that were left out since the writer was opened.
  package private(set) var refusals: [FailedRow] = []
  /// What their documents would have added to the checksum.
  package private(set) var refusedSum: UInt128 = 0
  private var pendingBytes = 0
  /// Whether so much waits for the next commit that it should come. Never of a bulk writer.
  package var isFull: Bool { pending.count >= 2_000 || pendingBytes > 32 << 20 }

  /// Opens an existing generation.
  package init(path: String) throws {
    self.path = path
    mode = .durable
    state = try IndexState.read(path: path)
    isNew = false
    try open()
  }

  /// Makes a generation in a free directory.
  ///
  /// - Parameter mode: `.bulk` is quick, but a document that Xapian refuses is an error then: what was written so far
  ///   is lost with it.
  package init(
    newAt path: String, state: IndexState, mode: IndexWriter.Mode = .bulk, limits: IndexBuilder.Limits = .init()
  ) throws {
    self.path = path
    self.mode = mode
    self.state = state
    isNew = true
    if mode == .durable {
      opened = try IndexWriter(path: path, stemmer: state.definition.language)
      // What a refused document makes necessary begins with reading the state.
      try commit(token: nil)
    } else {
      builder = IndexBuilder(
        path: path, stemmer: state.definition.language, limits: limits, check: StopSignal.check)
    }
  }

  /// Whether documents are being taken in bulk.
  package var isBuilding: Bool { builder != nil }

  /// All documents that come in bulk were added: the first commit is prepared in the background.
  package func seal() throws { try builder?.seal() }

  /// Ends what goes on in the background, at once where the process ends by a signal.
  package func cancel() { StopSignal.number == 0 ? builder?.cancel() : builder?.abandon() }

  private func open() throws {
    opened = nil
    let writer = try IndexWriter(path: path, stemmer: state.definition.language, mode: mode)
    // Read after opening: another writer may have committed before.
    state = try IndexState.read(path: path)
    failures = Set(try writer.metadataKeys(prefix: FailedRow.prefix))
    rejected = try FailedRow.rejected(in: writer)
    newFailures = [:]
    pending = []
    pendingBytes = 0
    opened = writer
  }

  private func writer() throws(IndexError) -> IndexWriter {
    guard let opened else { throw IndexError(.other, "the writer of \(path) is spent") }
    return opened
  }

  // MARK: Changes

  /// Adds, replaces or leaves the document, by its digest.
  @discardableResult
  package func upsert(_ mapped: MappedDocument) throws -> Effect {
    let before = try digest(of: lookupTerm(mapped))
    if before == mapped.digest || (before == nil && isRejected(mapped)) { return .unchanged }
    try change(.put(mapped)) { try put(mapped, replacing: before) }
    return before == nil ? .added : .updated
  }

  /// The term by which a row's document is found.
  private func lookupTerm(_ mapped: MappedDocument) -> [UInt8] {
    guard mapped.isIdentifiedByValue, let (entity, key) = DocumentLayout.parseIdentity(mapped.identity) else {
      return mapped.document.uniqueTerm
    }
    return DocumentLayout.keyTerm(entity: entity, key: key)
  }

  /// Adds a document whose object is not in the index yet, without looking.
  package func add(_ mapped: MappedDocument) throws {
    if let builder {
      try builder.add(mapped.document)
      enter(mapped)
      return
    }
    try change(.put(mapped)) { try put(mapped, replacing: nil) }
  }

  /// Replaces the document whatever the index holds of it.
  package func replace(_ mapped: MappedDocument) throws {
    let before = try digest(of: lookupTerm(mapped))
    try change(.put(mapped)) { try put(mapped, replacing: before) }
  }

  /// Removes the document of a row; its row is not needed.
  ///
  /// - Parameter uniqueTerm: What named the document, where that is known and is not the row's key.
  @discardableResult
  package func remove(entity: String, key: Int64, uniqueTerm: [UInt8]? = nil) throws -> Effect {
    let identity = DocumentLayout.identity(entity: entity, key: key)
    var term = state.definition.lookupTerm(entity: entity, key: key)
    // The value may belong to another object by now.
    if let uniqueTerm, try value(of: uniqueTerm, slot: DocumentLayout.Slot.identity) == identity { term = uniqueTerm }
    guard let before = try digest(of: term) else {
      try forget(identity)
      return .unchanged
    }
    try change(.remove(identity: identity, term: term)) { try remove(identity, term, replacing: before) }
    return .removed
  }

  /// Whether this very document was refused before.
  package func isRejected(_ mapped: MappedDocument) -> Bool { rejected[mapped.identity] == mapped.digest }

  /// The identities of rows that were left out.
  package var rejectedRows: Set<[UInt8]> { Set(rejected.keys) }

  /// Forgets what was recorded of a row that is gone and has no document.
  package func forget(_ identity: [UInt8]) throws {
    try change(.forget(identity: identity)) { record(nil, of: identity) }
  }

  private func put(_ mapped: MappedDocument, replacing before: ContentDigest?) throws {
    if mapped.isIdentifiedByValue { try clearWay(of: mapped) }
    if let before {
      state.checksum &-= DocumentLayout.checksumPart(identity: mapped.identity, digest: before)
    }
    enter(mapped)
    let writer = try writer()
    try writer.begin()
    try writer.put(mapped.document)
  }

  /// Counts a document that is written.
  private func enter(_ mapped: MappedDocument) {
    state.checksum &+= DocumentLayout.checksumPart(identity: mapped.identity, digest: mapped.digest)
    record(mapped.reason, of: mapped.identity)
    touched += 1
  }

  /// Removes what a document named by a value would leave behind: its own earlier one under another value, and that of
  /// an object which held the value before.
  private func clearWay(of mapped: MappedDocument) throws {
    let writer = try writer()
    try writer.begin()
    try writer.remove(lookupTerm(mapped))
    let term = mapped.document.uniqueTerm
    guard let holder = try writer.value(of: term, slot: DocumentLayout.Slot.identity),
      let digest = try digest(of: term)
    else { return }
    state.checksum &-= DocumentLayout.checksumPart(identity: holder, digest: digest)
  }

  private func remove(_ identity: [UInt8], _ term: [UInt8], replacing before: ContentDigest) throws {
    state.checksum &-= DocumentLayout.checksumPart(identity: identity, digest: before)
    record(nil, of: identity)
    touched += 1
    let writer = try writer()
    try writer.begin()
    try writer.remove(term)
  }

  /// The digest of the document in the index; of a damaged one, zero.
  private func digest(of uniqueTerm: [UInt8]) throws -> ContentDigest? {
    try value(of: uniqueTerm, slot: DocumentLayout.Slot.digest).map {
      ContentDigest(bytes: $0) ?? ContentDigest(value: 0)
    }
  }

  /// Notes what was cut of a row that is in the index, or nil where all of it is, or it is gone.
  private func record(_ reason: String?, of identity: [UInt8]) {
    guard let (entity, key) = DocumentLayout.parseIdentity(identity) else { return }
    set(reason, FailedRow.cutKey(entity, key))
    if rejected.removeValue(forKey: identity) != nil { set(nil, FailedRow.rejectedKey(entity, key)) }
  }

  private func set(_ record: String?, _ key: String) {
    if let record {
      newFailures[key] = record
      failures.insert(key)
    } else if failures.remove(key) != nil {
      newFailures[key] = ""
    }
  }

  // MARK: Commit

  /// Changes what `change` changes in the state; it becomes durable with the next commit.
  package func updateState(_ change: (inout IndexState) -> Void) { change(&state) }

  /// Makes everything since the last commit durable as one revision.
  ///
  /// - Parameters:
  ///   - token: The last transaction whose changes are all in; nil for a part, which keeps the old token.
  ///   - highWaterMark: The newest transaction when the rows were read; nil where it is the token.
  package func commit(token: HistoryToken?, highWaterMark: HistoryToken? = nil) throws {
    if let token { state.token = token }
    state.highWaterMark = highWaterMark == state.token ? nil : highWaterMark
    do {
      try commitPending()
    } catch {
      guard isRefusal(error), !pending.isEmpty else { throw error }
      try writeWithoutRefused()
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
    let metadata = isNew ? try state.metadata() : try state.movingMetadata()
    try writer.commit(metadata: metadata.merging(newFailures) { $1 })
    isNew = false
    newFailures = [:]
    pending = []
    pendingBytes = 0
  }

  // MARK: Refused documents

  private func isRefusal(_ error: any Error) -> Bool { (error as? IndexError)?.code == .refused }

  /// Makes a change, keeping it until the commit.
  private func change(_ change: Change, _ body: () throws -> Void) throws {
    if mode == .durable {
      pending.append(change)
      pendingBytes += change.size
    }
    do {
      try body()
    } catch {
      guard isRefusal(error), mode == .durable else { throw error }
      try writeWithoutRefused()
    }
  }

  /// Writes what is pending again, as parts that keep the old token, without the documents that Xapian refuses.
  ///
  /// Its error has thrown away everything since the last commit, and does not always come with the call that caused
  /// it: some come with the commit. So what was refused as a whole is halved until the refused documents stand alone.
  private func writeWithoutRefused() throws {
    let wanted = state
    let changes = pending
    try open()
    let sumBefore = refusedSum
    try writeHalving(changes[...])
    // What the state says beyond these changes still waits for its commit.
    state = wanted
    state.checksum &-= refusedSum &- sumBefore
  }

  private func writeHalving(_ changes: ArraySlice<Change>) throws {
    do {
      for change in changes { try make(change) }
      try commitPending()
    } catch {
      guard isRefusal(error) else { throw error }
      try open()
      if changes.count > 1 {
        let middle = changes.startIndex + changes.count / 2
        try writeHalving(changes[..<middle])
        try writeHalving(changes[middle...])
      } else {
        guard case .put(let mapped)? = changes.first else { throw error }
        try leaveOut(mapped, (error as? IndexError)?.cause ?? "refused")
      }
    }
  }

  private func make(_ change: Change) throws {
    switch change {
    case .put(let mapped): try put(mapped, replacing: try digest(of: lookupTerm(mapped)))
    case .remove(let identity, let term):
      guard let before = try digest(of: term) else { return record(nil, of: identity) }
      try remove(identity, term, replacing: before)
    case .forget(let identity): record(nil, of: identity)
    }
  }

  /// Records a refused document, whose object has none in the index from now on.
  private func leaveOut(_ mapped: MappedDocument, _ reason: String) throws {
    guard let (entity, key) = DocumentLayout.parseIdentity(mapped.identity) else { return }
    try remove(entity: entity, key: key)
    if mapped.isIdentifiedByValue { try clearWay(of: mapped) }
    rejected[mapped.identity] = mapped.digest
    set(FailedRow.rejectedRecord(mapped.digest, reason: reason), FailedRow.rejectedKey(entity, key))
    try commitPending()
    refusals.append(FailedRow(entity: entity, key: key, kind: .rejected, reason: reason))
    refusedSum &+= DocumentLayout.checksumPart(identity: mapped.identity, digest: mapped.digest)
  }
}

/// Pending changes are told too. Whoever reads through the generation's writer need not know that it was opened anew.
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
