// SPDX-License-Identifier: MIT

internal import SQLite
internal import Store

/// Data that is read at the first access.
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
      // The row is gone, and its data with it.
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
    guard case .boxed(let file) = slot else { return try super.encoded(slot) }
    return [try unsafeDowncast(file, to: DeferredData.self).load()]
  }
}
