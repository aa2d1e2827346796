// SPDX-License-Identifier: MIT

internal import Base
internal import SearchIndex

/// Numbers, dates and truth values inside JSON.
extension QueryResolver {
  /// The terms of what is not text in a JSON field, or under keys of one; nil for any other field.
  func jsonTerms(_ name: String) -> DocumentLayout.JSONTerms? {
    switch FieldName(name, in: view.fields, isOrder: true) {
    case .field(let field) where field.hasKeys: DocumentLayout.JSONTerms(field.fieldPrefix, keys: "")
    case .keys(let field, let keys): DocumentLayout.JSONTerms(field.fieldPrefix, keys: keys)
    default: nil
    }
  }

  /// The numbers, dates and truth values inside JSON that a text means.
  func typed(
    _ value: String, _ terms: DocumentLayout.JSONTerms, _ offset: Int
  ) throws -> [ResolvedNode] {
    var found: [Query] = []
    if let number = NumberText.sortable(value) {
      found.append(try terms.numbers.query(NumberRange(only: number), in: view.reader))
    }
    if let period = DatePeriod(value, now: now) { found += try dates(from: period.lower, to: period.upper, terms) }
    if let truth = Bool(value.lowercased()) { found.append(.term(terms.truth(truth))) }
    return found.map { .condition($0, offset: offset) }
  }

  /// The numbers and dates inside JSON that are in a range. `2020..2024` may be both.
  func range(
    _ name: String, _ low: QueryNode.Bound?, _ high: QueryNode.Bound?, _ terms: DocumentLayout.JSONTerms, _ offset: Int
  ) throws -> [ResolvedNode] {
    let bounds = [low, high].compactMap(\.self)
    let areNumbers = bounds.allSatisfy { NumberText.sortable($0.text) != nil }
    let areDates = bounds.allSatisfy { DatePeriod($0.text, now: now) != nil }
    guard areNumbers || areDates else {
      let text = bounds.map(\.text).joined(separator: "..")
      throw error(
        "\(name) takes numbers or dates, not '\(text)'", at: offset + name.count + 1,
        recovery: .examples(["\(name):1..10", "\(name):>=5", "\(name):2001-12.."]))
    }
    var found: [Query] = []
    if areNumbers {
      func number(_ bound: QueryNode.Bound?) -> NumberRange.Bound? {
        bound.flatMap { bound in
          NumberText.sortable(bound.text).map { NumberRange.Bound($0, isInclusive: bound.isInclusive) }
        }
      }
      let range = NumberRange(from: number(low), to: number(high))
      if range.isReversed { throw reversed(name, low, high, offset) }
      found.append(try terms.numbers.query(range, in: view.reader))
    }
    if areDates {
      let (start, end) = try period(name, low, high, offset)
      found += try dates(from: start, to: end, terms)
    }
    return found.map { .condition($0, offset: offset) }
  }

  private func dates(
    from start: DateBound?, to end: DateBound?, _ terms: DocumentLayout.JSONTerms
  ) throws -> [Query] {
    try DateBound.ranges(from: start, to: end).map { try terms.dates.query($0, in: view.reader) }
  }
}
