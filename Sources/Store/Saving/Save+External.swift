// SPDX-License-Identifier: MIT

internal import SQLite

/// External storage of a save.
extension Save {
  /// Returns the column values, and writes the files for large values. Values of a wrong type are returned unchanged.
  func stored(_ values: [Value?], _ entity: EntityLayout) throws -> [Value?] {
    guard !entity.externalAttributes.isEmpty else { return values }
    var stored = values
    for index in entity.externalAttributes {
      stored[index] = try self.stored(values[index] ?? entity.defaults[index])
    }
    return stored
  }

  func stored(_ value: Value) throws -> Value {
    guard case .blob(let bytes) = value else { return value }
    guard bytes.count > ExternalValue.limit, let changes = externalChanges() else {
      return .blob(ExternalValue.stored(inline: bytes))
    }
    return .blob(ExternalValue.stored(file: try changes.add(bytes)))
  }

  /// Deletes the file of a column's value, if it has one, with the commit.
  func drop(_ stored: Value) throws {
    guard case .blob(let bytes) = stored, case .file(let name) = ExternalValue(bytes) else { return }
    try externalChanges()?.drop(name)
  }

  /// Runs `body`. If it throws, the files that it wrote are removed.
  func removingFilesOnError<Result>(_ body: () throws -> Result) throws -> Result {
    let before = external?.count ?? 0
    do { return try body() } catch {
      external?.removeAdded(downTo: before)
      throw error
    }
  }
}
