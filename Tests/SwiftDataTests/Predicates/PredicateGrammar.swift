// SPDX-License-Identifier: MIT

import SwiftData
import TestSupport

/// Random predicates over songs, made of everything that has SQL.
struct PredicateGrammar {
  typealias PE = PredicateExpressions
  typealias Condition = any StandardPredicateExpression<Bool>
  typealias Number = any StandardPredicateExpression<Int>
  typealias Text = any StandardPredicateExpression<String>

  /// Composed and decomposed, of several characters and of none, in both cases.
  static let texts = [
    "", "a", "A", "b", "ab", "aB", "\u{e9}", "e", "\u{e9}a", "\r\n", "\u{1f600}", "K", "k;", "\u{df}",
  ]
  static let words = ["sun", "moon", "Caf\u{e9}", ""]
  static let dates = (0..<4).map { Date(timeIntervalSinceReferenceDate: Double($0) * 1.5) }

  var random: SeededGenerator

  mutating func predicate() -> Predicate<Song> {
    let depth = 1 + pick(4)
    return Predicate<Song> { condition(depth, $0) }
  }

  mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
  mutating func flip() -> Bool { Bool.random(using: &random) }
  mutating func one<Value>(of values: [Value]) -> Value { values[pick(values.count)] }

  /// As it is, or spelled otherwise.
  mutating func capturedText() -> String {
    let text = one(of: Self.texts)
    return pick(3) == 0 ? text.decomposedStringWithCanonicalMapping : text
  }

  // MARK: Conditions

  mutating func condition(_ depth: Int, _ song: PE.Variable<Song>) -> Condition {
    guard depth > 0 else { return leaf(song) }
    switch pick(8) {
    case 0, 1: return Self.conjunction(condition(depth - 1, song), condition(depth - 1, song))
    case 2, 3: return Self.disjunction(condition(depth - 1, song), condition(depth - 1, song))
    case 4, 5: return Self.negation(condition(depth - 1, song))
    case 6: return Self.choice(condition(depth - 1, song), condition(depth - 1, song), condition(depth - 1, song))
    default: return Self.equal(condition(depth - 1, song), condition(depth - 1, song), isEqual: flip())
    }
  }

  private mutating func leaf(_ song: PE.Variable<Song>) -> Condition {
    switch pick(14) {
    case 0: return comparison(number(2, song), number(2, song))
    // Not spelled otherwise: to Swift 6.3 "\u{e9}a" is neither less than "e\u{301}" nor equal nor greater.
    case 1: return comparison(text(1, song), captured(one(of: Self.texts)))
    case 2: return Self.equal(text(1, song), captured(capturedText()), isEqual: flip())
    case 3: return holding(song)
    case 4: return optional(song)
    case 5: return flag(song)
    case 6: return value(song)
    case 7: return album(song)
    case 8, 9: return performers(song)
    case 10: return words(song)
    case 11: return list(song)
    case 12: return range(song)
    default: return PE.build_Arg(flip())
    }
  }

  private func captured<Value: Codable & Sendable>(_ value: Value) -> PE.Value<Value> { PE.build_Arg(value) }

  private mutating func comparison<
    Left: StandardPredicateExpression, Right: StandardPredicateExpression
  >(_ left: Left, _ right: Right) -> Condition where Left.Output == Right.Output, Left.Output: Comparable {
    let order = one(of: [PE.ComparisonOperator.lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual])
    return PE.build_Comparison(lhs: left, rhs: right, op: order)
  }

  /// Text in text.
  private mutating func holding(_ song: PE.Variable<Song>) -> Condition {
    let part = captured(capturedText())
    func contains(_ text: some StandardPredicateExpression<String>) -> Condition { PE.build_contains(text, part) }
    func starts(_ text: some StandardPredicateExpression<String>) -> Condition { PE.build_starts(text, with: part) }
    func resembles(_ text: some StandardPredicateExpression<String>) -> Condition {
      PE.build_localizedStandardContains(text, part)
    }
    func isEmpty(_ text: some StandardPredicateExpression<String>) -> Condition {
      PE.build_KeyPath(root: text, keyPath: \.isEmpty)
    }
    let text = text(1, song)
    return switch pick(4) {
    case 0: contains(text)
    case 1: starts(text)
    case 2: resembles(text)
    default: isEmpty(text)
    }
  }

  /// nil, and what equals an optional.
  private mutating func optional(_ song: PE.Variable<Song>) -> Condition {
    let rank: Int? = flip() ? pick(4) : nil
    let subtitle: String? = flip() ? capturedText() : nil
    let isEqual = flip()
    let year = PE.build_flatMap(PE.build_KeyPath(root: song, keyPath: \.album)) {
      PE.build_KeyPath(root: $0, keyPath: \.year)
    }
    return switch pick(5) {
    case 0: Self.equal(PE.build_KeyPath(root: song, keyPath: \.rank), captured(rank), isEqual: isEqual)
    case 1: Self.equal(PE.build_KeyPath(root: song, keyPath: \.subtitle), captured(subtitle), isEqual: isEqual)
    case 2: Self.equal(PE.build_KeyPath(root: song, keyPath: \.rank), year, isEqual: isEqual)
    case 3: Self.equal(year, captured(rank), isEqual: isEqual)
    default: Self.equal(PE.build_KeyPath(root: song, keyPath: \.subtitle), PE.build_NilLiteral(), isEqual: isEqual)
    }
  }

