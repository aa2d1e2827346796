// SPDX-License-Identifier: MIT

import Base
import Followspot
import Foundation
import SQLite
import Store
import TestSupport
import Testing

@testable import SearchIndex

/// Names with SQL in them: they are refused or quoted, and never executed.
@Suite(.overlapping, .temporaryDirectory)
struct InjectionTests {
  private let directory = TemporaryDirectory()

  /// All tables, indexes and triggers, as SQL text.
  private func schema(_ path: String) throws -> [String] {
    let cursor = try Connection(path: path, access: .readOnly).cursor(
      "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_master ORDER BY 1")
    var found: [String] = []
    while try cursor.step() { found.append(cursor.text(at: 0)) }
    return found
  }

  private func model(_ hostile: inout HostileValues) -> ModelDescription {
    let types: [AttributeType] = [.string, .integer64, .double, .json, .strings, .date, .boolean]
    var names = Set<String>()
    func name(_ hostile: inout HostileValues) -> String {
      var name = hostile.pick(HostileValues.injections)
      if hostile.number(0...2) == 0 { name += hostile.pick(HostileValues.injections) }
      if hostile.number(0...19) == 0 { name = hostile.text() }
      while !names.insert(name).inserted { name += "\(hostile.number(0...9))" }
      return name
    }
    var film = EntityDescription(hostile.pick(["Film", "Select", "Order", "ORDER", "Table", "Film", "Фильм", "Ｆｉｌｍ"]))
    film.attributes = (0..<hostile.number(1...6)).map { _ in
      AttributeDescription(
        name(&hostile), hostile.pick(types), isOptional: true,
        options: hostile.number(0...3) == 0 ? [.preserveValueOnDeletion] : [])
    }
    if hostile.number(0...2) == 0 {
      film.composites = [
        CompositeDescription(
          name(&hostile),
          elements: (0..<hostile.number(1...2)).map { _ in
            AttributeDescription(name(&hostile), .string, isOptional: true)
          })
      ]
    }
    let back = name(&hostile)
    film.relationships = [
      RelationshipDescription(name(&hostile), to: "Group", isToMany: hostile.number(0...1) == 0, inverse: back),
      RelationshipDescription(name(&hostile), to: film.name, isToMany: hostile.number(0...1) == 0),
    ]
    let group = EntityDescription(
      "Group", attributes: [AttributeDescription(name(&hostile), .string, isOptional: true)],
      relationships: [
        RelationshipDescription(
          back, to: film.name, isToMany: hostile.number(0...1) == 0, inverse: film.relationships[0].name)
      ])
    return ModelDescription(entities: [film, group])
  }

  @Test(arguments: Rounds.groups(24, full: 100, long: 1_000))
  func `a model with hostile names is refused completely, or works like any other`(seeds: [Int]) throws {
    var made = 0
    for seed in seeds {
      var hostile = HostileValues(seed: seed)
      let model = model(&hostile)
      try TemporaryDirectory.with { directory in
        let path = directory.file("films.store")
        let store: PersistentStore
        do {
          store = try PersistentStore.create(path, model: model)
        } catch let error as StoreError {
          #expect(error.code == .invalidModel, "seed \(seed): \(error)")
          #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [], "seed \(seed)")
          return
        }
        made += 1
        try expectOrdinary(store, seed: seed, &hostile)
      }
    }
    print("seeds \(seeds[0])-\(seeds[seeds.count - 1]): \(made) of \(seeds.count) models made")
    #expect(made > 0 || seeds.count < 10)
  }

  private func expectOrdinary(_ store: PersistentStore, seed: Int, _ hostile: inout HostileValues) throws {
    let before = try schema(store.path)
    let group = try #require(store.layout.entity(named: "Group"))
    let film = try #require(store.layout.entities.first { $0.number != group.number })
    let rows = (0..<4).map { _ in film.entity.attributes.map { hostile.value(for: $0) } }
    let authors = (0..<4).map { _ in hostile.pick(HostileValues.injections) }
    var keys: [Int64] = []
    for (values, author) in zip(rows, authors) {
      try store.save(author: author) { save in
        let other = try save.insert(group, [.text(author)])
        keys.append(try save.insert(film, values, related: [0: [other]]).key)
      }
    }
    for (key, values) in zip(keys, rows) {
      let found = try #require(try store.values(of: film, key: key))
      for (left, right) in zip(found, values) {
        #expect(Value.isSame(left, right), "seed \(seed): \(left) \(right)")
      }
    }
    let index = IndexDirectory(path: store.path + ".index")
    try Indexer(Indexer.Options(storePath: store.path, directory: index)).catchUp()
    try store.save { try $0.delete(film, key: keys[3]) }
    try Indexer(Indexer.Options(storePath: store.path, directory: index)).catchUp()
    #expect(try Verify(storePath: store.path, directory: index).run(isQuick: false).isEqual, "seed \(seed)")
    let searcher = try Searcher(storePath: store.path, directory: index)
    for attribute in film.entity.attributes {
      for query in ["\(attribute.name):x", "\(attribute.name):1..2", "\"\(attribute.name)\":\"x\"", attribute.name] {
        // A query of such a name may be none; it is an error with a place then.
        do { _ = try searcher.search(SearchRequest(query: query)) } catch is QueryError {}
      }
      var literal = SearchRequest(query: attribute.name)
      literal.isLiteral = true
      do { _ = try searcher.search(literal) } catch is QueryError {}
    }
    #expect(try schema(store.path) == before, "seed \(seed)")
    let counts = [try store.count(of: film), try store.count(of: group)]
    #expect(counts == [3, 4], "seed \(seed)")
    try expectMigrated(store.path, seed: seed, &hostile)
  }

