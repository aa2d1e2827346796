// SPDX-License-Identifier: MIT

// Comparisons that `#Predicate` knows and Foundation has on Apple's systems only. The macro calls the functions, whose
// names it gives.

extension PredicateExpressions {
  /// `text.localizedStandardContains(other)`: without regard to case and diacritics.
  public struct StringLocalizedStandardContains<Root: PredicateExpression, Other: PredicateExpression>:
    PredicateExpression
  where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// The comparison is true or false.
    public typealias Output = Bool

    /// The text that is searched.
    public let root: Root
    /// The text that is searched for.
    public let other: Other

    /// Searches one text for another.
    public init(root: Root, other: Other) {
      self.root = root
      self.other = other
    }

    /// Whether the text contains the other.
    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      try bindings.value(of: root).localizedStandardContains(bindings.value(of: other))
    }
  }

  /// What the macro `#Predicate` writes for `localizedStandardContains`.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static func build_localizedStandardContains<Root, Other>(
    _ root: Root, _ other: Other
  ) -> StringLocalizedStandardContains<Root, Other> { StringLocalizedStandardContains(root: root, other: other) }

  /// `text.caseInsensitiveCompare(other)`.
  public struct StringCaseInsensitiveCompare<Root: PredicateExpression, Other: PredicateExpression>: PredicateExpression
  where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// The order of the two texts.
    public typealias Output = ComparisonResult

    /// The first text.
    public let root: Root
    /// The second text.
    public let other: Other

    /// Compares two texts.
    public init(root: Root, other: Other) {
      self.root = root
      self.other = other
    }

    /// The order of the two texts.
    public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
      try bindings.value(of: root).caseInsensitiveCompare(bindings.value(of: other))
    }
  }

  /// What the macro `#Predicate` writes for `caseInsensitiveCompare`.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static func build_caseInsensitiveCompare<Root, Other>(
    _ root: Root, _ other: Other
  ) -> StringCaseInsensitiveCompare<Root, Other> { StringCaseInsensitiveCompare(root: root, other: other) }

  /// `text.localizedCompare(other)`.
  public struct StringLocalizedCompare<Root: PredicateExpression, Other: PredicateExpression>: PredicateExpression
  where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// The order of the two texts.
    public typealias Output = ComparisonResult

    /// The first text.
    public let root: Root
    /// The second text.
    public let other: Other

    /// Compares two texts.
    public init(root: Root, other: Other) {
      self.root = root
      self.other = other
    }

    /// The order of the two texts.
    public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
      try bindings.value(of: root).localizedCompare(bindings.value(of: other))
    }
  }

  /// What the macro `#Predicate` writes for `localizedCompare`.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static func build_localizedCompare<Root, Other>(
    _ root: Root, _ other: Other
  ) -> StringLocalizedCompare<Root, Other> { StringLocalizedCompare(root: root, other: other) }
}

extension PredicateExpressions.StringLocalizedStandardContains: Sendable where Root: Sendable, Other: Sendable {}
extension PredicateExpressions.StringCaseInsensitiveCompare: Sendable where Root: Sendable, Other: Sendable {}
extension PredicateExpressions.StringLocalizedCompare: Sendable where Root: Sendable, Other: Sendable {}

extension PredicateExpressions.StringLocalizedStandardContains: Codable where Root: Codable, Other: Codable {}
extension PredicateExpressions.StringCaseInsensitiveCompare: Codable where Root: Codable, Other: Codable {}
extension PredicateExpressions.StringLocalizedCompare: Codable where Root: Codable, Other: Codable {}

extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
extension PredicateExpressions.StringCaseInsensitiveCompare: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
extension PredicateExpressions.StringLocalizedCompare: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
