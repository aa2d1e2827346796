// SPDX-License-Identifier: MIT

package import SearchIndex
internal import Store

/// The names and values that a query may contain, for completion in a shell. What cannot be read is omitted.
package struct IndexVocabulary {
  private let store: PersistentStore?
  private let view: SearchView?

  /// - Parameters:
  ///   - storePath: nil if no store is named.
  ///   - directory: nil if no index is named.
  package init(storePath: String?, directory: IndexDirectory?) {
    let store = storePath.flatMap { try? StoreFile.open($0, busyMilliseconds: 200) }
    self.store = store
    view = store.flatMap { store in directory.flatMap { try? Self.open($0, store) } }
  }

  private static func open(_ directory: IndexDirectory, _ store: PersistentStore) throws -> SearchView {
    let index = try OpenIndex(directory: directory, layout: store.layout)
    return try store.withSnapshot {
      index.adapt(to: store.layout, hasGrown: try index.state.verdict(in: store) == .modelGrown)
      return try .atToken(index, store)
    }
  }

  /// The names before a colon that are not fields.
  package static var ownNames: [String] { FieldName.own }

  /// The fields of the definition in force, by their names in queries, keys of JSON values and the names of relations
  /// included.
  package var fields: [String] {
    guard let view else { return [] }
    return view.fields.typedNames.flatMap { name in
      let field = view.fields[name].flatMap { $0.hasKeys ? $0 : nil }
      return [name] + (field.flatMap { try? view.keys(of: $0) } ?? [])
    }
  }

  /// The flags that may follow `is:`.
  package var flags: [String] { fields.filter { view?.fields[$0]?.roles.contains(.flag) == true } }

  /// The entities that are indexed; without an index those of the store.
  package var kinds: [String] {
    view.map { $0.definition.entities.keys.sorted() } ?? store?.layout.entities.map(\.entity.name).sorted() ?? []
  }

  /// Whether a text is the identifier of a record, which may not exist.
  package func isIdentifier(_ text: String) throws -> Bool { try store?.record(named: text) != nil }

  /// At most `limit` identifiers of records that begin with a text such as `book/2`.
  package func identifiers(beginning text: String, limit: Int = 100) throws -> [String] {
    try store?.identifiers(beginning: text, limit: limit) ?? []
  }

  /// The attributes of all entities.
  package var attributes: [String] {
    Set(store?.layout.entities.flatMap { $0.entity.attributes.map(\.name) } ?? []).sorted()
  }

  /// The whole values of a facet with a prefix, without regard to case and diacritics. They are returned as indexed:
  /// folded and in lower case.
  ///
  /// - Returns: At most `limit` values, in the order of their bytes. Values that are too long for a term are omitted.
  package func values(ofField name: String, prefix text: String, limit: Int = 100) throws -> [String] {
    guard let view, let field = view.fields[name], field.roles.contains(.facet) else { return [] }
    let start = DocumentLayout.facetTerm(field.fieldPrefix, "")
    let prefix = view.facetTerm(field, text)
    var from = prefix
    var found: [String] = []
    while found.count < limit, let term = try view.reader.firstTerm(prefix: prefix, from: from) {
      let value = term.count <= Term.longest ? Term.value(of: term, behind: start) : ""
      if !value.isEmpty { found.append(value) }
      from = term + [0]
    }
    return found
  }
}
