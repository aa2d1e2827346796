// SPDX-License-Identifier: MIT

public import Followspot
public import SwiftData

extension SearchQuery {
  /// A query among the objects of some classes.
  ///
  /// - Parameters:
  ///   - text: In the query language of `followspot search`.
  ///   - model: A class. Objects of its subclasses are found too.
  ///   - others: Further classes.
  public init(_ text: String, in model: any PersistentModel.Type, _ others: any PersistentModel.Type...) {
    self.init(text, kinds: ([model] + others).map { $0.entityName })
  }
}

extension PersistentModel {
  /// The name of the entity in the store.
  static var entityName: String { Schema.entityName(for: Self.self) }
}
