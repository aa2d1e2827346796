extension String {
  /// The name as SQLite compares it: bytes, with ASCII letters in lower case. `É` and `é` are two names, and so are two
  /// spellings of `é`, which are one text to Swift.
  var sqlName: [UInt8] { utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 } }
}
