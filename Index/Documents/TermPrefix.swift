// SPDX-License-Identifier: MIT

/// The prefixes of the terms that are not words. Terms are made and read by this table.
package enum TermPrefix: String, CaseIterable, Sendable {
  /// The record: its entity and its key, or the value that identifies it.
  case unique = "Q"
  /// The key of the row in a document that is identified by a value.
  case key = "XK:"
  /// The entity of the record, and those above it.
  case entity = "XE:"
  /// A related object: the document contains text from it, or from an object that it reaches through it.
  case related = "XR:"
  /// A path whose related objects have no titles in the document, because there are too many.
  case omitted = "XRO:"
  /// The entity of a row that extends a record which exists.
  case extending = "XX:"
  /// A flag that is true.
  case flag = "XB:"
  /// A field with a value that is not in its slot.
  case presence = "XV:"
  /// A field with values that its slot does not hold, or that it holds in another spelling.
  case rowOnly = "XU:"
  /// The whole title, folded.
  case title = "XH:"
  /// A field and one of its values, folded.
  case facet = "XG"
  /// A field and the year of its date or number.
  case year = "XY"
  /// A field, the year and the month of its date.
  case month = "XM"
  /// A field, keys inside its JSON, and a number, a date or a truth value under them.
  case json = "XJ"
  /// The words of a field whose prefix is not one free letter.
  case text = "XT"
  /// A document of an overlay; only in memory.
  case overlay = "XOV"
  /// A document of a deleted record; only in memory.
  case tombstone = "XDE"

  package var bytes: [UInt8] { Array(rawValue.utf8) }

  /// The longest ones first, because one begins with another.
  private static let sorted = allCases.map { ($0, $0.bytes) }.sorted { $0.1.count > $1.1.count }

  /// The prefix of a term; nil for a word with a prefix of one letter or without one.
  package init?(of term: some Sequence<UInt8>) {
    let term = Array(term.prefix(4))
    guard let found = Self.sorted.first(where: { term.starts(with: $0.1) }) else { return nil }
    self = found.0
  }

  func term(_ rest: String) -> [UInt8] { bytes + rest.utf8 }

  /// A term whose rest has any length.
  func term(whole rest: String) -> [UInt8] { Term.whole(bytes, Array(rest.utf8)) }

  /// Of prefixes with a field: what precedes the value.
  func prefix(ofField fieldPrefix: String) -> [UInt8] { Array("\(rawValue)\(fieldPrefix):".utf8) }
}
