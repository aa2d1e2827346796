// SPDX-License-Identifier: MIT

/// What a document holds besides its terms: its data and its values.
package struct DocumentContent: Equatable, Sendable {
  package let data: [UInt8]
  /// Of each value the slot and the length, 4 bytes each, and the bytes.
  private let values: [UInt8]

  init(data: [UInt8], values: [UInt8]) { (self.data, self.values) = (data, values) }

  /// The value in a slot; empty if there is none.
  package func value(slot: UInt32) -> ArraySlice<UInt8> {
    var at = 0
    while at + 8 <= values.count {
      let (found, start) = (number(at: at), at + 8)
      let end = start + Int(number(at: at + 4))
      if found == slot, end <= values.count { return values[start..<end] }
      at = end
    }
    return []
  }

  private func number(at start: Int) -> UInt32 { values[start..<(start + 4)].reduce(0) { $0 << 8 | UInt32($1) } }
}
