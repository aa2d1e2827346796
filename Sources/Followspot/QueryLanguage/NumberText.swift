// SPDX-License-Identifier: MIT

package import Base
internal import SearchIndex

#if canImport(Glibc)
  internal import Glibc
#endif

/// Numbers as typed in a query: `8`, `-2.5`, `1e6`, `100k`, `2.5M`, `1G`. If their field has a unit, also quantities
/// such as `2h`, `1h30m` or `10MB`.
package enum NumberText {
  /// - Parameter unit: What the values of the field count.
  package static func parse(_ text: String, in unit: FieldUnit? = nil) -> Double? {
    let quantity = unit.flatMap { unit in
      Quantity(text).flatMap { $0.dimension == unit.dimension ? rounded($0.size / unit.size) : nil }
    }
    return quantity ?? magnitude(text)
  }

  /// The same as ranges compare it: an integer with all its digits.
  static func sortable(_ text: String, in unit: FieldUnit? = nil) -> SortableNumber? {
    Int64(text).map { SortableNumber($0) } ?? parse(text, in: unit).map { SortableNumber($0) }
  }

  /// Rounded, so that a factor leaves no error in the last digits: 1.1 hours are 66 minutes.
  private static func rounded(_ number: Double) -> Double {
    let scale = pow(10, 14 - log10(abs(number)).rounded(.down))
    return scale.isFinite && number != 0 ? (number * scale).rounded() / scale : number
  }

  private static func magnitude(_ text: String) -> Double? {
    let factor: Double? =
      switch text.last {
      case "k", "K": 1e3
      case "M": 1e6
      case "G", "B": 1e9
      default: nil
      }
    guard let number = plain(factor == nil ? text[...] : text.dropLast()) else { return nil }
    let product = factor.map { rounded(number * $0) } ?? number
    return product.isFinite ? product : nil
  }

  /// Refuses names of numbers, such as nan, and numbers of other bases.
  fileprivate static func plain(_ digits: Substring) -> Double? {
    guard let last = digits.utf8.last, (0x30...0x39).contains(last) || last == UInt8(ascii: "."),
      !digits.utf8.contains(where: { $0 == UInt8(ascii: "x") || $0 == UInt8(ascii: "X") })
    else { return nil }
    return Double(digits)
  }
}

/// A time or an amount of data with its unit, in seconds or bytes: `90min`, `1h30m`, `2.5GB`, `4KiB`.
struct Quantity {
  let dimension: FieldUnit.Dimension
  let size: Double

  /// nil for anything else.
  init?(_ text: String) {
    let sign: Double = text.hasPrefix("-") ? -1 : 1
    var rest = text[...]
    var found: (dimension: FieldUnit.Dimension, size: Double, smallest: Double)?
    repeat {
      let digits = rest.prefix { !$0.isLetter }
      let name = rest.dropFirst(digits.count).prefix(while: \.isLetter)
      // Parts follow each other from large to small: 1h30m.
      guard let number = NumberText.plain(digits), let unit = Self.unit(String(name)),
        found.map({ $0.dimension == unit.dimension && unit.size < $0.smallest && number >= 0 }) ?? true
      else { return nil }
      found = (unit.dimension, (found?.size ?? 0) + abs(number) * unit.size, unit.size)
      rest = rest.dropFirst(digits.count + name.count)
    } while !rest.isEmpty
    guard let found, found.size.isFinite else { return nil }
    (dimension, size) = (found.dimension, sign * found.size)
  }

  private static func unit(_ name: String) -> (dimension: FieldUnit.Dimension, size: Double)? {
    // A capital M is a million.
    let lowered = name == "M" ? "" : name.lowercased()
    if let seconds = ["ms": 0.001, "sec": 1][lowered] ?? DatePeriod.lengths[lowered] { return (.time, seconds) }
    if name.lowercased() == "b" { return (.data, 1) }
    guard let power = ["k", "m", "g", "t"].firstIndex(of: name.prefix(1).lowercased()) else { return nil }
    switch name.dropFirst().lowercased() {
    case "b": return (.data, [1e3, 1e6, 1e9, 1e12][power])
    case "ib": return (.data, [0x1p10, 0x1p20, 0x1p30, 0x1p40][power])
    default: return nil
    }
  }
}
