internal import FoundationEssentials
internal import IndexDefinitions
internal import PersistentStore
package import SearchIndex

/// Proves that index and store are equal, or says where they are not.
package struct Verify {
  package struct Outcome: Sendable {
    package var missing: [String] = []
    package var extra: [String] = []
    package var stale: [String] = []
    /// Documents that carry no identity.
    package var nameless = 0
    package var documents = 0
    package var token: Int64 = 0
    package var certificate = ""
    /// Whether the sum in the index's metadata is that of its documents.
    package var isCertificateRight = true

    package var isEqual: Bool {
      missing.isEmpty && extra.isEmpty && stale.isEmpty && nameless == 0 && isCertificateRight
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

  /// Compares in one snapshot of the store. History that the index has not seen yet is no difference.
  ///
  /// - Parameter isQuick: Compares digests alone, and where nothing is pending the certificates alone.
  /// - Throws: `IndexError.missing`, `.corrupt`; errors of the store.
  package func run(isQuick: Bool) throws -> Outcome {
    // Beside a busy follower the reader's revision can be overwritten midway, and it goes on with a newer one than
    // was judged: then the comparison says nothing and is made again.
    for _ in 0..<10 {
      do {
        let (outcome, isOneRevision) = try attempt(isQuick: isQuick)
        if outcome.isEqual || isOneRevision { return outcome }
      } catch let error as IndexError where error.code == .changed {
        continue
      }
    }
    throw IndexError(.changed, "the index \(directory.path) changes faster than it can be compared", hint: "try again")
  }

  private func attempt(isQuick: Bool) throws -> (Outcome, isOneRevision: Bool) {
    let store = try PersistentStore.open(storePath)
    guard let serving = try directory.serving() else { throw IndexError.missing(directory.path) }
    if !isQuick { try checkStructure(of: serving) }
    // The index first: its token is then not newer than the snapshot.
    let reader = try IndexReader(path: serving.path)
    let revision = try reader.revision()
    let judged = try IndexState.read(reader)
    try reader.setStemmer(judged.definition.language)
    return try store.withSnapshot {
      let comparison = try self.comparison(store, judged)
      let pending = try self.pending(store, judged)
      let outcome = try compare(comparison, reader, judged, pending: pending, isQuick: isQuick)
      return (outcome, try reader.revision() == revision)
    }
  }

  /// Xapian's own check, which takes a database that is being written for a damaged one: a fault counts only where
  /// nobody wrote meanwhile.
  private func checkStructure(of serving: IndexDirectory.Generation) throws {
    let revision = try IndexReader(path: serving.path).revision()
    do {
      try IndexReader.check(path: serving.path)
    } catch {
      // The check opens files for writing; whoever may only read compares documents all the same.
      if error.code == .unreadable { return }
      let isQuiet = try FileLock.holder(.tailer, in: directory) == nil && directory.serving() == serving
      guard isQuiet, try IndexReader(path: serving.path).revision() == revision else { return }
      throw error
    }
  }

  private func comparison(_ store: PersistentStore, _ state: IndexState) throws -> Comparison {
    let mapper = try DocumentMapper(definition: state.definition, layout: store.layout)
    return Comparison(store: store, mapper: mapper, progress: Progress(show: progress))
  }

  /// Rows changed after the token; none where the token is of no use.
  private func pending(_ store: PersistentStore, _ state: IndexState) throws -> Set<RowIdentifier> {
    guard let token = state.token, try store.verdict(on: token) == .goOn else { return [] }
    return try store.changedRows(after: token.number)
  }

  private func compare(
    _ comparison: Comparison, _ reader: IndexReader, _ state: IndexState, pending: Set<RowIdentifier>, isQuick: Bool
  ) throws -> Outcome {
    var outcome = Outcome()
    outcome.token = state.token?.number ?? 0
    if isQuick, pending.isEmpty {
      let found = try comparison.certificate()
      if found.certificate == state.certificate, found.rows == (try reader.documentCount()) {
        outcome.documents = found.rows
        outcome.certificate = found.certificateText
        return outcome
      }
    }
    let found = try comparison.run(with: reader, pending: pending, deep: isQuick ? nil : reader) { difference in
      switch difference {
      case .missing(let mapped): outcome.missing.append(Self.name(mapped))
      case .stale(let mapped): outcome.stale.append(Self.name(mapped))
      case .extra(let entity, let key): outcome.extra.append("\(entity)/p\(key)")
      }
    }
    outcome.nameless = found.nameless
    outcome.documents = found.rows
    outcome.certificate = found.certificateText
    outcome.isCertificateRight = try sum(of: reader) == state.certificate
    return outcome
  }

  private func sum(of reader: IndexReader) throws -> UInt128 {
    var sum: UInt128 = 0
    var failure: (any Error)?
    try reader.eachValue(slot: DocumentLayout.Slot.identity) { identity in
      guard let (entity, key) = DocumentLayout.parseIdentity(identity) else { return true }
      do {
        let term = DocumentLayout.uniqueTerm(entity: entity, key: key)
        let value = try reader.value(of: term, slot: DocumentLayout.Slot.digest) ?? []
        let digest = ContentDigest(bytes: value) ?? ContentDigest(value: 0)
        sum &+= DocumentLayout.certificatePart(identity: identity, digest: digest)
        return true
      } catch {
        failure = error
        return false
      }
    }
    if let failure { throw failure }
    return sum
  }

  private static func name(_ mapped: MappedDocument) -> String {
    String(decoding: mapped.document.uniqueTerm.dropFirst(), as: UTF8.self)
  }

  // MARK: Repair

  /// Catches up, then touches what differs.
  ///
  /// - Throws: `FollowspotError.locked` beside a follower; `IndexError.corrupt` where only a rebuild helps.
  package func repair() throws -> IndexState.Reconciliation {
    guard let serving = try directory.serving() else { throw IndexError.missing(directory.path) }
    let lock = try FileLock(.tailer, in: directory, verb: "verify --repair")
    defer { withExtendedLifetime(lock) {} }
    try IndexReader.check(path: serving.path)
    let store = try PersistentStore.open(storePath)
    return try store.withSnapshot {
      let writer = try GenerationWriter(path: serving.path)
      let reader = try IndexReader(path: serving.path, stemmer: writer.state.definition.language)
      return try comparison(store, writer.state).reconcile(
        writer, reason: "verify --repair", deep: reader,
        now: DateText.formatTime(secondsSince1970: Date().timeIntervalSince1970))
    }
  }
}
