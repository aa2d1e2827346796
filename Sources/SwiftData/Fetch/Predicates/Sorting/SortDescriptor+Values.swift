// SPDX-License-Identifier: MIT

// Sort descriptors that Foundation has on Apple's systems only. They sort by a value derived from the property, which
// `DerivedOrder` turns into SQL.

extension SortDescriptor {
  /// False comes before true.
  public init(_ keyPath: any KeyPath<Compared, Bool> & Sendable, order: SortOrder = .forward) {
    self.init(sendable(keyPath.appending(path: \Bool.rank)), order: order)
  }

  /// nil comes before false, and false before true.
  public init(_ keyPath: any KeyPath<Compared, Bool?> & Sendable, order: SortOrder = .forward) {
    self.init(sendable(keyPath.appending(path: \Bool?.rank)), order: order)
  }

  /// By text as people of the current locale sort it.
  public init(
    _ keyPath: any KeyPath<Compared, String> & Sendable, comparator: LocalizedComparator, order: SortOrder = .forward
  ) {
    switch comparator.kind {
    case .standard: self.init(sendable(keyPath.appending(path: \String.standardOrder)), order: order)
    case .plain: self.init(sendable(keyPath.appending(path: \String.localizedOrder)), order: order)
    }
  }

  /// By text as people of the current locale sort it; nil comes first.
  public init(
    _ keyPath: any KeyPath<Compared, String?> & Sendable, comparator: LocalizedComparator, order: SortOrder = .forward
  ) {
    switch comparator.kind {
    case .standard: self.init(sendable(keyPath.appending(path: \String?.standardOrder)), order: order)
    case .plain: self.init(sendable(keyPath.appending(path: \String?.localizedOrder)), order: order)
    }
  }
}

/// Comparators of text that know a language's order. `String.StandardComparator` has them on Apple's systems.
public struct LocalizedComparator: Hashable, Sendable {
  enum Kind { case standard, plain }

  let kind: Kind

  /// As file managers sort: without regard to case, and numbers by their value.
  public static let localizedStandard = LocalizedComparator(kind: .standard)
  /// As the current locale sorts words.
  public static let localized = LocalizedComparator(kind: .plain)
}

/// Key paths of properties capture nothing.
func sendable<Root, Value>(_ keyPath: KeyPath<Root, Value>) -> any KeyPath<Root, Value> & Sendable {
  unsafeBitCast(keyPath, to: (any KeyPath<Root, Value> & Sendable).self)
}

/// The values derived from properties by which rows are sorted.
enum DerivedOrder {
  private static let collations: [KeyPathParts.Part: String] = {
    let all: [(keyPath: AnyKeyPath, collation: String)] = [
      (\Bool.rank, ""), (\Bool?.rank, ""),
      (\String.standardOrder, " COLLATE standard"), (\String?.standardOrder, " COLLATE standard"),
      (\String.localizedOrder, " COLLATE localized"), (\String?.localizedOrder, " COLLATE localized"),
    ]
    let pairs = all.compactMap { order in KeyPathParts(order.keyPath).map { ($0.parts[0], order.collation) } }
    return Dictionary(pairs) { first, _ in first }
  }()

  /// What follows the property in ORDER BY; nil for a part of a key path that reads no such value.
  static func collation(_ part: KeyPathParts.Part) -> String? { collations[part] }
}

extension Bool {
  var rank: Int { self ? 1 : 0 }
}

extension Bool? {
  var rank: Int? { self?.rank }
}

extension String {
  var standardOrder: StandardOrder { StandardOrder(text: self) }
  var localizedOrder: LocalizedOrder { LocalizedOrder(text: self) }
}

extension String? {
  var standardOrder: StandardOrder? { self?.standardOrder }
  var localizedOrder: LocalizedOrder? { self?.localizedOrder }
}

/// Text in an order of people.
protocol TextOrder: Comparable {}

/// Text in the order of `localizedStandardCompare`.
struct StandardOrder: TextOrder {
  let text: String

  static func == (left: Self, right: Self) -> Bool { left.text.localizedStandardCompare(right.text) == .orderedSame }
  static func < (left: Self, right: Self) -> Bool {
    left.text.localizedStandardCompare(right.text) == .orderedAscending
  }
}

/// Text in the order of `localizedCompare`.
struct LocalizedOrder: TextOrder {
  let text: String

  static func == (left: Self, right: Self) -> Bool { left.text.localizedCompare(right.text) == .orderedSame }
  static func < (left: Self, right: Self) -> Bool { left.text.localizedCompare(right.text) == .orderedAscending }
}
