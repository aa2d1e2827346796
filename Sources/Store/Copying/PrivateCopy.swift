// SPDX-License-Identifier: MIT

internal import Base
internal import SQLite

#if canImport(Glibc)
  internal import Glibc
#endif

/// A copy of a database and its write-ahead log or journal, in a directory that only the user can read.
///
/// The directory exists until the copy is open. SQLite then keeps the files that it needs, so nothing stays behind,
/// whatever ends this process.
struct PrivateCopy {
  let path: String
  /// The states of the original files before they were copied.
  let states: FileStates
  /// How long copying took.
  let duration: Duration

  private let directory: CopyDirectory
  /// How long a copy is tried that is not one committed state.
  private static let patience = Duration.milliseconds(200)
  /// The pause in microseconds while the files are being written.
  private static let pause: UInt32 = 5_000
  private static let blockLength = 1 << 20

  /// - Parameter original: The path of the database.
  /// - Throws: `StoreError.busy` if no copy within 0.2 s is one committed state of the database; `.full`.
  init(of original: String) throws {
    let file = FileIdentity.realPath(original)
    let source = try Connection(path: original, access: .readOnly, busyMilliseconds: 0)
    directory = try CopyDirectory()
    path = directory.path + "/store"
    let end = ContinuousClock.now + Self.patience
    repeat {
      let before = try CopyCheck(source, file: file)
      guard before.allowsCopy else {
        usleep(Self.pause)
        continue
      }
      let begun = ContinuousClock.now
      guard try Self.copy(source, to: path, while: { before.isLogUnchanged(file) }) else { continue }
      try Self.copy(file + "-wal", to: path + "-wal", frames: before.frames)
      try Self.copy(file + "-journal", to: path + "-journal")
      guard try before.proves(CopyCheck(source, file: file)) else { continue }
      (states, duration) = (before.states, begun.duration(to: .now))
      return
    } while .now < end
    throw StoreError(.busy, "\(original) changed while it was copied", recovery: .retry)
  }

  func remove() { directory.remove() }

  /// Copies the main file.
  ///
  /// - Returns: false if the file became shorter, or `condition` did not hold any more.
  private static func copy(
    _ source: Connection, to path: String, while condition: () -> Bool
  ) throws -> Bool {
    let to = try create(path)
    defer { close(to) }
    let size = try source.fileSize()
    return try withUnsafeTemporaryAllocation(byteCount: blockLength, alignment: 16) { buffer throws in
      for offset in stride(from: 0, to: size, by: buffer.count) {
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, size - offset)])
        guard condition(), try source.readFile(into: part, at: offset) else { return false }
        try FileWriter.write(UnsafeRawBufferPointer(part), to: to, path)
      }
      return true
    }
  }

  /// Copies a file that carries no locks, as far as it reaches now; of a log in use, the frames that belong to its header.
  private static func copy(_ source: String, to path: String, frames: CopyCheck.Frames? = nil) throws {
    let from = open(source, O_RDONLY | O_CLOEXEC)
    guard from >= 0 else {
      // The log may have been removed meanwhile.
      guard errno == ENOENT else { throw StoreError(systemErrorAt: source) }
      unlink(path)
      return
    }
    defer { close(from) }
    let to = try create(path)
    defer { close(to) }
    var status = stat()
    guard fstat(from, &status) == 0 else { throw StoreError(systemErrorAt: source) }
    let length = frames.map { max(1, blockLength / $0.length) * $0.length } ?? blockLength
    try withUnsafeTemporaryAllocation(byteCount: length, alignment: 16) { buffer throws in
      var offset = 0
      while offset < Int(status.st_size) {
        let isHeader = offset == 0 && frames != nil
        let wanted = min(isHeader ? LogCheck.headerLength : length, Int(status.st_size) - offset)
        let count = pread(from, buffer.baseAddress, wanted, off_t(offset))
        if count < 0 && errno == EINTR { continue }
        guard count >= 0 else { throw StoreError(systemErrorAt: source) }
        let block = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        let kept = isHeader ? count : frames?.count(in: block) ?? count
        try FileWriter.write(UnsafeRawBufferPointer(rebasing: block[..<kept]), to: to, path)
        guard kept == wanted else { return }
        offset += count
      }
    }
  }

  private static func create(_ path: String) throws -> Int32 {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StoreError(systemErrorAt: path) }
    return descriptor
  }
}
