// SPDX-License-Identifier: MIT

internal import FoundationEssentials
internal import SQLite
internal import SearchIndex

/// Parses JSON objects into records, with SQLite's JSON functions.
final class JSONRecordParser {
  private let connection: Connection

  init() throws { connection = try Connection(path: ":memory:", access: .create) }

  /// - Throws: `BadLine` for text that is not an object.
  func record(_ text: UnsafeRawBufferPointer, line: Int) throws -> InputRecord {
    guard text.first(where: { $0 != 0x20 && $0 != 0x09 }) == UInt8(ascii: "{") else {
      throw BadLine(line: line, reason: "a JSON object is needed, { … }")
    }
    guard isValidUTF8(text) else { throw BadLine.encoding(line: line) }
    guard !text.contains(0) else { throw BadLine.holdsNUL(line: line) }
    // SQLite truncates a string at an escaped NUL, so the strings of such a line are read as JSON and decoded here.
    let holdsNUL = JSONStrings.firstEscapedNUL(in: text, from: 0) != nil
    if holdsNUL, Self.hasNameWithNUL(text) { throw BadLine(line: line, reason: "a name holds a NUL character") }
    let strings = holdsNUL ? "CASE type WHEN 'text' THEN ?1 -> fullkey ELSE value END" : "value"
    let statement = try connection.statement("SELECT key, type, \(strings) FROM json_each(?1)")
    defer { statement.reset() }
    do {
      try statement.bind(utf8: text, at: 1)
    } catch {
      guard error.isTooBig else { throw error }
      throw BadLine(line: line, reason: "\(text.count) bytes are too long")
    }
    var record = InputRecord(fields: [], line: line)
    var indices: [String: Int] = [:]
    do {
      while try statement.step() {
        let name = statement.text(at: 0)
        let value = value(of: statement, holdsNUL: holdsNUL)
        if case .real(let number) = value, !number.isFinite {
          throw BadLine(line: line, reason: "the number in \(name) is too large")
        }
        if let index = indices.updateValue(record.fields.count, forKey: name) {
          record.fields[index].value = value
          indices[name] = index
        } else {
          record.fields.append((name, value))
        }
      }
    } catch let error as SQLiteError {
      guard error.isStatementError else { throw error }
      throw BadLine(line: line, reason: Self.fault(in: text))
    }
    return record
  }

  /// The elements of a JSON array.
  func elements(_ json: String) throws -> [FieldValue] {
    let statement = try connection.statement("SELECT key, type, value FROM json_each(?1)")
    defer { statement.reset() }
    try statement.bind(json, at: 1)
    var elements: [FieldValue] = []
    while try statement.step() { elements.append(value(of: statement, holdsNUL: false)) }
    return elements
  }

  private func value(of statement: Statement, holdsNUL: Bool) -> FieldValue {
    switch statement.text(at: 1) {
    case "null": return .null
    case "true": return .bool(true)
    case "false": return .bool(false)
    case "integer", "real":
      // SQLite returns integers beyond 64 bits as reals.
      return statement.storageClass(at: 2) == .integer
        ? .integer(statement.integer(at: 2)) : .real(statement.double(at: 2))
    case "text":
      let text = statement.text(at: 2)
      guard holdsNUL else { return .text(text) }
      return .text((try? JSONDecoder().decode(String.self, from: Data(text.utf8))) ?? text)
    default: return .json(statement.text(at: 2))
    }
  }

  /// Whether a name holds an escaped NUL, at which SQLite would truncate it.
  private static func hasNameWithNUL(_ text: UnsafeRawBufferPointer) -> Bool {
    let names = try? JSONDecoder().decode([String: AnyJSON].self, from: Data(text)).keys
    return names?.contains { $0.utf8.contains(0) } == true
  }

  /// The reason why the text is invalid. SQLite reports only that it is malformed, so a second parser finds the
  /// position.
  private static func fault(in text: UnsafeRawBufferPointer) -> String {
    do {
      _ = try JSONDecoder().decode(AnyJSON.self, from: Data(text))
    } catch DecodingError.dataCorrupted(let context) {
      let cause = context.underlyingError.map { ": " + String(describing: $0).prefix(200) }
      return "the text is not valid JSON\(cause ?? "")"
    } catch {}
    return "the text is not valid JSON"
  }
}
