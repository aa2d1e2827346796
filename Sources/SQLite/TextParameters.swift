// SPDX-License-Identifier: MIT

internal import CSQLite

/// Copies of short texts that are bound to the parameters of one statement.
///
/// Each parameter has memory of its own, which is reused. SQLite would allocate and free a copy for each row.
final class TextParameters {
  /// By parameter, from 1.
  private var copies: [UnsafeMutableRawBufferPointer] = []
  /// The maximum size of a text in bytes.
  private static let limit = 1_024

  deinit { for copy in copies { copy.deallocate() } }

  /// Binds a copy of the bytes.
  ///
  /// - Returns: SQLite's error code; nil if nothing was bound, because the text is long or the statement is running.
  func bind(_ bytes: UnsafeRawBufferPointer, to statement: OpaquePointer, at index: Int32) -> Int32? {
    guard bytes.count <= Self.limit, index > 0, index <= sqlite3_bind_parameter_count(statement),
      sqlite3_stmt_busy(statement) == 0
    else { return nil }
    while copies.count <= Int(index) { copies.append(UnsafeMutableRawBufferPointer(start: nil, count: 0)) }
    let old = copies[Int(index)]
    let isNew = old.count < max(bytes.count, 1)
    let copy = isNew ? .allocate(byteCount: max(64, bytes.count * 2), alignment: 1) : old
    copy.copyMemory(from: bytes)
    let code = csqlite_bind_kept_text(statement, index, copy.baseAddress, Int32(bytes.count))
    if isNew {
      copies[Int(index)] = copy
      old.deallocate()
    }
    return code
  }
}
