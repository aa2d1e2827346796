// SPDX-License-Identifier: MIT

/// The values that a delete preserved: those of attributes with `.preserveValueOnDeletion`.
public struct HistoryTombstone<Model: PersistentModel>: Sequence, @unchecked Sendable {
  // Unchecked: the values are immutable, as `DataStoreSnapshotValue` asks.

  private let values: [(index: Int, value: any Sendable)]

  init(_ values: [(index: Int, value: any Sendable)]) { self.values = values }

  /// The preserved value; nil for an attribute that is not preserved, and where it was nil.
  public subscript(keyPath: PartialKeyPath<Model>) -> (any Sendable)? {
    guard let index = ModelType.of(Model.self).index(of: keyPath) else { return nil }
    return values.first { $0.index == index }?.value
  }

  /// Iterates over the preserved values.
  public func makeIterator() -> AnyIterator<Any> {
    var rest = values.makeIterator()
    return AnyIterator { rest.next()?.value }
  }
}
