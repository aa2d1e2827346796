// SPDX-License-Identifier: MIT

internal import PersistentStore
internal import SQLite

/// Data that is read when it is asked for.
class DeferredData {
  /// - Throws: `SwiftDataError.readFailure` where it cannot be read.
  func load() throws -> Value { fatalError("deferred data is read by its store") }
}

/// Data that may be in a file.
final class ExternalDataCoder: TypedCoder<Data> {
  init(name: String) {
    super.init(Data.self, columns: [Column(name: name, type: .data, isOptional: false)])
  }

  override var isExternal: Bool { true }

  override func slot(_ value: Data) -> Slot { .column(value.column) }

  override func decode(_ slot: inout Slot) throws -> Data {
    if case .boxed(let file) = slot {
      // Of an object that is gone nothing is left.
      let value = try unsafeDowncast(file, to: DeferredData.self).load()
      slot = .column(value.isNull ? Data().column : value)
    }
    guard case .column(let value) = slot, let data = Data(column: value) else {
      throw UndecodableValue(type: Data.self)
    }
    return data
  }

  override func refuses(_ slot: Slot) -> Bool {
    switch slot {
    case .boxed: false
    case .column(let value): Data(column: value) == nil
    default: true
    }
  }

  override func encoded(_ slot: Slot) throws -> [Value] {
    switch slot {
    case .boxed(let file): [try unsafeDowncast(file, to: DeferredData.self).load()]
    case .column(let value): [value]
    default: [.null]
    }
  }
}
