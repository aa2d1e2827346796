package import SQLite

#if canImport(Glibc)
  internal import Glibc
#endif

/// Long values in files of their own.
extension PersistentStore {
  /// The value that an attribute with external storage has, of what its column holds: statements read the latter.
  ///
  /// - Throws: `StoreError.unreadable` where the value's file is not there.
  package func contents(of stored: Value) throws -> Value {
    guard case .blob(let bytes) = stored, case .file(let name) = ExternalValue(bytes), let externalFiles else {
      return Self.contents(inline: stored) ?? stored
    }
    return .blob(try externalFiles.read(name))
  }

  /// The value where the column itself holds it; nil where it is in a file, which `contents(of:)` reads.
  package static func contents(inline stored: Value) -> Value? {
    guard case .blob(let bytes) = stored else { return stored }
    switch ExternalValue(bytes) {
    case .inline(let value): return .blob(Array(value))
    case .file: return nil
    case nil: return stored
    }
  }

  /// Replaces what columns hold by the attributes' values.
  func fetchContents(of values: inout [Value], _ entity: EntityLayout) throws {
    for index in entity.externalAttributes { values[index] = try contents(of: values[index]) }
  }

  /// Whether a column holds this value.
  func holds(_ stored: Value, _ value: Value) throws -> Bool {
    guard case .blob(let bytes) = stored, case .file(let name) = ExternalValue(bytes), case .blob(let wanted) = value
    else { return try contents(of: stored) == value }
    guard externalFiles?.size(name) == wanted.count else { return false }
    return try contents(of: stored) == value
  }

  /// The files that rows name.
  func externalNames() throws -> Set<String> {
    var names: Set<String> = []
    for entity in layout.entities {
      for index in entity.externalAttributes { names.formUnion(try externalNames(entity, index).map(\.name)) }
    }
    return names
  }

  /// The rows of an entity, not of its sub-entities, that name files for an attribute.
  func externalNames(_ entity: EntityLayout, _ attribute: Int) throws -> [(key: Int64, name: String)] {
    let column = entity.quotedColumn(attribute)
    let statement = try connection.statement(
      """
      SELECT Z_PK, \(column) FROM \(entity.quotedTable) \
      WHERE \(ExternalValue.namesFile(column))\(entity.entityCondition)
      """)
    defer { statement.reset() }
    var found: [(key: Int64, name: String)] = []
    while try statement.step() {
      if case .file(let name) = ExternalValue(Array(statement.bytes(at: 1))) {
        found.append((statement.integer(at: 0), name))
      }
    }
    return found
  }

  /// Removes what interrupted saves left beside the store, unless another process is saving: then the next opening
  /// does.
  func settleExternals() throws {
    guard let externalFiles, layout.entities.contains(where: { !$0.externalAttributes.isEmpty }),
      !externalFiles.notes(ofStore: uuid).isEmpty, try connection.beginWriteIfFree()
    else { return }
    defer { connection.rollback() }
    // No save is open now: what is noted belongs to no one, but for what rows name.
    let notes = externalFiles.notes(ofStore: uuid)
    let used = try externalNames()
    for note in notes {
      for name in note.names where !used.contains(name) { externalFiles.remove(name) }
      unlink(note.path)
    }
  }

  /// Removes a store's external files. Nothing happens where the store cannot be read any more.
  static func removeExternals(_ path: String) {
    guard let store = try? open(path), let files = store.externalFiles, let names = try? store.externalNames() else {
      return
    }
    for name in names { files.remove(name) }
    for note in files.notes(ofStore: store.uuid) {
      for name in note.names { files.remove(name) }
      unlink(note.path)
    }
    files.removeEmptyDirectories()
  }
}
