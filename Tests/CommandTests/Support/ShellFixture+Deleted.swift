// SPDX-License-Identifier: MIT

import TestSupport
import Testing

extension ShellFixture {
  private static let preserving = #"""
    {"format": 1, "entities": [{"name": "Film", "attributes": [
      {"name": "slug", "type": "string", "options": ["unique", "preserveValueOnDeletion"]},
      {"name": "title", "type": "string", "options": ["preserveValueOnDeletion"]},
      {"name": "year", "type": "integer64", "optional": true, "options": ["preserveValueOnDeletion"]},
      {"name": "plot", "type": "string", "optional": true}]}]}
    """#

  private static let films = #"""
    {"slug": "toy", "title": "Toy Story", "year": 1995, "plot": "A cowboy doll fears a space ranger."}
    {"slug": "toy2", "title": "Toy Story 2", "year": 1999, "plot": "A collector steals the cowboy."}
    {"slug": "up", "title": "Up", "year": 2009, "plot": "An old man flies away in his house."}
    {"slug": "cars", "title": "Cars", "year": 2006, "plot": null}

    """#

  /// An indexed store whose history preserves all values of a deleted film but its plot.
  static func preservedFilms() throws -> ShellFixture {
    let bench = ShellFixture.empty()
    let model = try bench.directory.write(preserving, to: "model.json")
    #expect(try bench.shell.run("migrate", model).code == 0)
    let options = ["--kind", "Film", "--key", "slug", "--author", "importer"]
    let imported = try bench.importRecords(films, options: options)
    #expect(imported.code == 0, "\(imported)")
    #expect(try bench.shell.run("index").code == 0)
    return bench
  }
}
