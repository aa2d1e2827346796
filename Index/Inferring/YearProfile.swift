// SPDX-License-Identifier: MIT

/// Collects statistics of the numbers of one attribute, and infers whether they are years.
struct YearProfile {
  /// The least share of the values of an attribute named like a year that must be possible years.
  private static let leastShare = 0.95
  /// The years of attributes with other names.
  private static let usual: ClosedRange<Int64> = 1_800...2_100

  private let name: String
  private var values = 0
  private var possible = 0
  private var isUsual = true

  init(name: String) { self.name = name }

  mutating func add(_ value: Int64) {
    values += 1
    if DocumentLayout.years.contains(value) { possible += 1 }
    if !Self.usual.contains(value) { isUsual = false }
  }

  /// `years` or `numbers`; nil if no value was added.
  var kind: ValueKind? {
    guard values > 0 else { return nil }
    let isNamed = YearName.isYear(name) && Double(possible) >= Double(values) * Self.leastShare
    let isLikely = isUsual && (values >= FieldProfile.fewestRecords || YearName.isEvent(name))
    return isNamed || isLikely ? .years : .numbers
  }
}
