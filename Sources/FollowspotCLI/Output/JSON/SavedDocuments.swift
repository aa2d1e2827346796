// SPDX-License-Identifier: MIT

internal import Watching

/// A saved search in `saved add` and `saved list`.
struct SavedSearchDocument: Encodable {
  let name: String
  let query: String
  let kinds: [String]
  let limit: Int?
  let created: String
  /// How it is watched: `changes` or `anew`; nil if the search is not valid.
  let evaluation: String?
  let dependsOn: [String]
  /// The process that watches it.
  var watcher: Int?
  /// Why it cannot be evaluated.
  var error: String?
  let sentence: String

  private enum CodingKeys: CodingKey {
    case name, query, kinds, limit, created, evaluation, dependsOn, watcher, error
  }

  init(_ search: SavedSearch, dependences: Set<SavedSearch.Dependence>?) {
    (name, query, kinds, limit) = (search.name, search.query, search.kinds, search.limit)
    created = search.created
    evaluation = dependences.map { $0.isEmpty ? "changes" : "anew" }
    dependsOn = SavedSearch.Dependence.allCases.filter { dependences?.contains($0) == true }.map(\.rawValue)
    sentence = dependences?.sentence ?? ""
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(query, forKey: .query)
    try container.encode(kinds, forKey: .kinds)
    try container.encode(limit, forKey: .limit)
    try container.encode(created, forKey: .created)
    try container.encode(evaluation, forKey: .evaluation)
    try container.encode(dependsOn, forKey: .dependsOn)
    try container.encode(watcher, forKey: .watcher)
    try container.encode(error, forKey: .error)
  }
}

/// The output of `saved list --format json`.
struct SavedSearchesDocument: Encodable {
  let format = FormatVersion.current
  let saved: [SavedSearchDocument]
}
