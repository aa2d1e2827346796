// SPDX-License-Identifier: MIT

extension String {
  /// The name as SQLite compares it: bytes, with ASCII letters in lower case. `É` and `é` differ, and so do two Unicode
  /// encodings of `é`, which are equal as Swift strings.
  var sqlName: [UInt8] { utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 } }
}
