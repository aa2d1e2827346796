// SPDX-License-Identifier: MIT

import TestSupport
import Testing

/// Films with a studio and a cast, in a store that is created from a model file.
enum RelatedFilms {
  static let model = """
    {"entities": [
      {"name": "Film",
       "attributes": [{"name": "title", "type": "string"}, {"name": "year", "type": "integer64", "optional": true}],
       "relationships": [
         {"name": "studio", "destination": "Studio", "inverse": "films"},
         {"name": "cast", "destination": "Person", "toMany": true, "ordered": true, "inverse": "films"}]},
      {"name": "Studio", "attributes": [{"name": "name", "type": "string"}],
       "relationships": [
         {"name": "films", "destination": "Film", "toMany": true, "inverse": "studio", "deleteRule": "deny"}]},
      {"name": "Person", "attributes": [{"name": "name", "type": "string"}],
       "relationships": [{"name": "films", "destination": "Film", "toMany": true, "inverse": "cast"}]},
      {"name": "Star", "superentity": "Person",
       "attributes": [{"name": "agent", "type": "string", "optional": true}]}]}
    """

  static let definition = """
    {"stopWords": [], "entities": {
      "Film": {"title": "title", "fields": [
        {"name": "title", "roles": ["text"]},
        {"name": "studio", "path": "studio.name", "roles": ["text", "facet"]},
        {"name": "cast", "path": "cast.name", "roles": ["text"]}]},
      "Person": {"title": "name", "fields": [{"name": "name", "roles": ["text"]}]},
      "Star": {"title": "name", "fields": [{"name": "name", "roles": ["text"]}]}}}
    """

  static let films = """
    {"title": "Toy Story", "year": 1995, "studio": "Studio/p1", "cast": ["Person/p2", "Person/p1"]}
    {"title": "Ponyo", "studio": null, "cast": "Star/p2"}

    """
}

extension ShellFixture {
  /// Studios 1 and 2, person 1, star 2 and two films, indexed by a definition that follows relationships.
  static func relatedFilms(isIndexed: Bool = true) throws -> ShellFixture {
    let bench = ShellFixture.empty()
    let model = try bench.directory.write(RelatedFilms.model, to: "model.json")
    try #require(try bench.shell.run("migrate", model).code == 0)
    try bench.importRecords("{\"name\": \"Pixar\"}\n{\"name\": \"Ghibli\"}\n", options: ["--kind", "Studio"])
    try bench.importRecords("{\"name\": \"Ann\"}\n", options: ["--kind", "Person"])
    try bench.importRecords("{\"name\": \"Tom\", \"agent\": \"CAA\"}\n", options: ["--kind", "Star"])
    let films = try bench.importRecords(RelatedFilms.films, options: ["--kind", "Film"])
    try #require(films.code == 0, "\(films)")
    if isIndexed {
      let definition = try bench.directory.write(RelatedFilms.definition, to: "definition.json")
      let indexed = try bench.shell.run("index", "--definition", definition)
      try #require(indexed.code == 0, "\(indexed)")
    }
    return bench
  }

  /// Runs `migrate` with the model that `schema` prints, after some texts in it were replaced.
  @discardableResult
  func migrate(_ replacements: KeyValuePairs<String, String>, _ options: String...) throws -> Shell.Outcome {
    var model = try shell.run("schema").output
    for (old, new) in replacements {
      try #require(model.contains(old), "\(old) is not in \(model)")
      model = model.replacing(old, with: new)
    }
    return try shell.run(["migrate", try directory.write(model, to: "edited.json")] + options)
  }
}
