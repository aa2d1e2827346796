// SPDX-License-Identifier: MIT

internal import CSQLite

/// The bytes of the main file, read by the descriptor of SQLite itself and without a lock. Closing another descriptor of
/// the file would drop the locks of all connections of this process.
extension Connection {
  /// The size of the file in bytes.
  package func fileSize() throws(SQLiteError) -> Int {
    var size: Int64 = 0
    let code = csqlite_file_size(handle, &size)
    guard code == SQLITE_OK else { throw error(code, "reading the size of \(path)") }
    return Int(size)
  }

  /// Fills `buffer` with the bytes from `offset` on; zeros follow the end of the file.
  ///
  /// - Returns: Whether the file reaches to the end of the buffer.
  package func readFile(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SQLiteError) -> Bool {
    let code = csqlite_read_file(handle, buffer.baseAddress, Int32(buffer.count), Int64(offset))
    guard code != SQLITE_IOERR | (2 << 8) else { return false }
    guard code == SQLITE_OK else { throw error(code, "reading \(path)") }
    return true
  }
}
