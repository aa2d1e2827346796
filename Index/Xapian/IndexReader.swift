// SPDX-License-Identifier: MIT

internal import CXapian

/// Reads one revision of an index generation. Any number of readers work beside the writer. If the revision is overwritten,
/// a reader continues with the newest one, unless it is pinned.
package final class IndexReader: IndexContent {
  private let handle: XapianHandle
  /// The number of databases that are searched together: an overlay counts as one.
  package let databases: Int
  /// Whether every call may be a message to another machine.
  private let isRemote: Bool

  package var path: String { handle.path }

  /// - Parameter stemmer: Xapian's name of the language. `setStemmer` changes it after the metadata were read.
  /// - Throws: `IndexError.corrupt`.
  package init(path: String, stemmer: String = "none") throws(IndexError) {
    handle = try XapianHandle.reader(path: path, stemmer: stemmer)
    databases = 1
    isRemote = false
  }

  /// Opens the index that Xapian's server offers on another machine. The reader stays at its revision.
  ///
  /// - Throws: `IndexError.unreachable`.
  package init(host: String, port: Int, patience: Patience) throws(IndexError) {
    handle = try XapianHandle.remote(host: host, port: port, patience: patience)
    databases = 1
    isRemote = true
  }

  /// How long to wait for another machine, in milliseconds.
  package struct Patience: Sendable {
    var connection = 3_000
    /// For one reply.
    var reply = 10_000
    /// For all replies together, from opening on.
    var whole = 60_000

    package init() {}
  }

  private init(handle: XapianHandle, databases: Int, isRemote: Bool) {
    self.handle = handle
    self.databases = databases
    self.isRemote = isRemote
  }

  /// Combines the revisions that readers have open in one database, in this order.
  ///
  /// - Parameter readers: At least one.
  package static func group(of readers: [IndexReader], stemmer: String) throws(IndexError) -> IndexReader {
    IndexReader(
      handle: try XapianHandle.group(of: readers.map(\.handle), stemmer: stemmer),
      databases: readers.reduce(0) { $0 + $1.databases }, isRemote: readers.contains(where: \.isRemote))
  }

  /// Keeps the reader at its revision until it is reopened. If that is overwritten, reads throw `IndexError.changed`.
  package func pin() { cx_pin(handle.pointer) }

  /// Combines the open revision with documents in memory in one database.
  ///
  /// - Parameter documents: Documents that Xapian rejects are skipped.
  package func overlaid(with documents: [Document], stemmer: String) throws(IndexError) -> IndexReader {
    let joined = try handle.overlay(stemmer: stemmer)
    for document in documents {
      do throws(IndexError) {
        try joined.call("writing a document over") { database, error in
          document.withCharacters { cx_put(database, $0, $1, $2, $3, $4, &error) }
        }
      } catch {
        guard error.code == .invalidQuery else { throw error }
      }
    }
    return IndexReader(handle: joined, databases: databases + 1, isRemote: isRemote)
  }

  /// Whether opening the database at `path` does not crash the process, as Xapian does for some kinds of damage. An error
  /// is not a crash. A forked child tries it, but only if the process has called `exitOnCrash`; otherwise this is true.
  package static func survives(path: String) -> Bool { cx_survives_reading(path) != 0 }

  /// Makes such a crash print an error and exit with `damaged`, or with `full` if a full disk or a lack of memory is the
  /// cause.
  package static func exitOnCrash(damaged: Int32, full: Int32) { cx_exit_on_crash(damaged, full) }

  /// Sets the options in the hint of such a crash, each followed by a blank.
  package static func setCrashOptions(_ options: String) { cx_set_crash_options(options) }

  package func setStemmer(_ language: String) throws(IndexError) {
    try handle.call("setting the language of") { cx_set_stemmer($0, language, &$1) }
  }

  /// Moves to the newest revision.
  package func reopen() throws(IndexError) { try handle.call("reopening") { cx_reopen($0, &$1) } }

  package func metadata(_ key: String) throws(IndexError) -> String? { try handle.metadata(key) }
  package func metadataKeys(prefix: String) throws(IndexError) -> [String] { try handle.metadataKeys(prefix: prefix) }
  package func documentCount() throws(IndexError) -> Int { try handle.documentCount() }

  /// Xapian's commit counter at the revision that is open; 0 for an index of another machine.
  package func revision() throws(IndexError) -> UInt64 {
    var revision: UInt64 = 0
    try handle.call("reading") { cx_revision($0, &revision, &$1) }
    return revision
  }

  /// Xapian's UUID of the database.
  package func uuid() throws(IndexError) -> String {
    String(decoding: try handle.bytes("reading") { cx_uuid($0, &$1, &$2) }, as: UTF8.self)
  }

  /// The numbers from that of the first document to that of the last one; nil if there is none.
  package func documentNumbers() throws(IndexError) -> ClosedRange<UInt32>? {
    var (first, last): (UInt32, UInt32) = (0, 0)
    try handle.call("reading the numbers of") { cx_number_range($0, &first, &last, &$1) }
    return first == 0 ? nil : first...last
  }

  package func value(of uniqueTerm: [UInt8], slot: UInt32) throws(IndexError) -> [UInt8]? {
    try handle.value(of: uniqueTerm, slot: slot)
  }

  /// The data and the values of the document with that unique term; nil if there is no such document.
  package func content(of uniqueTerm: [UInt8]) throws(IndexError) -> DocumentContent? {
    var found: Int32 = 0
    var values = cx_text()
    defer { cx_text_free(&values) }
    let data = try handle.bytes("reading a document of") { database, text, error in
      uniqueTerm.withCharacters { cx_get_content(database, $0, uniqueTerm.count, &found, &text, &values, &error) }
    }
    guard found != 0 else { return nil }
    return DocumentContent(data: data, values: Array(UnsafeRawBufferPointer(start: values.bytes, count: values.length)))
  }

  /// The number in `slot` of a document; nil if there is none.
  func number(of uniqueTerm: [UInt8], slot: UInt32) throws(IndexError) -> Double? {
    guard let bytes = try value(of: uniqueTerm, slot: slot), !bytes.isEmpty else { return nil }
    return SortableNumber.double(of: bytes)
  }

  package func eachValue(slot: UInt32, _ visit: @escaping ([UInt8]) -> Bool) throws(IndexError) {
    try handle.eachValue(slot: slot, visit)
  }

  package func eachValue(
    slot: UInt32, of term: [UInt8], _ visit: @escaping ([UInt8]) -> Bool
  ) throws(IndexError) { try handle.eachValue(slot: slot, of: term, visit) }

  /// The first term that has the prefix and is not less than `from`; nil if there is none.
  package func firstTerm(prefix: [UInt8], from: [UInt8]) throws(IndexError) -> [UInt8]? {
    var found: Int32 = 0
    let term = try handle.bytes("reading the terms of") { database, text, error in
      prefix.withCharacters { prefixText in
        from.withCharacters {
          cx_first_term(database, prefixText, prefix.count, $0, from.count, &found, &text, &error)
        }
      }
    }
    return found == 0 ? nil : term
  }

  /// Visits the terms with the prefix that are not less than `from`, until `visit` returns false. Their bytes are valid
  /// during the call only.
  package func eachTerm(
    prefix: [UInt8], from: [UInt8], _ visit: @escaping (UnsafeRawBufferPointer) -> Bool
  ) throws(IndexError) { try handle.eachTerm(prefix: prefix, from: from, visit) }

  /// The terms of the documents with which it was overlaid.
  package func overlayTerms() throws(IndexError) -> Set<[UInt8]> {
    final class Found { var terms: Set<[UInt8]> = [] }
    let found = Found()
    try handle.eachOverlayTerm {
      found.terms.insert(Array($0))
      return true
    }
    return found.terms
  }

  /// The number of documents with a term.
  package func frequency(of term: [UInt8]) throws(IndexError) -> Int {
    var frequency: UInt32 = 0
    try handle.call("reading the terms of") { database, error in
      term.withCharacters { cx_term_frequency(database, $0, term.count, &frequency, &error) }
    }
    return Int(frequency)
  }

  /// Whether a term has a position in any of the first `most` documents that contain it. A term without positions is a
  /// further form of a word.
  package func hasPositions(_ term: [UInt8], most: Int) throws(IndexError) -> Bool {
    var found: Int32 = 0
    try handle.call("reading the terms of") { database, error in
      term.withCharacters { cx_has_positions(database, $0, term.count, UInt32(clamping: most), &found, &error) }
    }
    return found != 0
  }

  /// A stored document as text, with those of its terms that are missing in the posting lists; nil if there is no document
  /// with that unique term.
  package func description(ofStored uniqueTerm: [UInt8]) throws(IndexError) -> [UInt8]? {
    var found: Int32 = 0
    let text = try handle.bytes("reading a document of") { database, text, error in
      uniqueTerm.withCharacters { cx_describe_stored(database, $0, uniqueTerm.count, &found, &text, &error) }
    }
    return found == 0 ? nil : text
  }

  /// A document as text, as it would be stored.
  package func description(of document: Document) throws(IndexError) -> [UInt8] {
    try handle.bytes("making a document for") { database, text, error in
      document.withCharacters { cx_describe_made(database, $0, $1, $2, $3, $4, &text, &error) }
    }
  }

  /// The number of the document with a term; nil if there is none.
  func number(of uniqueTerm: [UInt8]) throws(IndexError) -> UInt32? {
    var number: UInt32 = 0
    try handle.call("reading a document of") { database, error in
      uniqueTerm.withCharacters { cx_find(database, $0, uniqueTerm.count, &number, &error) }
    }
    return number == 0 ? nil : number
  }

  /// The fingerprint of a document, as it would be stored.
  func fingerprint(of document: Document) throws(IndexError) -> UInt64 {
    var fingerprint: UInt64 = 0
    try handle.call("making a document for") { database, error in
      document.withCharacters { cx_make_fingerprint(database, $0, $1, $2, $3, $4, &fingerprint, &error) }
    }
    return fingerprint
  }

  /// Reads the fingerprints of all documents.
  ///
  /// - Parameters:
  ///   - slots: The number of value slots. Values in other slots are not read.
  ///   - isOver: Called regularly; if it returns true, reading ends with an error.
  func fingerprints(slots: UInt32, isOver: @escaping () -> Bool) throws(IndexError) -> StoredFingerprints {
    final class Check {
      let isOver: () -> Bool
      init(_ isOver: @escaping () -> Bool) { self.isOver = isOver }
    }
    let check = Check(isOver)
    var fingerprints: OpaquePointer?
    try withExtendedLifetime(check) { () throws(IndexError) in
      try handle.call("reading") { database, error in
        cx_read_fingerprints(
          database, slots, { Unmanaged<Check>.fromOpaque($0!).takeUnretainedValue().isOver() ? 1 : 0 },
          Unmanaged.passUnretained(check).toOpaque(), &fingerprints, &error)
      }
    }
    return StoredFingerprints(fingerprints)
  }

  /// The words of a text as they are indexed. Fold the text first, as documents' texts are.
  ///
  /// - Parameter language: The language of the stemmer; nil for that of the index.
  package func tokens(of folded: String, language: String? = nil) throws(IndexError) -> [Token] {
    let text = Array(folded.utf8)
    let fields = try handle.bytes("tokenising for") { database, out, error in
      text.withCharacters { cx_tokens(database, $0, text.count, language ?? "", &out, &error) }
    }.split(separator: 0, omittingEmptySubsequences: false)
    func part(_ at: Int) -> [UInt8]? { fields[at].isEmpty ? nil : Array(fields[at]) }
    return stride(from: 0, to: fields.count - 1, by: 3).map {
      Token(raw: Array(fields[$0]), stemmed: part($0 + 1), stableStem: part($0 + 2))
    }
  }

  /// A word of a text and its stem, if it has one.
  package struct Token: Equatable, Sendable {
    package let raw: [UInt8]
    package let stemmed: [UInt8]?
    /// The stem, if it is its own stem.
    let stableStem: [UInt8]?

    /// The terms of the documents that have the word or another form of it in a field.
    ///
    /// - Parameter prefix: The prefix of the field's words.
    package func terms(prefix: [UInt8]) -> [[UInt8]] {
      func written(_ word: [UInt8]) -> [[UInt8]] { JoinedWords.prefixes(prefix).map { $0 + word } }
      guard let stemmed else { return written(raw) }
      // A word that is its own stem has no other term in its field.
      return [[UInt8(ascii: "Z")] + prefix + stemmed] + (stableStem.map(written) ?? [])
    }
  }

  /// Runs Xapian's check of the database structure. Throws `IndexError.corrupt` if it finds a fault.
  package static func check(path: String) throws(IndexError) {
    var error = cx_error()
    var problems = 0
    guard cx_check(path, &problems, &error) == CX_OK else { throw IndexError.from(error, "checking", path: path) }
    guard problems == 0 else {
      throw IndexError(
        .corrupt, "the index \(path) is damaged: Xapian's check found \(problems) faults", recovery: .rebuildIndex)
    }
  }

  /// Visits the values in some slots of every match, in no order, until `visit` returns false.
  package func eachMatch(
    _ query: Query, slots: [UInt32], _ visit: @escaping (MatchValues) -> Bool
  ) throws(IndexError) { try handle.eachMatch(CompiledQuery(query, isRemote: isRemote), slots: slots, visit) }

  /// Runs a query.
  ///
  /// - Parameters:
  ///   - offset: Number of hits to skip.
  ///   - exactUpTo: `matches` is exact up to this number.
  ///   - identitySlot: The value slot that orders hits of equal relevance, or of equal value.
  ///   - order: Sorts by the number in a slot instead of relevance, with documents without a number last.
  ///   - readsData: Whether the hits have the contents of their documents. Those on another machine always have them.
  package func search(
    _ query: Query, offset: Int, limit: Int, exactUpTo: Int, identitySlot: UInt32,
    order: (slot: UInt32, descends: Bool)? = nil, readsData: Bool = true
  ) throws(IndexError) -> Hits {
    // A look-up in many databases takes longer than it saves. Two are an index and its overlay.
    let query =
      isRemote || databases > 2
      ? query : try query.withoutAbsentSynonyms { term throws(IndexError) in try frequency(of: term) }
    let compiled = CompiledQuery(query, isRemote: isRemote)
    // On another machine, Xapian itself looks for the synonyms.
    let isWhole = limit > 0 && order == nil && (isRemote || !query.isFlat)
    let least = isWhole ? try documentCount() : exactUpTo
    var hits = cx_hits()
    defer { cx_hits_free(&hits) }
    func bounded(_ number: Int) -> UInt32 { UInt32(clamping: max(0, number)) }
    try handle.call("the query") { database, error in
      compiled.bytes.withCharacters { bytes in
        cx_search(
          database, bytes, compiled.nodes, compiled.nodes.count, bounded(offset), bounded(limit), bounded(least),
          identitySlot, order?.slot ?? 0,
          Int32(order.map { $0.descends ? CX_DESCENDING : CX_ASCENDING } ?? CX_BY_RELEVANCE), readsData ? 1 : 0,
          &hits, &error)
      }
    }
    let bytes = UnsafeRawBufferPointer(start: hits.bytes.bytes, count: hits.bytes.length)
    let list = UnsafeBufferPointer(start: hits.hits, count: hits.count).map { hit in
      Hits.Hit(
        score: hit.score, identity: Array(bytes[hit.identity_offset..<(hit.identity_offset + hit.identity_length)]),
        content: DocumentContent(
          data: Array(bytes[hit.data_offset..<(hit.data_offset + hit.data_length)]),
          values: Array(bytes[hit.values_offset..<(hit.values_offset + hit.values_length)])),
        value: Array(bytes[hit.value_offset..<(hit.value_offset + hit.value_length)]),
        database: (Int(hit.document) - 1) % databases, number: (hit.document - 1) / UInt32(databases) + 1)
    }
    return Hits(hits: list, matches: Int(hits.matches))
  }
}

/// One page of a query's results.
package struct Hits: Sendable {
  package struct Hit: Sendable {
    /// Relevance by BM25; 0 if nothing in the query has weight. A second stage of ranking may add to it.
    package var score: Double
    /// The value of the identity slot.
    package let identity: [UInt8]
    /// Empty if it was not read.
    package let content: DocumentContent
    /// The value of the slot that orders the hits; empty if relevance orders them.
    package let value: [UInt8]
    /// The index of the database that contains it, if several are searched together.
    package let database: Int
    /// The number of the document in that database.
    package let number: UInt32
  }

  package let hits: [Hit]
  /// The number of matching documents.
  package let matches: Int

  package init(hits: [Hit], matches: Int) {
    self.hits = hits
    self.matches = matches
  }
}

/// The stemmers that Xapian has.
package enum Stemmer {
  package static func exists(_ language: String) -> Bool { cx_has_stemmer(language) != 0 }
}

extension IndexReader {
  /// The version of the Xapian library in use.
  package static var libraryVersion: String { String(cString: cx_version()) }
}
