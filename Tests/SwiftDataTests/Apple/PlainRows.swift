// SPDX-License-Identifier: MIT

import Foundation
import SQLite
import SwiftData
import TestSupport
import Testing

/// Rows as a statement of plain SQL gives them, each value as text: the other opinion in tests of `@Model` classes.
func plainRows(_ path: String, _ sql: String) throws -> [String] {
  let statement = try Connection(path: path, access: .readOnly).cursor(sql)
  var rows: [String] = []
  while try statement.step() {
    rows.append((0..<statement.columnCount).map { text(statement.value(at: Int32($0))) }.joined(separator: " | "))
  }
  return rows
}

/// Values of properties in the same form.
func row(_ values: Any?...) -> String { values.map(text).joined(separator: " | ") }

private func text(_ value: Any?) -> String {
  switch value {
  case nil: "-"
  case let value as Value:
    switch value {
    case .null: "-"
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let text): text
    case .blob(let bytes): Data(bytes).base64EncodedString()
    }
  case let flag as Bool: flag ? "1" : "0"
  case let date as Date: "\(date.timeIntervalSinceReferenceDate)"
  case let uuid as UUID: withUnsafeBytes(of: uuid.uuid) { Data($0).base64EncodedString() }
  case let data as Data: data.base64EncodedString()
  case let value?: "\(value)"
  }
}

/// The main file and its log.
func storeBytes(_ path: String) -> [Data?] {
  ["", "-wal"].map { FileManager.default.contents(atPath: path + $0) }
}

extension AppleStore {
  /// A context on a copy of the store that is open for reading, and the path of the copy.
  func read(_ types: any PersistentModel.Type...) throws -> (ModelContext, path: String) {
    let (path, _) = try copy()
    return (ModelContext(try readOnlyContainer(path, types)), path)
  }
}

func readOnlyContainer(_ path: String, _ types: [any PersistentModel.Type]) throws -> ModelContainer {
  try ModelContainer(
    for: Schema(types), configurations: [ModelConfiguration(url: URL(fileURLWithPath: path), allowsSave: false)])
}

/// The key of the object's row.
func keyText(_ identifier: PersistentIdentifier) -> String {
  String(identifier.uriRepresentation.reversed().prefix { $0 != "p" }.reversed())
}
