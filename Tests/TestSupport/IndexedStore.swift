// SPDX-License-Identifier: MIT

internal import Foundation
import SQLite
package import SearchIndex
package import Store

/// A generated catalogue and its index in one directory, changed by random saves.
package final class IndexedStore {
  package let directory: TemporaryDirectory
  package let storePath: String
  package let index: IndexDirectory
  package var store: PersistentStore
  package var catalogue: Catalogue
  /// The keys of the existing rows.
  package private(set) var keys: [Int64] = []

  package var film: EntityLayout { store.layout.entities[0] }

  package init(in directory: TemporaryDirectory = TemporaryDirectory(), seed: Int, films: Int = 0) throws {
    self.directory = directory
    storePath = directory.file("films.store")
    index = IndexDirectory(path: storePath + ".index")
    store = try PersistentStore.create(storePath, model: Catalogue.model)
    catalogue = Catalogue(seed: seed)
    if films > 0 { try insert(films) }
  }

  package func options() -> Indexer.Options { Indexer.Options(storePath: storePath, directory: index) }

  @discardableResult
  package func insert(_ count: Int, author: String = "importer") throws -> SaveResult {
    var made: [Int64] = []
    let result = try store.save(author: author) { save in
      for _ in 0..<count { made.append(try save.insert(film, catalogue.film()).key) }
    }
    keys += made
    return result
  }

  /// Makes one save of one to eight random inserts, updates and deletes. Returns the changed rows.
  @discardableResult
  package func saveRandomly() throws -> [Int64] {
    var touched: [Int64] = []
    var now = keys
    try store.save(author: catalogue.pick(["ann", "bob", "cleo"])) { save in
      for _ in 0..<catalogue.number(1...8) {
        switch catalogue.number(0...9) {
        case 0...3:
          let key = try save.insert(film, catalogue.film()).key
          now.append(key)
          touched.append(key)
        case 4...7:
          guard let key = catalogue.pick(now) else { continue }
          let fresh = catalogue.film()
          let attributes = Array(fresh.indices).filter { _ in catalogue.chance(3) }
          try save.update(film, key: key, attributes.map { (attribute: $0, value: fresh[$0] ?? .null) })
          touched.append(key)
        default:
          guard let key = catalogue.pick(now) else { continue }
          try save.delete(film, key: key)
          now.removeAll { $0 == key }
          touched.append(key)
        }
      }
    }
    keys = now
    return touched
  }

  // MARK: Index

  package func dump() throws -> CanonicalDump { try CanonicalDump(of: index) }

  package func state() throws -> IndexState {
    guard let serving = try index.serving() else { throw IndexError.missing(index) }
    return try IndexState.read(path: serving.path)
  }

  /// The text of the document of the present row; nil if there is no row.
  package func expected(_ key: Int64, _ definition: IndexDefinition? = nil) throws -> String? {
    try expected([key], definition)[key]
  }

  /// The same of several rows.
  private func expected(_ keys: [Int64], _ definition: IndexDefinition? = nil) throws -> [Int64: String] {
    let reader = try PersistentStore.open(storePath)
    let definition = try definition ?? ((try? state())?.definition ?? .inferred(from: reader))
    let mapper = try DocumentMapper(definition: definition, layout: reader.layout)
    guard let plan = mapper.plan(ofEntity: film.number) else { return [:] }
    let describer = try describer(definition.language)
    var documents: [Int64: String] = [:]
    for key in keys {
      try reader.withRow(of: film, key: key, attributes: plan.attributes) { row in
        guard let row else { return }
        let document = try mapper.map(row, plan, from: reader).document
        documents[key] = String(decoding: try describer.description(of: document), as: UTF8.self)
      }
    }
    return documents
  }

  /// The dump of an index that equals the store.
  package func expectedDump(_ definition: IndexDefinition? = nil) throws -> CanonicalDump {
    var dump = CanonicalDump()
    for (key, document) in try expected(keys, definition) { dump.documents["Film/p\(key)"] = document }
    return dump
  }

  /// A reader of an empty index: describing a document needs a tokeniser only.
  private func describer(_ language: String) throws -> IndexReader {
    let path = directory.file("describer")
    if !FileManager.default.fileExists(atPath: path) {
      let writer = try IndexWriter(path: path, stemmer: language)
      try writer.begin()
      try writer.commit(metadata: [:])
    }
    return try IndexReader(path: path, stemmer: language)
  }
}