  private mutating func flag(_ song: PE.Variable<Song>) -> Condition {
    let isNew = PE.build_KeyPath(root: song, keyPath: \.isNew)
    let isMajor = PE.build_flatMap(PE.build_KeyPath(root: song, keyPath: \.album)) { album in
      PE.build_flatMap(PE.build_KeyPath(root: album, keyPath: \.label)) {
        PE.build_KeyPath(root: $0, keyPath: \.isMajor)
      }
    }
    let isUntitled = PE.build_flatMap(PE.build_KeyPath(root: song, keyPath: \.subtitle)) {
      PE.build_KeyPath(root: $0, keyPath: \.isEmpty)
    }
    let known: Bool? = flip() ? flip() : nil
    return switch pick(5) {
    case 0: PE.build_KeyPath(root: song, keyPath: \.isLive)
    case 1: PE.build_NilCoalesce(lhs: isNew, rhs: captured(flip()))
    case 2: PE.build_NilCoalesce(lhs: isMajor, rhs: captured(flip()))
    case 3: PE.build_NilCoalesce(lhs: isUntitled, rhs: captured(flip()))
    default: Self.equal(isNew, captured(known), isEqual: flip())
    }
  }

  /// Values of other types.
  private mutating func value(_ song: PE.Variable<Song>) -> Condition {
    let isEqual = flip()
    let (genre, mood) = (one(of: Genre.allCases), flip() ? one(of: Genre.allCases) : nil)
    let (date, level) = (one(of: Self.dates), one(of: [Level.low, .middle, .high]))
    switch pick(6) {
    case 0: return comparison(PE.build_KeyPath(root: song, keyPath: \.genre), captured(genre))
    case 1: return Self.equal(PE.build_KeyPath(root: song, keyPath: \.mood), captured(mood), isEqual: isEqual)
    case 2: return comparison(PE.build_KeyPath(root: song, keyPath: \.added), captured(date))
    case 3: return comparison(PE.build_KeyPath(root: song, keyPath: \.level), captured(level))
    case 4: return comparison(PE.build_KeyPath(root: song, keyPath: \.price), captured(Decimal(pick(4)) / 10))
    default:
      let length = PE.build_Arithmetic(
        lhs: PE.build_KeyPath(root: song, keyPath: \.length), rhs: captured(0.5), op: one(of: [.add, .multiply]))
      return comparison(length, captured(Double(pick(4)) / 2))
    }
  }

  private mutating func album(_ song: PE.Variable<Song>) -> Condition {
    let album = PE.build_KeyPath(root: song, keyPath: \.album)
    let (isEqual, count) = (flip(), pick(6))
    let songs = PE.build_flatMap(album) {
      PE.build_KeyPath(root: PE.build_KeyPath(root: $0, keyPath: \.songs), keyPath: \.count)
    }
    let label = PE.build_flatMap(album) { PE.build_KeyPath(root: $0, keyPath: \.label) }
    let among = PE.build_flatMap(album) { album in
      PE.build_contains(
        PE.build_KeyPath(root: album, keyPath: \.songs),
        where: { other in
          PE.build_Comparison(
            lhs: PE.build_KeyPath(root: other, keyPath: \.plays), rhs: PE.build_KeyPath(root: song, keyPath: \.plays),
            op: .greaterThan)
        })
    }
    return switch pick(4) {
    case 0: Self.equal(album, PE.build_NilLiteral(), isEqual: isEqual)
    case 1: Self.equal(songs, captured(Int?.some(count)), isEqual: isEqual)
    case 2: Self.equal(label, PE.build_NilLiteral(), isEqual: isEqual)
    default: PE.build_NilCoalesce(lhs: among, rhs: captured(flip()))
    }
  }

  private mutating func performers(_ song: PE.Variable<Song>) -> Condition {
    let performers = PE.build_KeyPath(root: song, keyPath: \.performers)
    let (name, born, count) = (one(of: Self.texts), flip() ? pick(4) : nil, pick(3))
    let (isName, isEqual) = (flip(), flip())
    func test(_ performer: PE.Variable<Performer>)
      -> PE.Conditional<
        PE.Value<Bool>, PE.Equal<PE.KeyPath<PE.Variable<Performer>, String>, PE.Value<String>>,
        PE.NotEqual<PE.KeyPath<PE.Variable<Performer>, Int?>, PE.Value<Int?>>
      >
    {
      PE.build_Conditional(
        captured(isName),
        PE.build_Equal(lhs: PE.build_KeyPath(root: performer, keyPath: \.name), rhs: captured(name)),
        PE.build_NotEqual(lhs: PE.build_KeyPath(root: performer, keyPath: \.born), rhs: captured(born)))
    }
    let filtered = PE.build_filter(performers, test)
    return switch pick(6) {
    case 0: PE.build_contains(performers, where: test)
    case 1: PE.build_allSatisfy(performers, test)
    case 2: PE.build_KeyPath(root: performers, keyPath: \.isEmpty)
    case 3: PE.build_KeyPath(root: filtered, keyPath: \.isEmpty)
    case 4: Self.equal(PE.build_KeyPath(root: filtered, keyPath: \.count), captured(count), isEqual: isEqual)
    default: PE.build_allSatisfy(filtered, test)
    }
  }

