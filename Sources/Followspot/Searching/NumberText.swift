/// Numbers as they are typed in a query: `8`, `-2.5`, `1e6`, `100k`, `2.5M`, `1G`.
enum NumberText {
  static func parse(_ text: String) -> Double? {
    let factor: Double? =
      switch text.last {
      case "k", "K": 1e3
      case "M": 1e6
      case "G", "B": 1e9
      default: nil
      }
    let digits = factor == nil ? text[...] : text.dropLast()
    // Names of numbers, such as nan, and numbers of other bases are none here.
    guard let last = digits.utf8.last, (0x30...0x39).contains(last) || last == UInt8(ascii: "."),
      !digits.utf8.contains(where: { $0 == UInt8(ascii: "x") || $0 == UInt8(ascii: "X") }),
      let number = Double(digits).map({ $0 * (factor ?? 1) }), number.isFinite
    else { return nil }
    return number
  }
}
