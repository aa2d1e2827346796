// SPDX-License-Identifier: MIT

package import SearchIndex

/// Joins the hits of one store with their rows, and adds what a request shows of them: a snippet, fields, a section.
package struct HitDetails {
  private let searcher: Searcher
  private let request: SearchRequest
  private let snapshot: Searcher.Snapshot
  private let snippets: SnippetMaker?
  private let fields: [(name: String, reader: FieldReader)]
  private let section: FieldReader?

  /// - Parameters:
  ///   - query: The query that found the hits; nil for no snippets.
  ///   - omitsUnknown: Whether a field that the store lacks is empty. Otherwise it is an error.
  package init(
    _ searcher: Searcher, _ request: SearchRequest, _ snapshot: Searcher.Snapshot, query: Query?,
    omitsUnknown: Bool = false
  ) throws {
    (self.searcher, self.request, self.snapshot) = (searcher, request, snapshot)
    func reader(_ name: String) throws -> FieldReader? {
      do { return try searcher.fieldReader(name) } catch  where omitsUnknown { return nil }
    }
    snippets = request.wantsSnippets ? try query.map { try searcher.snippetMaker(of: $0) } : nil
    fields = try request.fields.compactMap { name in try reader(name).map { (name, $0) } }
    section = try request.section.flatMap(reader)
  }

  /// nil if the row was deleted after the index's token.
  package func hit(_ found: Hits.Hit) throws -> Hit? {
    guard let (row, joined) = try searcher.join(found, snapshot) else { return nil }
    var hit = joined
    hit.snippet = try snippets?.snippet(of: row, beside: request.showsTitles ? hit.title : nil)
    for (name, reader) in fields {
      hit.fields[name] = FieldTexts(texts: try reader.values(of: row).map(\.text), isList: reader.isList)
    }
    if request.section != nil { hit.section = try section?.values(of: row).first { !$0.isEmpty }?.text ?? "" }
    return hit
  }
}
