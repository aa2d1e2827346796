internal import IndexDefinitions
package import PersistentStore
package import SearchIndex

/// The serving generation, open for reading. It looks at the stub before each query.
package final class OpenIndex {
  private let directory: IndexDirectory
  private var opened: (generation: IndexDirectory.Generation, reader: IndexReader, state: IndexState)
  package private(set) var fields: FieldTable
  /// Whether nothing was asked since it was opened.
  private var isFresh = true

  package var generation: Int { opened.generation.number }
  package var reader: IndexReader { opened.reader }
  package var state: IndexState { opened.state }

  /// - Throws: `IndexError.missing`, `.corrupt`, `.foreign`.
  package init(directory: IndexDirectory, layout: StoreLayout) throws {
    self.directory = directory
    opened = try Self.open(directory)
    fields = FieldTable(definition: opened.state.definition, model: layout.shape)
  }

  /// Moves to the newest revision of the generation that serves now.
  package func refresh(layout: StoreLayout) throws {
    if isFresh {
      isFresh = false
    } else if try directory.serving() == opened.generation {
      try opened.reader.reopen()
      opened.state = try IndexState.read(opened.reader)
    } else {
      opened = try Self.open(directory)
      fields = FieldTable(definition: opened.state.definition, model: layout.shape)
    }
  }

  private static func open(
    _ directory: IndexDirectory
  ) throws -> (generation: IndexDirectory.Generation, reader: IndexReader, state: IndexState) {
    // A flip and the removal of an old generation may fall between the look at the stub and the opening.
    for _ in 0..<2 {
      guard let serving = try directory.serving() else { throw IndexError.missing(directory) }
      if let found = try? open(serving) { return found }
    }
    guard let serving = try directory.serving() else { throw IndexError.missing(directory) }
    return try open(serving)
  }

  private static func open(
    _ serving: IndexDirectory.Generation
  ) throws -> (generation: IndexDirectory.Generation, reader: IndexReader, state: IndexState) {
    let reader = try IndexReader(path: serving.path)
    let state = try IndexState.read(reader)
    try reader.setStemmer(state.definition.language)
    return (serving, reader, state)
  }

  /// The names under which the strings inside a JSON field can be searched: `people.name`.
  func keys(of field: FieldTable.Field) throws -> [String] {
    var found: [String] = []
    var from = Array("XT\(field.letters).".utf8)
    let beginning = from
    while found.count < 200, let term = try reader.term(atOrAfter: from), term.starts(with: beginning) {
      guard let colon = term.firstIndex(of: UInt8(ascii: ":")) else { break }
      found.append(field.name + "." + String(decoding: term[beginning.count..<colon], as: UTF8.self))
      from = Array(term[..<colon]) + [UInt8(ascii: ":") + 1]
    }
    return found
  }
}
