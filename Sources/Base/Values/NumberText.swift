// SPDX-License-Identifier: MIT

/// Numbers as people write them.
package enum NumberText {
  /// A number with a comma before each group of three digits: `1,381`.
  package static func grouped(_ number: Int) -> String {
    let digits = Array(String(number.magnitude))
    let groups = digits.indices.map { index in
      (index > 0 && (digits.count - index).isMultiple(of: 3) ? "," : "") + String(digits[index])
    }
    return (number < 0 ? "-" : "") + groups.joined()
  }
}
