// SPDX-License-Identifier: MIT

package import SQLite

#if canImport(Glibc)
  internal import Glibc
#endif

/// Reads and cleans up external storage: large values in files of their own.
extension PersistentStore {
  /// Returns the value of an attribute with external storage. Statements return what its column contains.
  ///
  /// - Throws: `StoreError.unreadable` if the value's file does not exist.
  package func contents(of stored: Value) throws -> Value {
    guard case .blob(let bytes) = stored, case .file(let name) = ExternalValue(bytes), let externalFiles else {
      return Self.contents(inline: stored) ?? stored
    }
    return .blob(try externalFiles.read(name))
  }

  /// The value if the column itself contains it; nil if it is in a file, which `contents(of:)` reads.
  package static func contents(inline stored: Value) -> Value? {
    guard case .blob(let bytes) = stored else { return stored }
    switch ExternalValue(bytes) {
    case .inline(let value): return .blob(Array(value))
    case .file: return nil
    case nil: return stored
    }
  }

  /// Replaces column values by the values of attributes with external storage.
  func fetchContents(of values: inout [Value], _ entity: EntityLayout) throws {
    for index in entity.externalAttributes { values[index] = try contents(of: values[index]) }
  }

  /// Whether a column's value represents `value`.
  func holds(_ stored: Value, _ value: Value) throws -> Bool {
    guard case .blob(let bytes) = stored, case .file(let name) = ExternalValue(bytes), case .blob(let wanted) = value
    else { return try contents(of: stored) == value }
    guard externalFiles?.size(name) == wanted.count else { return false }
    return try contents(of: stored) == value
  }

  /// The names of all files that rows refer to.
  func externalNames() throws -> Set<String> {
    var names: Set<String> = []
    for entity in layout.entities {
      for index in entity.externalAttributes { names.formUnion(try externalNames(entity, index).map(\.name)) }
    }
    return names
  }

  /// The rows of an entity, without its subentities, that refer to files for an attribute.
  func externalNames(_ entity: EntityLayout, _ attribute: Int) throws -> [(key: Int64, name: String)] {
    let column = entity.quotedColumn(attribute)
    return try connection.mapRows(
      """
      SELECT Z_PK, \(column) FROM \(entity.quotedTable) \
      WHERE \(ExternalValue.namesFile(column))\(entity.entityCondition)
      """
    ) { row -> (key: Int64, name: String)? in
      guard case .file(let name) = ExternalValue(Array(row.bytes(at: 1))) else { return nil }
      return (row.integer(at: 0), name)
    }.compactMap(\.self)
  }

  /// Removes the files of interrupted saves. If another process is saving, the next opening does it.
  func settleExternals() throws {
    guard let externalFiles, layout.entities.contains(where: { !$0.externalAttributes.isEmpty }),
      !externalFiles.journals(ofStore: uuid).isEmpty, try connection.beginWriteIfFree()
    else { return }
    defer { connection.rollback() }
    // No save is open now, so journaled files are unused unless a row refers to them.
    let journals = externalFiles.journals(ofStore: uuid)
    let used = try externalNames()
    for journal in journals {
      for name in journal.names where !used.contains(name) { externalFiles.remove(name) }
      unlink(journal.path)
    }
  }

  /// Removes a store's external files. Does nothing if the store cannot be read any more.
  static func removeExternals(_ path: String) {
    guard let store = try? open(path), let files = store.externalFiles, let names = try? store.externalNames() else {
      return
    }
    for name in names { files.remove(name) }
    for journal in files.journals(ofStore: store.uuid) {
      for name in journal.names { files.remove(name) }
      unlink(journal.path)
    }
    files.removeEmptyDirectories()
  }
}
