// SPDX-License-Identifier: MIT

internal import SearchIndex

/// What a view knows about the other stores of its group.
package struct GroupContext {
  /// Whether another index of the group has words under keys of a JSON field, such as `people.name`, or also below them.
  typealias KeyLookup = (_ name: String, _ orBelow: Bool) throws -> Bool

  let hasKeys: KeyLookup?
  /// The names of the stores, in the order of the group.
  let stores: [String]
  /// The name of the store of the view; nil if the view has the documents of several.
  let store: String?
  private let documents: ((Int) -> Query?)?

  /// The context of one store of a group.
  ///
  /// - Parameters:
  ///   - stores: The names of all stores, in the order of the group.
  ///   - number: The index of the store of the view.
  init(_ stores: [String], number: Int, hasKeys: KeyLookup?) {
    (self.stores, self.hasKeys, store, documents) = (stores, hasKeys, stores[number], nil)
  }

  /// The context of a view with the documents of several stores.
  ///
  /// - Parameter documents: Finds the documents of the store with that index; nil if they cannot be told from others.
  init(_ stores: [String], hasKeys: KeyLookup?, documents: @escaping (Int) -> Query?) {
    (self.stores, self.hasKeys, self.documents, store) = (stores, hasKeys, documents, nil)
  }

  /// The index of the store with a name, without regard to case; nil if there is none.
  func number(of name: String) -> Int? {
    stores.firstIndex(of: name) ?? stores.firstIndex { $0.lowercased() == name.lowercased() }
  }

  /// Finds the documents of a store; nil if they cannot be told from those of others.
  func documents(of number: Int) -> Query? {
    guard let documents else { return stores[number] == store ? .everything : .nothing }
    return documents(number)
  }
}
