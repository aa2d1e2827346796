// SPDX-License-Identifier: MIT

internal import Store

/// Statistics of the values of one field, over all records of a file.
struct Column {
  /// The form of one value, from which the column's type is inferred.
  enum Shape: CaseIterable {
    case bool, integer, real, date, text, strings, json
    /// Digits with a leading zero, such as a postal code or an identifier.
    case code
    /// A number with a decimal comma or with thousands marks.
    case markedNumber
    /// A date that is not as ISO 8601, such as 31.12.2024.
    case otherDate
  }

  /// A value as messages show it, and its line in the file.
  struct Sample {
    let text: String
    let line: Int
  }

  /// Maximum number of samples that are kept for messages: of each shape, and of the misfits.
  private static let mostSamples = 5

  let name: String
  /// The type of an option or of an existing attribute; nil = inferred from the values.
  let namedType: AttributeType?
  /// Number of records in which the field has a value.
  private(set) var filled = 0
  /// Number of records that contain the field without a value.
  private(set) var empty = 0
  private var counts: [Shape: Int] = [:]
  private var samples: [Shape: [Sample]] = [:]
  private var integers: ClosedRange<Int64>?
  private var misfitCount = 0
  private var misfitSamples: [Sample] = []

  init(_ name: String, namedType: AttributeType?) {
    self.name = name
    self.namedType = namedType
  }

  mutating func add(_ value: FieldValue, line: Int, _ shapes: ValueShapes) throws {
    guard value != .null, !value.isBlankCell else {
      empty += 1
      return
    }
    filled += 1
    if let namedType, try !shapes.fits(value, namedType) {
      misfitCount += 1
      Self.keep(value, line, in: &misfitSamples)
    }
    let shape = try shapes.shape(of: value)
    counts[shape, default: 0] += 1
    Self.keep(value, line, in: &samples[shape, default: []])
    if shape == .integer, let number = ValueShapes.integer(value) {
      integers = min(number, integers?.lowerBound ?? number)...max(number, integers?.upperBound ?? number)
    }
  }

  private static func keep(_ value: FieldValue, _ line: Int, in samples: inout [Sample]) {
    if samples.count < mostSamples { samples.append(Sample(text: ValueShapes.shown(value), line: line)) }
  }

  // MARK: Type

  private func count(_ shapes: Shape...) -> Int { shapes.reduce(0) { $0 + (counts[$1] ?? 0) } }

  /// Whether at least 99 % of the values have one of these shapes.
  private func isMostly(_ shapes: Shape...) -> Bool {
    filled > 0 && shapes.reduce(0) { $0 + (counts[$1] ?? 0) } * 100 >= filled * 99
  }

  var hasReals: Bool { isNumeric && count(.real) > 0 }

  /// Whether all integers of the column are in the range.
  func integersFit(_ range: ClosedRange<Int64>) -> Bool {
    integers.map { range.contains($0.lowerBound) && range.contains($0.upperBound) } ?? true
  }

  private var isNumeric: Bool { isMostly(.integer, .real) && count(.code) == 0 }

  var type: AttributeType {
    if let namedType { return namedType }
    if count(.strings, .json) > 0 { return count(.strings) == filled ? .strings : .json }
    if filled > 0, count(.bool) == filled { return .boolean }
    if isNumeric { return count(.real) == 0 ? .integer64 : .double }
    return isMostly(.date) ? .date : .string
  }

  /// The values that do not fit the column's type: their number, and the first of them.
  var misfits: (count: Int, samples: [Sample]) {
    let fitting: Set<Shape>
    switch type {
    case _ where namedType != nil: return (misfitCount, misfitSamples)
    case .integer64, .double: fitting = [.integer, .real]
    case .date: fitting = [.date]
    default: return (0, [])
    }
    let others = counts.filter { !fitting.contains($0.key) }
    let all = others.keys.flatMap { samples[$0] ?? [] }.sorted { $0.line < $1.line }
    return (others.values.reduce(0, +), Array(all.prefix(Self.mostSamples)))
  }

  /// The reason why the column is text although most of its values look like another type; nil if there is none.
  var reasonForText: String? {
    guard namedType == nil, type == .string else { return nil }
    func example(_ shape: Shape) -> String { samples[shape]?.first.map { ", such as \($0.shown)" } ?? "" }
    let (numbers, dates) = (count(.integer, .real, .markedNumber), count(.date, .otherDate))
    if numbers == filled, count(.markedNumber) > 0 { return "its numbers differ in form" + example(.markedNumber) }
    if dates == filled, count(.otherDate) > 0 { return "its dates differ in form" + example(.otherDate) }
    if (numbers + count(.code)) * 2 > filled, count(.code) > 0 { return "digits begin with a zero" + example(.code) }
    let groups = [
      (count: numbers, shapes: [Shape.integer, .real, .markedNumber], word: "numbers"),
      (dates, [.date, .otherDate], "dates"), (count(.bool), [.bool], "true or false"),
    ].filter { $0.count > 0 }
    func example(_ shapes: [Shape]) -> String {
      shapes.flatMap { samples[$0] ?? [] }.min { $0.line < $1.line }.map { ", such as \($0.shown)" } ?? ""
    }
    if let most = groups.first(where: { $0.count * 2 > filled }) {
      let others = Shape.allCases.filter { !most.shapes.contains($0) }
      return "\(filled - most.count) of its \(filled) values are not \(most.word)" + example(others)
    }
    guard groups.count > 1, groups.reduce(0, { $0 + $1.count }) == filled else { return nil }
    return groups.map { "\($0.count) of its \(filled) values are \($0.word)" + example($0.shapes) }
      .joined(separator: ", and ")
  }
}

extension Column.Sample {
  /// `'n/a' in line 17`
  var shown: String { "\(text) in line \(line)" }
}
