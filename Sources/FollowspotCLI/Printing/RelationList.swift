// SPDX-License-Identifier: MIT

internal import SearchIndex
internal import Store

/// The relations of an ordinary database, a line for each table that refers to others.
enum RelationList {
  /// `books: author_id -> authors (inferred: name and all 3,503 values), publisher_id -> publishers (declared)`, or
  /// `book_tag: book_id -> books (declared), tag_id -> tags (declared); its rows only join these`.
  ///
  /// - Parameter areInferred: Leaves out the relations that the schema declares.
  static func lines(of store: PersistentStore, areInferred: Bool = false) -> [String] {
    let relations = (Database.of(store)?.relations ?? []).filter { !areInferred || $0.relation.origin == .inferred }
    var lines: [(entity: String, texts: [String])] = []
    for (entity, _, relation) in relations {
      if lines.last?.entity != entity { lines.append((entity, [])) }
      lines[lines.count - 1].texts.append("\(relation.columnList) -> \(relation.target) (\(relation.reason))")
    }
    let joins = Set(store.joins)
    return lines.map {
      "\($0.entity): \($0.texts.joined(separator: ", "))\(joins.contains($0.entity) ? "; its rows only join these" : "")"
    }
  }
}

extension PersistentStore {
  /// The tables whose rows only join others.
  var joins: [String] { layout.shape.filter(\.value.isJoin).keys.sorted() }
}
