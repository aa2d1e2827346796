// SPDX-License-Identifier: MIT

/// Receives the matches of a query, in no particular order, with the values of some fields.
protocol MatchVisitor: AnyObject {
  /// Whether it uses the identities of the matches. Otherwise they may be empty.
  var readsIdentities: Bool { get }
  /// - Parameter identity: The identity of the document, valid during the call only.
  func begin(_ identity: UnsafeRawBufferPointer)
  /// - Parameter field: The index of the field in the request.
  func add(_ value: FieldReader.FieldValue, field: Int)
  /// Receives a text as UTF-8, valid during the call only.
  func add(_ text: UnsafeRawBufferPointer, field: Int)
  func end()
}