  /// A renamed attribute keeps its values, whatever its new name is.
  private func expectMigrated(_ path: String, seed: Int, _ hostile: inout HostileValues) throws {
    let store = try PersistentStore.open(path, access: .readWrite)
    var model = store.model
    let index = try #require(model.entities.firstIndex { $0.name != "Group" })
    let old = model.entities[index].attributes[0]
    let rows = try Connection(path: path, access: .readOnly).integer("SELECT count(*) FROM ATRANSACTION")
    model.entities[index].attributes[0].originalName = old.name
    model.entities[index].attributes[0].name = hostile.pick(HostileValues.injections) + "new"
    do {
      _ = try store.migrate(to: model)
    } catch let error as StoreError {
      #expect(error.code == .invalidModel, "seed \(seed): \(error)")
      return
    }
    let after = try PersistentStore.open(path)
    let film = try #require(after.layout.entity(named: model.entities[index].name))
    #expect(try after.count(of: film) == 3, "seed \(seed)")
    let later = try Connection(path: path, access: .readOnly).integer("SELECT count(*) FROM ATRANSACTION")
    #expect(later ?? 0 >= rows ?? 0)
    let name = model.entities[index].attributes[0].name
    #expect(film.entity.attributes.contains { $0.name == name }, "seed \(seed)")
  }

  @Test func `names from the command line and from files are refused or quoted`() throws {
    let bench = try IndexedStore(in: directory, seed: 1, films: 12)
    let shell = Shell(in: directory)
    #expect(try shell.run("index").code == 0)
    let before = try schema(bench.storePath)
    let count = Rounds.count(12, long: HostileValues.injections.count)
    let names = HostileValues.injections.filter { !$0.utf8.contains(0) }
    for (at, name) in names.enumerated() where at % max(1, names.count / count) == 0 {
      try shell.runInContract(["search", "--", "\(name):x"], codes: [0, 1, 2], name)
      try shell.runInContract(["set", "Film/p1", "\(name)=x", "--author", name], codes: [0, 2], name)
      try shell.runInContract(["set", "Film/p2", "title=\(name)", "--author", name], codes: [0], name)
      let shown = try shell.runInContract(
        ["history", "-n", "100", "--author", name, "--format", "ndjson"], codes: [0, 1], name)
      #expect(shown.lines.count >= 1 || name.isEmpty, "\(name): \(shown)")
      try shell.runInContract(["search", "*", "--fields=\(name)"], codes: [0, 1, 2], name)
      try shell.runInContract(["search", "*", "--kind=\(name)"], codes: [2], name)
    }
    #expect(try schema(bench.storePath) == before)
    #expect(try shell.run("count", "*").output == "12\n")
    // A store made of a file whose fields have such names.
    let fields = names.filter { !$0.isEmpty && !$0.contains("\t") }
    let record = Dictionary(uniqueKeysWithValues: Set(fields).map { ($0, "value of \($0)") })
    let file = try directory.write(
      String(decoding: try JSONSerialization.data(withJSONObject: record), as: UTF8.self) + "\n", to: "names.jsonl")
    let other = directory.file("other.store")
    let imported = try shell.runInContract(
      ["--store", other, "import", file, "--kind", "Film"], codes: [0, 2], "import")
    guard imported.code == 0 else { return }
    let plain = directory.file("plain.store")
    #expect(
      try shell.run(
        ["--store", plain, "import", "-", "--input-format", "jsonl", "--kind", "Film"], input: "{\"a\":\"b\"}\n"
      ).code == 0)
    #expect(try schema(other).count == schema(plain).count)
    try shell.runInContract(["--store", other, "index"], codes: [0], "import")
    try shell.runInContract(["--store", other, "verify"], codes: [0], "import")
    let found = try shell.runInContract(
      ["--store", other, "show", "Film/p1", "--format", "ndjson"], codes: [0], "import")
    let shown = try #require(try JSONSerialization.jsonObject(with: Data(found.output.utf8)) as? [String: Any])
    #expect(shown["fields"] as? [String: String] == record)
  }
}

extension Value {
  /// Equal as SQLite keeps it.
  fileprivate static func isSame(_ left: Value, _ right: Value) -> Bool {
    switch (left, right) {
    case (.integer(let whole), .real(let number)), (.real(let number), .integer(let whole)): Double(whole) == number
    case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
    default: left == right
    }
  }
}
