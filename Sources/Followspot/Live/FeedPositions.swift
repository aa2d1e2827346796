// SPDX-License-Identifier: MIT

/// How far a reader of the feed has read in each store: `12:345` of the only one, `films=12:345,music=7` of a group.
package struct FeedPositions: Equatable, Sendable, CustomStringConvertible {
  private var positions: [(store: String?, position: FeedPosition)]

  init(_ positions: [(store: String?, position: FeedPosition)]) { self.positions = positions }

  /// nil for text of any other form.
  package init?(_ text: String) {
    if let position = FeedPosition(text) {
      positions = [(nil, position)]
      return
    }
    guard let list = StoreList(text) else { return nil }
    positions = []
    for (store, text) in list.entries {
      guard let position = FeedPosition(text), self[store] == nil else { return nil }
      positions.append((store, position))
    }
  }

  /// The position in a store; nil if it is not known.
  subscript(_ store: String?) -> FeedPosition? { positions.first { $0.store == store }?.position }

  /// The names of the stores.
  var stores: [String] { positions.compactMap(\.store) }

  package var description: String {
    if positions.count == 1, positions[0].store == nil { return positions[0].position.description }
    return StoreList(positions.map { ($0.store ?? "", $0.position.description) }).description
  }

  package static func == (one: Self, other: Self) -> Bool { one.description == other.description }
}
