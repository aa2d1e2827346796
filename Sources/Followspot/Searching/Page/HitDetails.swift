// SPDX-License-Identifier: MIT

internal import Base
internal import SearchIndex
internal import Store

/// Joins the hits of one store with their rows, and adds what a request shows of them: a snippet, fields, a section.
struct HitDetails {
  private let view: SearchView
  private let request: SearchRequest
  private let snippets: SnippetMaker?
  private let fields: [(name: String, reader: FieldReader)]
  private let section: FieldReader?
  private let omitsUnknown: Bool

  /// - Parameters:
  ///   - query: The query that found the hits; nil for no snippets.
  ///   - omitsUnknown: Whether a field, or a section, that the store or a replica lacks is empty. Otherwise it is an error.
  init(_ view: SearchView, _ request: SearchRequest, query: Query?, omitsUnknown: Bool = false) throws {
    (self.view, self.request, self.omitsUnknown) = (view, request, omitsUnknown)
    func reader(_ name: String) throws -> FieldReader? {
      do { return try FieldReader.of(name, in: view) } catch  where omitsUnknown { return nil }
    }
    snippets = request.wantsSnippets ? try query.map { try SnippetMaker(query: $0, view) } : nil
    fields = try request.fields.compactMap { name in try reader(name).map { (name, $0) } }
    section = try request.section.flatMap(reader)
  }

  /// nil if the row was deleted after the index's token.
  func hit(_ found: Hits.Hit) throws -> Hit? {
    guard let (row, joined) = try join(found) else { return nil }
    var hit = joined
    hit.snippet = try snippets?.snippet(of: row, beside: request.showsTitles ? hit.title : nil)
    for (name, reader) in fields where try reader.isReadable(row) {
      hit.fields[name] = FieldTexts(texts: try reader.values(of: row).map(\.text), isList: reader.isList)
    }
    if request.section != nil {
      if let section, !omitsUnknown, try !section.isReadable(row) { throw section.refusal(in: view) }
      hit.section = try section?.values(of: row).first { !$0.isEmpty }?.text ?? ""
    }
    return hit
  }

  private func join(_ hit: Hits.Hit) throws -> (row: RowIdentifier, hit: Hit)? {
    let (store, rows) = (view.store, view.rows)
    guard let (name, key) = DocumentLayout.parseIdentity(hit.identity),
      let entity = store.layout.entity(named: name), let values = try rows.values(of: entity, key: key)
    else { return nil }
    let row = RowIdentifier(entity: entity.number, key: key)
    let deletion = rows.deletions?[row]
    let isLogged = view.changed?.contains(row) ?? !view.comparesHits
    let isChanged = try isLogged || view.comparesHits && differs(row)
    // The document is of another row, which had this key before.
    if isChanged, !isLogged, view.hasOtherRows { return nil }
    let freshness: Hit.Freshness =
      deletion != nil ? .deleted : !isChanged ? .indexed : view.hasOverlay ? .overlay : .changed
    var joined = Hit(
      identifier: try deletion.map(store.identifier(of:)) ?? store.identifier(of: row), entity: entity,
      score: hit.score, freshness: freshness, values: values,
      title: view.title(of: values, entity, key: key, isDeleted: deletion != nil), deletion: deletion)
    joined.storedAttributes = try rows.stored?.attributes(of: entity, key: key)
    return (row, joined)
  }

  /// Whether the row of a hit is not what was indexed.
  private func differs(_ row: RowIdentifier) throws -> Bool {
    let comparison = Comparison(store: view.store, mapper: try view.mapper, progress: Progress())
    return try comparison.differs(row, from: view.index.reader)
  }
}
