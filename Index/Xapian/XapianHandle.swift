// SPDX-License-Identifier: MIT

internal import CXapian

/// An open Xapian database. It turns the codes of CXapian into errors. Not thread-safe.
final class XapianHandle {
  let path: String
  let pointer: OpaquePointer

  private init(path: String, pointer: OpaquePointer) {
    self.path = path
    self.pointer = pointer
  }

  deinit { cx_close(pointer) }

  static func writer(path: String, stemmer: String, mode: Int) throws(IndexError) -> XapianHandle {
    try open(path) { cx_open_writer(path, stemmer, Int32(mode), &$0, &$1) }
  }

  static func reader(path: String, stemmer: String) throws(IndexError) -> XapianHandle {
    try open(path) { cx_open_reader(path, stemmer, &$0, &$1) }
  }

  static func remote(host: String, port: Int, patience: IndexReader.Patience) throws(IndexError) -> XapianHandle {
    var limits = cx_patience(
      connection: UInt32(clamping: patience.connection), reply: UInt32(clamping: patience.reply),
      whole: UInt32(clamping: patience.whole))
    return try open("\(host):\(port)") { cx_open_remote(host, UInt32(port), &limits, "none", &$0, &$1) }
  }

  /// Combines the revision that this reader has open with an empty database in memory.
  func overlay(stemmer: String) throws(IndexError) -> XapianHandle {
    try Self.open(path) { cx_open_overlay(pointer, stemmer, &$0, &$1) }
  }

  /// Combines the revisions that readers have open.
  static func group(of readers: [XapianHandle], stemmer: String) throws(IndexError) -> XapianHandle {
    let pointers = readers.map { Optional($0.pointer) }
    return try open(readers.first?.path ?? "") { cx_open_group(pointers, pointers.count, stemmer, &$0, &$1) }
  }

  private static func open(
    _ path: String, _ body: (inout OpaquePointer?, inout cx_error) -> Int32
  ) throws(IndexError) -> XapianHandle {
    var error = cx_error()
    var pointer: OpaquePointer?
    guard body(&pointer, &error) == CX_OK, let pointer else {
      throw IndexError.from(error, "opening", path: path)
    }
    return XapianHandle(path: path, pointer: pointer)
  }

  /// Runs one call, and throws its error.
  func call(_ operation: String, _ body: (OpaquePointer, inout cx_error) -> Int32) throws(IndexError) {
    var error = cx_error()
    guard body(pointer, &error) == CX_OK else { throw IndexError.from(error, operation, path: path) }
  }

  /// Runs one call that returns bytes.
  func bytes(
    _ operation: String, _ body: (OpaquePointer, inout cx_text, inout cx_error) -> Int32
  ) throws(IndexError) -> [UInt8] {
    var text = cx_text()
    defer { cx_text_free(&text) }
    var error = cx_error()
    guard body(pointer, &text, &error) == CX_OK else { throw IndexError.from(error, operation, path: path) }
    return Array(UnsafeRawBufferPointer(start: text.bytes, count: text.length))
  }

  // MARK: Calls of readers and writers

  func metadata(_ key: String) throws(IndexError) -> String? {
    let value = try bytes("reading metadata of") { cx_get_metadata($0, key, &$1, &$2) }
    return value.isEmpty ? nil : String(decoding: value, as: UTF8.self)
  }

  func metadataKeys(prefix: String) throws(IndexError) -> [String] {
    try bytes("reading metadata of") { cx_metadata_keys($0, prefix, &$1, &$2) }
      .split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }

  func documentCount() throws(IndexError) -> Int {
    var count: UInt32 = 0
    try call("counting the documents of") { cx_document_count($0, &count, &$1) }
    return Int(count)
  }

  /// The value in `slot` of the document with that unique term; nil if there is no such document.
  func value(of uniqueTerm: [UInt8], slot: UInt32) throws(IndexError) -> [UInt8]? {
    var found: Int32 = 0
    let value = try bytes("reading a document of") { database, text, error in
      uniqueTerm.withCharacters { cx_get_value(database, $0, uniqueTerm.count, slot, &found, &text, &error) }
    }
    return found == 0 ? nil : value
  }

  /// The visitor of a scan, which C receives as a pointer.
  private final class Visitor {
    let visit: ([UInt8]) -> Bool
    init(_ visit: @escaping ([UInt8]) -> Bool) { self.visit = visit }

