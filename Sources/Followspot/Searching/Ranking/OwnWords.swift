// SPDX-License-Identifier: MIT

internal import SearchIndex

/// The words of a query in the texts of records themselves, and not in the titles of what these belong to.
struct OwnWords {
  /// The documents that have such a word, or whose keys the query names.
  let query: Query

  /// nil if records have no titles of others.
  init?(_ plan: QueryPlan, in view: SearchView) {
    let context = Set(view.fields.textFields.filter(\.isContext).map(\.fieldPrefix))
    guard !context.isEmpty else { return nil }
    let words = (plan.words + plan.required).flatMap(\.terms).filter { term, isPrefix in
      !isPrefix && DocumentLayout.word(term).map { !context.contains($0.fieldPrefix) } ?? false
    }
    query = .or(words.map { .term($0.term) } + (plan.keyQuery.map { [$0] } ?? []))
  }

  /// The identities of those of some documents that have such words.
  func matching(_ documents: Query, in view: SearchView) throws -> Set<[UInt8]> {
    Set(try view.matches(of: view.visible(.and([query, documents]))).map(\.identity))
  }
}
