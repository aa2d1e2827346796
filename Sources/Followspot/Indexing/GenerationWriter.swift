internal import IndexDefinitions
package import PersistentStore
package import SearchIndex

/// Writes documents into one generation and keeps its token and certificate with them. After any error it is spent.
package final class GenerationWriter {
  package enum Effect: Sendable { case unchanged, added, updated, removed }

  private let writer: IndexWriter
  package private(set) var state: IndexState
  private var failures: Set<String>
  private var newFailures: [String: String] = [:]
  private var isNew: Bool
  /// Documents written and removed since the writer was opened.
  package private(set) var touched = 0

  package var content: any IndexContent { writer }
  package var path: String { writer.path }

  /// Opens an existing generation.
  package init(path: String) throws {
    let state = try IndexState.read(path: path)
    writer = try IndexWriter(path: path, stemmer: state.definition.language)
    // Read again: another writer may have committed between the two openings.
    self.state = try IndexState.read(path: path)
    failures = Set(try writer.metadataKeys(prefix: IndexState.failedPrefix))
    isNew = false
  }

  /// Makes a generation in a free directory, for bulk writing.
  package init(newAt path: String, state: IndexState) throws {
    writer = try IndexWriter(path: path, stemmer: state.definition.language, mode: .bulk)
    self.state = state
    failures = []
    isNew = true
  }

  /// Adds, replaces or leaves the document, by its digest.
  @discardableResult
  package func upsert(_ mapped: MappedDocument) throws -> Effect {
    let before = try digest(of: lookupTerm(mapped))
    if before == mapped.digest { return .unchanged }
    try write(mapped, replacing: before)
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
  package func add(_ mapped: MappedDocument) throws { try write(mapped, replacing: nil) }

  /// Replaces the document whatever the index holds of it.
  package func replace(_ mapped: MappedDocument) throws {
    try write(mapped, replacing: try digest(of: lookupTerm(mapped)))
  }

  private func write(_ mapped: MappedDocument, replacing before: ContentDigest?) throws {
    try writer.begin()
    if mapped.isIdentifiedByValue { try clearWay(of: mapped) }
    try writer.put(mapped.document)
    touched += 1
    if let before {
      state.certificate &-= DocumentLayout.certificatePart(identity: mapped.identity, digest: before)
    }
    state.certificate &+= DocumentLayout.certificatePart(identity: mapped.identity, digest: mapped.digest)
    record(mapped.reason, of: mapped.identity)
  }

  /// Removes what a document named by a value would leave behind: its own earlier one under another value, and that of
  /// an object which held the value before.
  private func clearWay(of mapped: MappedDocument) throws {
    try writer.remove(lookupTerm(mapped))
    let term = mapped.document.uniqueTerm
    guard let holder = try writer.value(of: term, slot: DocumentLayout.Slot.identity),
      let digest = try digest(of: term)
    else { return }
    state.certificate &-= DocumentLayout.certificatePart(identity: holder, digest: digest)
  }

  /// Removes the document of a row; its row is not needed.
  ///
  /// - Parameter uniqueTerm: What named the document, where that is known and is not the row's key.
  @discardableResult
  package func remove(entity: String, key: Int64, uniqueTerm: [UInt8]? = nil) throws -> Effect {
    let identity = DocumentLayout.identity(entity: entity, key: key)
    var term = state.definition.lookupTerm(entity: entity, key: key)
    // The value may belong to another object by now.
    if let uniqueTerm, try writer.value(of: uniqueTerm, slot: DocumentLayout.Slot.identity) == identity {
      term = uniqueTerm
    }
    guard let before = try digest(of: term) else { return .unchanged }
    try writer.begin()
    try writer.remove(term)
    touched += 1
    state.certificate &-= DocumentLayout.certificatePart(identity: identity, digest: before)
    record(nil, of: identity)
    return .removed
  }

  /// The digest of the document that a term leads to; of a damaged one, zero.
  private func digest(of term: [UInt8]) throws -> ContentDigest? {
    try writer.value(of: term, slot: DocumentLayout.Slot.digest).map {
      ContentDigest(bytes: $0) ?? ContentDigest(value: 0)
    }
  }

  private func record(_ reason: String?, of identity: [UInt8]) {
    guard let (entity, row) = DocumentLayout.parseIdentity(identity) else { return }
    let key = IndexState.failedPrefix + "\(entity)/p\(row)"
    if let reason {
      newFailures[key] = reason
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
  /// - Parameter token: The last transaction whose changes are all in; nil for a part, which keeps the old token.
  package func commit(token: HistoryToken?) throws {
    if let token { state.token = token }
    try writer.begin()
    let metadata = isNew ? try state.metadata() : try state.movingMetadata()
    try writer.commit(metadata: metadata.merging(newFailures) { $1 })
    isNew = false
    newFailures = [:]
  }
}
