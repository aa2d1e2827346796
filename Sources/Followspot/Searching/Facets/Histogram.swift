// SPDX-License-Identifier: MIT

internal import Base

/// The counts of a field as bars: one for each value of a text, and ranges with round bounds for numbers and dates.
package struct Histogram: Sendable {
  package struct Bar: Equatable, Sendable {
    /// A value, or a range as queries write it.
    package let label: String
    package let count: Int
  }

  /// Maximum number of bars, except for the days of a month.
  private static let mostBars = 20

  package let bars: [Bar]
  /// The number of values without a bar.
  package private(set) var omitted = 0

  package init(_ facet: Facet) {
    switch facet.scale {
    case .number:
      let points = facet.values.compactMap { value in Double(value.text).map { (value: $0, count: value.count) } }
      if points.count == facet.values.count, points.allSatisfy(\.value.isFinite), let bars = Self.numbers(points) {
        self.bars = bars
        return
      }
    case .date:
      let points = facet.values.compactMap { value -> (day: CalendarDay, count: Int)? in
        DateText.parse(value.text).flatMap { CalendarDay(secondsSince2001: $0) }.map { ($0, value.count) }
      }
      if points.count == facet.values.count, let bars = Self.dates(points) {
        self.bars = bars
        return
      }
    case .text: break
    }
    bars = facet.values.prefix(Self.mostBars).map { Bar(label: $0.text, count: $0.count) }
    omitted = facet.values.count - bars.count
  }

  // MARK: Numbers

  /// nil if there are no finite numbers, or if they are too far apart.
  private static func numbers(_ points: [(value: Double, count: Int)]) -> [Bar]? {
    guard let low = points.map(\.value).min(), let high = points.map(\.value).max(), (high - low).isFinite else {
      return nil
    }
    let areIntegers = points.allSatisfy { $0.value == $0.value.rounded() }
    let step = Step(from: low, to: high, atMost: mostBars, areIntegers: areIntegers)
    guard abs(low) / step.size < 1e15, abs(high) / step.size < 1e15 else { return nil }
    var counts: [Int: Int] = [:]
    for point in points { counts[step.bin(of: point.value), default: 0] += point.count }
    return (step.bin(of: low)...step.bin(of: high)).map { bin in
      Bar(label: step.label(ofBin: bin, areIntegers: areIntegers), count: counts[bin] ?? 0)
    }
  }

  /// The width of the bins: 1, 2 or 5 times a power of ten.
  private struct Step {
    private let factor: Int
    private let exponent: Int

    init(from low: Double, to high: Double, atMost most: Int, areIntegers: Bool) {
      var exponent = high > low ? Int(((high - low) / Double(most)).log10Floor) : areIntegers ? 0 : -2
      if areIntegers { exponent = max(exponent, 0) }
      var step = Step(factor: 1, exponent: exponent)
      while step.bin(of: high) - step.bin(of: low) >= most { step = step.next }
      self = step
    }

    private init(factor: Int, exponent: Int) { (self.factor, self.exponent) = (factor, exponent) }

    private var next: Step {
      factor == 5 ? Step(factor: 1, exponent: exponent + 1) : Step(factor: factor == 1 ? 2 : 5, exponent: exponent)
    }

    var size: Double { Double(factor) * Self.power(exponent) }

    private static func power(_ exponent: Int) -> Double {
      (0..<abs(exponent)).reduce(1.0) { power, _ in exponent < 0 ? power / 10 : power * 10 }
    }

    /// A tolerance keeps a number such as 0.3 out of the bin before it.
    func bin(of value: Double) -> Int {
      let position = value / size
      guard abs(position) < 1e15 else { return position < 0 ? Int(-1e15) : Int(1e15) }
      return Int((position + 1e-9).rounded(.down))
    }

    func label(ofBin bin: Int, areIntegers: Bool) -> String {
      if areIntegers, factor == 1, exponent == 0 { return String(bin) }
      let last = areIntegers ? Double(bin + 1) * size - 1 : Double(bin + 1) * size
      return "\(text(Double(bin) * size))..\(text(last))"
    }

    private func text(_ value: Double) -> String {
      let digits = max(0, -exponent)
      let scaled = (value * Self.power(digits)).rounded()
      guard abs(scaled) < 1e15 else { return "\(value)" }
      let number = String(Int(abs(scaled)))
      let padded = String(repeating: "0", count: max(0, digits + 1 - number.count)) + number
      let sign = scaled < 0 ? "-" : ""
      return digits == 0 ? sign + padded : "\(sign)\(padded.dropLast(digits)).\(padded.suffix(digits))"
    }
  }

  // MARK: Dates

  /// Bars of days within a month, of months within two years, otherwise of years. nil if there are no dates.
  private static func dates(_ points: [(day: CalendarDay, count: Int)]) -> [Bar]? {
    let starts = points.map(\.day.secondsSince2001)
    guard let low = starts.min(), let high = starts.max() else { return nil }
    let months = points.map { $0.day.year * 12 + $0.day.month - 1 }
    if high - low < 31 * 86_400 {
      return bars(points.map { Int($0.day.secondsSince2001 / 86_400) }, points.map(\.count)) { number in
        let day = CalendarDay(secondsSince2001: Double(number) * 86_400)
        return day.map { "\($0.year)-\(twoDigits($0.month))-\(twoDigits($0.day))" } ?? ""
      }
    }
    if (months.max() ?? 0) - (months.min() ?? 0) < 24 {
      return bars(months, points.map(\.count)) { "\($0 / 12)-\(twoDigits($0 % 12 + 1))" }
    }
    return numbers(points.map { (Double($0.day.year), $0.count) })
  }

  private static func bars(_ positions: [Int], _ counts: [Int], _ label: (Int) -> String) -> [Bar] {
    let sums = Dictionary(zip(positions, counts), uniquingKeysWith: +)
    guard let low = positions.min(), let high = positions.max() else { return [] }
    return (low...high).map { Bar(label: label($0), count: sums[$0] ?? 0) }
  }

  private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension Double {
  /// The exponent of the highest power of ten that is not greater.
  fileprivate var log10Floor: Int {
    var (rest, exponent) = (self, 0)
    guard rest > 0, rest.isFinite else { return 0 }
    while rest >= 10 { (rest, exponent) = (rest / 10, exponent + 1) }
    while rest < 1 { (rest, exponent) = (rest * 10, exponent - 1) }
    return exponent
  }
}
