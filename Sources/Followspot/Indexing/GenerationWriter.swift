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
    let before = try digest(of: mapped.document.uniqueTerm)
    if before == mapped.digest { return .unchanged }
    try write(mapped, replacing: before)
    return before == nil ? .added : .updated
  }

  /// Adds a document whose object is not in the index yet, without looking.
  package func add(_ mapped: MappedDocument) throws { try write(mapped, replacing: nil) }

  /// Replaces the document whatever the index holds of it.
  package func replace(_ mapped: MappedDocument) throws {
    try write(mapped, replacing: try digest(of: mapped.document.uniqueTerm))
  }

  private func write(_ mapped: MappedDocument, replacing before: ContentDigest?) throws {
    try writer.begin()
    try writer.put(mapped.document)
    touched += 1
    if let before {
      state.certificate &-= DocumentLayout.certificatePart(identity: mapped.identity, digest: before)
    }
    state.certificate &+= DocumentLayout.certificatePart(identity: mapped.identity, digest: mapped.digest)
    record(mapped.reason, of: mapped.document.uniqueTerm)
  }

  /// Removes the document of a row; its row is not needed.
  @discardableResult
  package func remove(entity: String, key: Int64) throws -> Effect {
    let term = DocumentLayout.uniqueTerm(entity: entity, key: key)
    guard let before = try digest(of: term) else { return .unchanged }
    try writer.begin()
    try writer.remove(term)
    touched += 1
    let identity = DocumentLayout.identity(entity: entity, key: key)
    state.certificate &-= DocumentLayout.certificatePart(identity: identity, digest: before)
    record(nil, of: term)
    return .removed
  }

  /// The digest of the document in the index; of a damaged one, zero.
  private func digest(of uniqueTerm: [UInt8]) throws -> ContentDigest? {
    try writer.value(of: uniqueTerm, slot: DocumentLayout.Slot.digest).map {
      ContentDigest(bytes: $0) ?? ContentDigest(value: 0)
    }
  }

  private func record(_ reason: String?, of uniqueTerm: [UInt8]) {
    let key = IndexState.failedPrefix + String(decoding: uniqueTerm, as: UTF8.self)
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
