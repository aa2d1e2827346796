internal import SQLite

/// Long values of a save.
extension Save {
  /// What the columns take in place of the values; files are written for it. Values of a wrong type stay.
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

  /// The column's value is gone with the commit, and so is its file.
  func drop(_ stored: Value) throws {
    guard case .blob(let bytes) = stored, case .file(let name) = ExternalValue(bytes) else { return }
    try externalChanges()?.drop(name)
  }

  /// Runs `body`; where it throws, the files that it made necessary are taken back.
  func takingBackFiles<Result>(_ body: () throws -> Result) throws -> Result {
    let before = external?.count ?? 0
    do { return try body() } catch {
      external?.takeBack(to: before)
      throw error
    }
  }
}