    static let call: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, Int) -> Int32 = {
      let value = Array(UnsafeRawBufferPointer(start: $1, count: $2))
      return Unmanaged<Visitor>.fromOpaque($0!).takeUnretainedValue().visit(value) ? 0 : 1
    }
  }

  /// Visits every value in a slot, in no order, until `visit` returns false.
  func eachValue(slot: UInt32, _ visit: @escaping ([UInt8]) -> Bool) throws(IndexError) {
    let visitor = Visitor(visit)
    try withExtendedLifetime(visitor) { () throws(IndexError) in
      try call("scanning") {
        cx_each_value($0, slot, Unmanaged.passUnretained(visitor).toOpaque(), Visitor.call, &$1)
      }
    }
  }

  /// The visitor of matches.
  private final class MatchVisitor {
    let visit: (MatchValues) -> Bool
    init(_ visit: @escaping (MatchValues) -> Bool) { self.visit = visit }

    static let call: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<cx_bytes>?) -> Int32 = {
      Unmanaged<MatchVisitor>.fromOpaque($0!).takeUnretainedValue().visit(MatchValues($1!)) ? 0 : 1
    }
  }

  /// Visits the values in some slots of every match, in no order, until `visit` returns false.
  func eachMatch(
    _ compiled: CompiledQuery, slots: [UInt32], _ visit: @escaping (MatchValues) -> Bool
  ) throws(IndexError) {
    let visitor = MatchVisitor(visit)
    try withExtendedLifetime(visitor) { () throws(IndexError) in
      try call("the query") { database, error in
        compiled.bytes.withCharacters {
          cx_each_match(
            database, $0, compiled.nodes, compiled.nodes.count, slots, slots.count,
            Unmanaged.passUnretained(visitor).toOpaque(), MatchVisitor.call, &error)
        }
      }
    }
  }

  /// As `Visitor`, but the bytes are valid during the call only.
  private final class TermVisitor {
    let visit: (UnsafeRawBufferPointer) -> Bool
    init(_ visit: @escaping (UnsafeRawBufferPointer) -> Bool) { self.visit = visit }

    static let call: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, Int) -> Int32 = {
      Unmanaged<TermVisitor>.fromOpaque($0!).takeUnretainedValue().visit(UnsafeRawBufferPointer(start: $1, count: $2))
        ? 0 : 1
    }
  }

  /// Visits the terms with the prefix that are not less than `from`, until `visit` returns false.
  func eachTerm(
    prefix: [UInt8], from: [UInt8], _ visit: @escaping (UnsafeRawBufferPointer) -> Bool
  ) throws(IndexError) {
    let visitor = TermVisitor(visit)
    try withExtendedLifetime(visitor) { () throws(IndexError) in
      try call("reading the terms of") { database, error in
        prefix.withCharacters { prefixText in
          from.withCharacters {
            cx_each_term(
              database, prefixText, prefix.count, $0, from.count, Unmanaged.passUnretained(visitor).toOpaque(),
              TermVisitor.call, &error)
          }
        }
      }
    }
  }

  /// Visits the terms of the overlay.
  func eachOverlayTerm(_ visit: @escaping (UnsafeRawBufferPointer) -> Bool) throws(IndexError) {
    let visitor = TermVisitor(visit)
    try withExtendedLifetime(visitor) { () throws(IndexError) in
      try call("reading the changes over") {
        cx_each_overlay_term($0, Unmanaged.passUnretained(visitor).toOpaque(), TermVisitor.call, &$1)
      }
    }
  }

  /// Visits the value in a slot of every document with a term, until `visit` returns false.
  func eachValue(slot: UInt32, of term: [UInt8], _ visit: @escaping ([UInt8]) -> Bool) throws(IndexError) {
    let visitor = Visitor(visit)
    try withExtendedLifetime(visitor) { () throws(IndexError) in
      try call("reading the documents of a term of") { database, error in
        term.withCharacters {
          cx_each_value_of(
            database, $0, term.count, slot, Unmanaged.passUnretained(visitor).toOpaque(), Visitor.call, &error)
        }
      }
    }
  }
}

/// The values of one match, by the index of their slots in the request. They are valid during one call only.
package struct MatchValues {
  private let values: UnsafePointer<cx_bytes>

  init(_ values: UnsafePointer<cx_bytes>) { self.values = values }

  /// Empty if the document has no value in the slot.
  package subscript(slot: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: values[slot].bytes, count: values[slot].length)
  }
}

extension [UInt8] {
  func withCharacters<Result>(_ body: (UnsafePointer<CChar>?) -> Result) -> Result {
    withUnsafeBytes { body($0.baseAddress?.assumingMemoryBound(to: CChar.self)) }
  }
}
