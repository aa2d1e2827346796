// SPDX-License-Identifier: MIT

internal import Base

/// A text for each store of a group: `films=12,music=7`. Commas, equals signs and percent signs in names are percent-encoded.
struct StoreList {
  let entries: [(store: String, text: String)]

  init(_ entries: [(store: String, text: String)]) { self.entries = entries }

  /// nil for text of any other form.
  init?(_ text: String) {
    var entries: [(store: String, text: String)] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let sign = part.firstIndex(of: "="), sign != part.startIndex else { return nil }
      entries.append((Self.unquoted(String(part[..<sign])), String(part[part.index(after: sign)...])))
    }
    guard !entries.isEmpty else { return nil }
    self.entries = entries
  }

  var description: String { entries.map { "\(Self.quoted($0.store))=\($0.text)" }.joined(separator: ",") }

  private static let quotes = [("%", "%25"), (",", "%2c"), ("=", "%3d")]

  private static func quoted(_ name: String) -> String {
    quotes.reduce(name) { $0.replacing($1.0, with: $1.1) }
  }

  private static func unquoted(_ name: String) -> String {
    quotes.reversed().reduce(name) { $0.replacing($1.1, with: $1.0) }
  }
}

/// A transaction of the only store, `12`, or one of each store of a group, `films=12,music=7`.
package struct StoreTokens: Equatable, Sendable {
  /// Of the only store, or 0 for the beginning of all stores.
  private let number: Int64?
  private let numbers: [String: Int64]

  package init(_ number: Int64) { self.init(number, [:]) }
  init(_ numbers: [String: Int64]) { self.init(nil, numbers) }

  private init(_ number: Int64?, _ numbers: [String: Int64]) { (self.number, self.numbers) = (number, numbers) }

  /// nil for text of any other form.
  package init?(_ text: String) {
    if let number = Int64(text), number >= 0 {
      self.init(number)
      return
    }
    guard let list = StoreList(text) else { return nil }
    var numbers: [String: Int64] = [:]
    for (store, text) in list.entries {
      guard let number = Int64(text), number >= 0, numbers.updateValue(number, forKey: store) == nil else { return nil }
    }
    self.init(nil, numbers)
  }

  /// The transaction of a store.
  ///
  /// - Parameter store: Its name in the group; nil for the only store.
  /// - Returns: nil if the store is not named.
  package func number(of store: String?) -> Int64? {
    guard let store else { return number }
    return numbers[store] ?? (number == 0 ? 0 : nil)
  }

  /// Refuses a number without the name of a store in a group, and a name that no store of the group has.
  ///
  /// - Parameter stores: The names of the stores of the group; empty for the only store.
  /// - Throws: `OperationError.usage`.
  package func check(in stores: [String]) throws {
    if stores.isEmpty {
      guard number == nil else { return }
      throw OperationError(.usage, "there is no group, so a token is a number, not \(StoreList(list).description)")
    }
    if let number, number != 0 {
      throw OperationError(
        .usage, "transaction \(number) belongs to one store, not to a group", recovery: .tokensOfStores(stores))
    }
    if let other = numbers.keys.sorted().first(where: { !stores.contains($0) }) {
      throw OperationError(.usage, "the group has no store '\(other)'", recovery: .knownNames(stores))
    }
  }

  private var list: [(store: String, text: String)] {
    numbers.sorted { $0.key < $1.key }.map { ($0.key, String($0.value)) }
  }
}