  /// Elements of attributes.
  private mutating func words(_ song: PE.Variable<Song>) -> Condition {
    let keywords = PE.build_KeyPath(root: song, keyPath: \.keywords)
    let optional = PE.build_flatMap(PE.build_KeyPath(root: song, keyPath: \.optionalKeywords)) { [self] in
      PE.build_contains($0, captured(Self.words[0]))
    }
    let (word, score) = (one(of: Self.words), pick(4))
    let scores = PE.build_KeyPath(root: song, keyPath: \.scores)
    return switch pick(5) {
    case 0: PE.build_contains(keywords, captured(word))
    case 1:
      PE.build_contains(
        scores,
        where: {
          PE.build_Comparison(lhs: $0, rhs: PE.build_KeyPath(root: song, keyPath: \.plays), op: .lessThan)
        })
    case 2: Self.equal(PE.build_max(scores), captured(Int?.some(score)), isEqual: flip())
    case 3: PE.build_NilCoalesce(lhs: optional, rhs: captured(flip()))
    default: Self.equal(PE.build_KeyPath(root: keywords, keyPath: \.count), captured(score), isEqual: flip())
    }
  }

  /// Captured values that hold one of the row's.
  private mutating func list(_ song: PE.Variable<Song>) -> Condition {
    let numbers = (0..<pick(4)).map { _ in pick(6) }
    let texts = Set((0..<pick(4)).map { _ in capturedText() })
    let ranks: [Int?] = (0..<pick(3)).map { _ in flip() ? pick(4) : nil }
    func contains(_ number: some StandardPredicateExpression<Int>) -> Condition {
      PE.build_contains(captured(numbers), number)
    }
    return switch pick(4) {
    case 0: contains(number(1, song))
    case 1: PE.build_contains(captured(texts), PE.build_KeyPath(root: song, keyPath: \.title))
    case 2: PE.build_contains(captured(ranks), PE.build_KeyPath(root: song, keyPath: \.rank))
    default:
      PE.build_allSatisfy(captured(numbers)) {
        PE.build_NotEqual(lhs: $0, rhs: PE.build_KeyPath(root: song, keyPath: \.plays))
      }
    }
  }

  private mutating func range(_ song: PE.Variable<Song>) -> Condition {
    let (lower, length) = (pick(4), pick(4))
    func contains(_ number: some StandardPredicateExpression<Int>) -> Condition {
      PE.build_contains(captured(lower..<(lower + length)), number)
    }
    let dates = Self.dates[pick(2)]...Self.dates[2 + pick(2)]
    return flip()
      ? contains(number(1, song))
      : PE.build_contains(captured(dates), PE.build_KeyPath(root: song, keyPath: \.added))
  }

  // MARK: Values

  private mutating func number(_ depth: Int, _ song: PE.Variable<Song>) -> Number {
    switch pick(depth > 0 ? 8 : 4) {
    case 0: return PE.build_KeyPath(root: song, keyPath: \.plays)
    case 1: return captured(pick(6) - 1)
    case 2: return PE.build_NilCoalesce(lhs: PE.build_KeyPath(root: song, keyPath: \.rank), rhs: captured(pick(3)))
    case 3: return PE.build_KeyPath(root: PE.build_KeyPath(root: song, keyPath: \.performers), keyPath: \.count)
    case 4: return PE.build_KeyPath(root: PE.build_KeyPath(root: song, keyPath: \.title), keyPath: \.count)
    case 5: return Self.remainder(number(depth - 1, song), captured(2 + pick(3)))
    case 6: return Self.choice(condition(0, song), number(depth - 1, song), number(depth - 1, song))
    default:
      return Self.arithmetic(number(depth - 1, song), one(of: [.add, .subtract, .multiply]), number(depth - 1, song))
    }
  }

  private mutating func text(_ depth: Int, _ song: PE.Variable<Song>) -> Text {
    let title = PE.build_flatMap(PE.build_KeyPath(root: song, keyPath: \.album)) {
      PE.build_KeyPath(root: $0, keyPath: \.title)
    }
    switch pick(depth > 0 ? 4 : 3) {
    case 0: return PE.build_KeyPath(root: song, keyPath: \.title)
    case 1: return PE.build_NilCoalesce(lhs: PE.build_KeyPath(root: song, keyPath: \.subtitle), rhs: captured("a"))
    case 2: return PE.build_NilCoalesce(lhs: title, rhs: PE.build_KeyPath(root: song, keyPath: \.title))
    default: return Self.choice(condition(0, song), text(depth - 1, song), text(depth - 1, song))
    }
  }
}
