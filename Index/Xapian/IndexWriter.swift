// SPDX-License-Identifier: MIT

internal import CXapian

#if canImport(Glibc)
  internal import Glibc
#endif

/// The only writer of an index generation. It cannot be used after an error, because Xapian discards everything since the
/// last commit: open another writer, and read the metadata again.
package final class IndexWriter: IndexContent {
  package enum Mode: Sendable {
    /// Each commit is on stable storage when it returns.
    case durable
    /// Nothing is on stable storage before `IndexDirectory.sync`; only for a generation that nobody reads yet.
    case bulk
    /// As `bulk`, but also overwrites blocks in place: for a new database with one commit, which is joined with others.
    case run

    fileprivate var code: Int {
      switch self {
      case .durable: CX_DURABLE
      case .bulk: CX_BULK
      case .run: CX_RUN
      }
    }
  }

  private let handle: XapianHandle
  private let mode: Mode
  private var isOpen = false
  /// The size of the batch, to estimate the disk space that its commit needs.
  private var batch = (documents: 0, bytes: 0)

  var path: String { handle.path }

  /// Opens the database at `path`, and creates it if it is missing.
  ///
  /// - Parameter stemmer: Xapian's name of the language, such as `english`, or `none`.
  /// - Throws: `IndexError.locked` if another writer holds the lock for half a second, `.corrupt`, `.full`.
  package init(path: String, stemmer: String, mode: Mode = .durable) throws(IndexError) {
    if mode == .durable, Changesets.prepare(generation: path) == 0 { Changesets.remove(in: path) }
    handle = try Self.open(path, stemmer, mode)
    self.mode = mode
  }

  /// Opens the writer, and waits for a lock that disappears by itself. A child that is forked anywhere in this process
  /// inherits the lock of a writer that is then closed, and holds it until it executes its own program.
  private static func open(_ path: String, _ stemmer: String, _ mode: Mode) throws(IndexError) -> XapianHandle {
    for _ in 0..<50 {
      do {
        return try XapianHandle.writer(path: path, stemmer: stemmer, mode: mode.code)
      } catch {
        guard error.code == .locked else { throw error }
        usleep(10_000)
      }
    }
    return try XapianHandle.writer(path: path, stemmer: stemmer, mode: mode.code)
  }

  /// Begins a batch. A bulk writer has one batch from opening to commit.
  package func begin() throws(IndexError) {
    guard !isOpen else { return }
    if mode == .durable { try handle.call("beginning a batch in") { cx_begin($0, &$1) } }
    isOpen = true
  }

  /// A boolean term to add to the document with a unique term. Tests use it to make Xapian reject documents.
  @TaskLocal package static var addedTerm: (@Sendable (_ uniqueTerm: [UInt8]) -> [UInt8]?)?

  /// Replaces the document with the same unique term, or adds it.
  ///
  /// - Throws: `IndexError.rejected` if Xapian rejects the document.
  package func put(_ document: Document) throws(IndexError) {
    let document = Self.prepared(document)
    batch = (batch.documents + 1, batch.bytes + document.size)
    try writing("writing a document to") { database, error in
      document.withCharacters { cx_put(database, $0, $1, $2, $3, $4, &error) }
    }
  }

  /// Adds a prepared document under a number that is higher than all before it; nothing of its unique term may be there.
  func append(_ document: Document, number: UInt32) throws(IndexError) {
    try writing("writing a document to") { database, error in
      document.withCharacters { cx_append(database, number, $0, $1, $2, $3, $4, &error) }
    }
  }

  /// The document as it is written: on the caller's thread, where `addedTerm` is bound.
  static func prepared(_ document: Document) -> Document {
    guard let term = addedTerm?(document.uniqueTerm) else { return document }
    var document = document
    document.addTerm(term)
    return document
  }

  /// Runs one call. If Xapian rejects an argument, the document is the cause.
  private func writing(
    _ operation: String, _ body: (OpaquePointer, inout cx_error) -> Int32
  ) throws(IndexError) {
    do {
      try change(operation, body)
    } catch {
      guard error.code == .invalidQuery else { throw error }
      throw IndexError(.rejected, "Xapian rejected a document for \(path)", cause: error.cause)
    }
  }

  package func remove(_ uniqueTerm: [UInt8]) throws(IndexError) {
    batch.documents += 1
    try change("removing a document from") { database, error in
      uniqueTerm.withCharacters { cx_remove(database, $0, uniqueTerm.count, &error) }
    }
  }

  /// Makes the batch and `metadata` durable as one revision.
  ///
  /// Either both survive a crash or neither does. The directory is synced too, which Xapian 1.4 leaves out: without
  /// it a power cut can leave an index that cannot be opened.
  ///
  /// - Parameter metadata: Opaque values by key; an empty one removes its key.
  /// - Throws: `IndexError.full` (nothing changed, retry later with a new writer), `.corrupt`; `.rejected` for a
  ///   document of the batch, which Xapian does not name.
  package func commit(metadata: [String: String]) throws(IndexError) {
    for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
      try handle.call("writing metadata of") { cx_set_metadata($0, key, value, value.utf8.count, &$1) }
    }
    isOpen = false
    switch mode {
    case .bulk, .run: try writing("committing to") { cx_flush($0, &$1) }
    case .durable:
      try checkRoom()
      batch = (0, 0)
      IndexDirectory.prepareVersionFile(ofGeneration: path)
      let changesets = Changesets.prepare(generation: path)
      try writing("committing to") { cx_commit($0, &$1) }
      if changesets > 0 { Changesets.limit(in: path) }
      IndexDirectory.settleRights(ofGeneration: path)
      try IndexDirectory.syncDirectory(path)
    }
  }

  /// Refuses a commit that the disk has no room for: Xapian may end the process where a block cannot be written. Each
  /// document touches some forty blocks of 8 KiB, and a commit leaves every block that it touches in its old place.
  private func checkRoom() throws(IndexError) {
    let needed = min(batch.documents * 320 << 10, IndexDirectory.bytes(of: path)) / 2 + batch.bytes + (64 << 10)
    guard let free = IndexDirectory.freeBytes(at: path), free < needed else { return }
    throw IndexError(
      .full, "no space left for \(path): \(free >> 10) KiB are free, and a commit may take \(needed >> 10) KiB",
      recovery: .freeSpace)
  }

  /// A bulk writer that fails cannot go back to the revision before, which Xapian reports as damage; but nobody reads
  /// its database yet.
  private func change(
    _ operation: String, _ body: (OpaquePointer, inout cx_error) -> Int32
  ) throws(IndexError) {
    do {
      try handle.call(operation, body)
    } catch {
      guard mode != .durable, error.code == .corrupt else { throw error }
      throw IndexError(
        .other, "\(operation) \(path) failed", recovery: .retryCommit,
        cause: error.cause)
    }
  }

  package func metadata(_ key: String) throws(IndexError) -> String? { try handle.metadata(key) }
  package func metadataKeys(prefix: String) throws(IndexError) -> [String] { try handle.metadataKeys(prefix: prefix) }
  package func documentCount() throws(IndexError) -> Int { try handle.documentCount() }

  /// The value in `slot` of a document, pending changes included; nil where there is no such document.
  package func value(of uniqueTerm: [UInt8], slot: UInt32) throws(IndexError) -> [UInt8]? {
    try handle.value(of: uniqueTerm, slot: slot)
  }

  package func eachValue(slot: UInt32, _ visit: @escaping ([UInt8]) -> Bool) throws(IndexError) {
    try handle.eachValue(slot: slot, visit)
  }

  package func eachValue(
    slot: UInt32, of term: [UInt8], _ visit: @escaping ([UInt8]) -> Bool
  ) throws(IndexError) { try handle.eachValue(slot: slot, of: term, visit) }
}
