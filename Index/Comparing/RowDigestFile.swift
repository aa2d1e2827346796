// SPDX-License-Identifier: MIT

internal import Base
internal import FoundationEssentials
internal import Store

#if canImport(Glibc)
  internal import Glibc
#endif

/// The file of digests of rows. It begins with a line that names the format, and the entries of the tables. At its end are
/// the tables, their number, what the digests belong to, and a digest of the file. Numbers have 8 bytes, little-endian.
enum RowDigestFile {
  fileprivate static let magic = Array("followspot rows 2\n".utf8)
  private static let entrySize = 16
  private static let digestSize = 16

  static func path(in generation: String) -> String { generation + "/rows" }

  /// What digests belong to: the content of the index, the definition and the model. Equal content was made of rows that
  /// give equal documents, whenever that was. The index of an attached database goes on by the log, so the newest change
  /// when rows were compared counts instead of its content.
  static func label(of state: IndexState) throws -> ContentDigest {
    let content = state.compared.map { "\($0) \(state.token?.storeUUID ?? "-")" } ?? state.checksumText
    let parts = [content, try state.definition.digest(), state.token?.modelDigest ?? "-"]
    return ContentDigest(of: Array(parts.joined(separator: " ").utf8))
  }

  static func number(_ file: Data, _ offset: Int) -> UInt64 {
    file.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) }
  }

  /// Where the entries of each table begin, by entity number; nil if the file is damaged or belongs to something else.
  static func tables(in file: Data, label: ContentDigest) -> [Int: (start: Int, count: Int)]? {
    let least = magic.count + 8 + 2 * digestSize
    guard file.count >= least, file.starts(with: magic) else { return nil }
    let body = file.count - digestSize
    let isWhole = file.withUnsafeBytes { bytes in
      ChunkedDigest.of(UnsafeRawBufferPointer(rebasing: bytes[..<body])).bytes == Array(bytes[body...])
    }
    guard isWhole, Array(file[(body - digestSize)..<body]) == label.bytes else { return nil }
    let end = body - digestSize - 8
    let count = Int(truncatingIfNeeded: number(file, end))
    guard count >= 0, count <= (end - magic.count) / entrySize else { return nil }
    let list = end - count * entrySize
    var start = magic.count
    var tables: [Int: (start: Int, count: Int)] = [:]
    for at in stride(from: list, to: end, by: entrySize) {
      let rows = Int(truncatingIfNeeded: number(file, at + 8))
      guard rows >= 0, rows <= (list - start) / entrySize else { return nil }
      tables[Int(truncatingIfNeeded: number(file, at))] = (start, rows)
      start += rows * entrySize
    }
    return start == list ? tables : nil
  }
}

/// A digest of content that comes in parts: that of the digests of its chunks.
private struct ChunkedDigest {
  static let chunk = 1 << 16

  private var digests: [UInt8] = []

  /// - Parameter chunk: Each but the last one has `chunk` bytes.
  mutating func add(_ chunk: UnsafeRawBufferPointer) { digests += ContentDigest(of: chunk).bytes }

  var value: ContentDigest { ContentDigest(of: digests) }

  static func of(_ bytes: UnsafeRawBufferPointer) -> ContentDigest {
    var made = ChunkedDigest()
    for start in stride(from: 0, to: bytes.count, by: chunk) {
      made.add(UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + chunk, bytes.count)]))
    }
    return made.value
  }
}

/// A file of digests while it is written. An error ends it without a file.
final class RowDigestDraft {
  private let path: String
  private let draft: String
  private let descriptor: Int32
  private var buffer = RowDigestFile.magic
  private var digest = ChunkedDigest()
  private var tables: [(entity: Int, count: Int)] = []
  private var isBroken = false
  private var isFinished = false

  /// nil if the file cannot be created.
  init?(generation: String) {
    path = RowDigestFile.path(in: generation)
    draft = path + ".new"
    descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o666)
    guard descriptor >= 0 else { return nil }
    buffer.reserveCapacity(2 * ChunkedDigest.chunk)
  }

  /// Removes what was not finished.
  deinit {
    close(descriptor)
    if !isFinished { unlink(draft) }
  }

  func begin(entity: Int) { tables.append((entity, 0)) }

  /// Adds keys in ascending order, each with its digest.
  func append(_ entries: [UInt64]) {
    tables[tables.count - 1].count += entries.count / 2
    add(entries)
  }

  /// Keeps no file at the end.
  func giveUp() { isBroken = true }

  func finish(label: ContentDigest) {
    add(tables.flatMap { [UInt64($0.entity), UInt64($0.count)] } + [UInt64(tables.count)])
    buffer += label.bytes
    flush(to: buffer.count % ChunkedDigest.chunk)
    if !buffer.isEmpty { buffer.withUnsafeBytes { digest.add($0) } }
    buffer += digest.value.bytes
    write(buffer.count)
    isFinished = !isBroken && rename(draft, path) == 0
  }

  private func add(_ numbers: [UInt64]) {
    numbers.map(\.littleEndian).withUnsafeBytes { buffer += $0 }
    if buffer.count >= ChunkedDigest.chunk { flush(to: buffer.count % ChunkedDigest.chunk) }
  }

  /// Writes the whole chunks at the start of the buffer.
  private func flush(to rest: Int) {
    while buffer.count > rest {
      buffer.withUnsafeBytes { digest.add(UnsafeRawBufferPointer(rebasing: $0[..<ChunkedDigest.chunk])) }
      write(ChunkedDigest.chunk)
    }
  }

  /// Writes some bytes at the start of the buffer.
  private func write(_ count: Int) {
    let isWritten = buffer.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, count) == count }
    if !isWritten { isBroken = true }
    buffer.removeFirst(count)
  }
}
