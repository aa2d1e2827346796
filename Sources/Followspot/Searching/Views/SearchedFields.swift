// SPDX-License-Identifier: MIT

internal import Base
package import SearchIndex
internal import Store
internal import Synchronization

/// The definition by which an index is searched, and the fields that it has.
///
/// The indexes of a group often have the same fields. They share one object, so the fields are read and each query is
/// parsed once, not for each index.
package final class SearchedFields: Sendable {
  let definition: IndexDefinition
  package let fields: FieldTable
  /// The words that a query ignores if it has others, folded and in lower case.
  let stopWords: Set<String>
  let kindWords: KindWords
  /// The layout and the digest of the model, if they are those of all stores that share these fields; nil otherwise.
  let layout: StoreLayout?
  let modelDigest: String?
  private let memory = Mutex(Memory())

  private struct Memory {
    var layoutKey: String?
    var synonyms: Synonyms?
    /// The query that was parsed last.
    var parsed: (query: String, isLiteral: Bool, isStrict: Bool, result: ParsedQuery)?
  }

  /// - Parameter earlier: As for `FieldTable`.
  convenience init(definition: IndexDefinition, extending earlier: IndexDefinition? = nil, model: ModelShape) {
    self.init(definition: definition, extending: earlier, model: model, of: nil)
  }

  /// - Parameter store: A store of this package, whose layout follows from its model.
  private init(
    definition: IndexDefinition, extending earlier: IndexDefinition?, model: ModelShape, of store: PersistentStore?
  ) {
    self.definition = definition
    layout = store?.layout
    modelDigest = store?.modelDigest
    fields = FieldTable(definition: definition, extending: earlier, model: model)
    stopWords = Self.stopWords(of: definition, fields)
    kindWords = KindWords(definition)
  }

  /// The stop words of the definition. If they are the built-in ones, those of the fields' languages are added.
  private static func stopWords(of definition: IndexDefinition, _ fields: FieldTable) -> Set<String> {
    let languages = fields.textFields.reduce(into: Set()) { $0.formUnion($1.languages) }
    var folder = TextFolder()
    return definition.stopWords(inLanguages: languages.map { $0 ?? definition.language }).reduce(into: []) {
      $0.insert(folder.sortKey(of: $1))
    }
  }

  private struct Origin: Hashable {
    let definitionText: String
    let modelDigest: String

    init?(_ state: IndexState, modelDigest: String?) {
      guard let text = state.definitionText, let modelDigest else { return nil }
      (definitionText, self.modelDigest) = (text, modelDigest)
    }
  }

  private static let known = RecentValues<Origin, SearchedFields>()

  /// The fields of an index of `store`. They are the same for all indexes with this definition of stores with this model.
  static func shared(by state: IndexState, of store: PersistentStore) -> SearchedFields {
    // How the columns of other databases are read does not follow from the model alone.
    guard store.isOwn, let origin = Origin(state, modelDigest: store.modelDigest) else {
      return SearchedFields(definition: state.definition, model: store.layout.shape)
    }
    if let fields = known[origin] { return fields }
    let fields = SearchedFields(
      definition: state.definition, extending: nil, model: store.layout.shape, of: store)
    known.keep(fields, for: origin)
    return fields
  }

  /// The fields of an index if an index with the same ones was opened before. Its store may have another model by now.
  static func known(for state: IndexState) -> SearchedFields? {
    Origin(state, modelDigest: state.token?.modelDigest).flatMap { known[$0] }
  }

  /// Parses the query of a request.
  ///
  /// - Throws: `QueryError`.
  func parse(_ request: SearchRequest) throws -> ParsedQuery {
    let known = memory.withLock { memory in
      memory.parsed.flatMap {
        $0.query == request.query && $0.isLiteral == request.isLiteral && $0.isStrict == request.isStrict
          ? $0.result : nil
      }
    }
    if let known { return known }
    let parsed =
      request.isLiteral
      ? try QueryParser.literal(request.query)
      : try QueryParser.parse(request.query, fields: fields, isStrict: request.isStrict)
    memory.withLock { $0.parsed = (request.query, request.isLiteral, request.isStrict, parsed) }
    return parsed
  }

  /// The synonyms of the definition.
  ///
  /// - Parameter tokens: As for `Synonyms`.
  func synonyms(_ tokens: (String) throws -> [IndexReader.Token]) throws -> Synonyms {
    if let known = memory.withLock(\.synonyms) { return known }
    let made = try Synonyms(definition, tokens: tokens)
    memory.withLock { $0.synonyms = made }
    return made
  }

  /// Whether an index with these fields has words under the keys of a JSON field.
  ///
  /// - Parameters:
  ///   - name: A field and keys, such as `people.name`.
  ///   - orBelow: Whether words count that are under further keys below these.
  func hasKeys(_ name: String, orBelow: Bool, in reader: IndexReader) throws -> Bool {
    guard case .keys(let field, let keys) = FieldName(name, in: fields, isOrder: true) else { return false }
    let own = DocumentLayout.textPrefix(field.fieldPrefix, keys: keys)
    let typed = DocumentLayout.JSONTerms(field.fieldPrefix, keys: keys)
    let below =
      orBelow ? [DocumentLayout.textPrefix(field.fieldPrefix, belowKeys: keys), typed.startBelow] : []
    return try ([own].compactMap(\.self) + typed.prefixesWithoutText + below).contains {
      try reader.firstTerm(prefix: $0, from: $0) != nil
    }
  }

  /// Whether a query has a condition on the history.
  func usesHistory(_ parsed: ParsedQuery) -> Bool {
    parsed.root.names.contains { HistoryField($0, in: fields) != nil }
  }

  /// Whether a query finds deleted records, if it is valid.
  package func findsDeleted(_ parsed: ParsedQuery) -> Bool {
    parsed.root.names.contains { HistoryField($0, in: fields) == .deleted }
  }

  /// Equal for two indexes if one compiled query means the same in both.
  var layoutKey: String {
    memory.withLock { memory in
      if let key = memory.layoutKey { return key }
      let key = makeLayoutKey()
      memory.layoutKey = key
      return key
    }
  }

  /// What stores must have in common for one joined index; nil if the fields do not follow from the model alone.
  var common: JoinedList.Common? {
    modelDigest.map { JoinedList.Common(fields: ContentDigest(of: Array(layoutKey.utf8)), model: $0) }
  }

  private func makeLayoutKey() -> String {
    let fields = fields.names.compactMap { self.fields[$0] }.map { field in
      // What is stored has no effect on queries.
      let roles = field.roles.subtracting([.stored]).map(\.rawValue).sorted().joined(separator: ",")
      let languages = field.languages.map { $0 ?? "-" }.sorted().joined(separator: ",")
      return "\(field.name) \(field.fieldPrefix) \(field.slot) \(roles) \(languages) \(field.hasKeys) "
        + "\(field.slotContent.map { "\($0)" } ?? "-") \(field.unit.map { "\($0)" } ?? "-")"
    }
    let entities = definition.entities.sorted { $0.key < $1.key }.map { name, entity in
      "\(name) \(entity.identify ?? "-") \(entity.title) \(entity.boost ?? "-") \(entity.words.joined(separator: ","))"
    }
    let synonyms = definition.synonyms.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    let relations = self.fields.relations.map { "\($0.name) \($0.fields.joined(separator: ","))" }
    return [definition.language, definition.stopWords.joined(separator: " ")].joined(separator: "\n") + "\n"
      + (fields + ["-"] + entities + ["-"] + relations + ["-"] + synonyms).joined(separator: "\n")
  }
}
