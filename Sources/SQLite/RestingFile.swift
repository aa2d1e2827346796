#if canImport(Glibc)
  internal import Glibc
#endif

/// Reads tables of a database file without a connection. This is possible only while the file is at rest: it is in WAL mode,
/// and its `-wal` is empty or missing.
///
/// A commit in WAL mode writes to the `-wal` before other connections can see it. The main file changes only when a
/// checkpoint copies pages from a `-wal` that is not empty. The `-wal` is emptied or removed only after all pages were
/// copied. So the main file alone holds the newest state while the file is at rest, and it does not change.
/// `isUnchanged` checks that the file was at rest from before the first page was read until after the last one.
///
/// No process may use it for a file to which it has a connection: closing the descriptor drops the locks of the connection.
package final class RestingFile {
  private let path: String
  private let descriptor: Int32
  private let status: stat
  private var pageSize = 0
  /// The bytes of a page that contain content.
  private var usable = 0
  private var pageCount = 0
  private var pages: [Int: [UInt8]] = [:]
  /// How many pages may still be read. A damaged file can refer to a page again and again.
  private var budget = 64

  /// Opens a file. nil if it is not at rest, was just written, or has a form that is not read here.
  ///
  /// - Parameters:
  ///   - path: Without symbolic links, because the name of the `-wal` follows from it.
  ///   - recent: A file that was written so recently, in seconds, could be written again without another modification
  ///     time. The coarsest times of file systems are 2 s apart.
  package init?(path: String, recent: Int = 3) {
    self.path = path
    var status = stat()
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    let isOpen = descriptor >= 0 && fstat(descriptor, &status) == 0
    self.status = status
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    // With a second name, a file can have another `-wal`.
    guard isOpen, status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1,
      abs(now.tv_sec - status.st_mtim.tv_sec) > recent, isAtRest, readHeader()
    else { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Whether the file was at rest the whole time since it was opened, so that all that was read is of one state.
  package var isUnchanged: Bool {
    var now = stat()
    return isAtRest && fstat(descriptor, &now) == 0 && now.st_size == status.st_size
      && now.st_mtim.tv_sec == status.st_mtim.tv_sec && now.st_mtim.tv_nsec == status.st_mtim.tv_nsec
      && now.st_nlink == 1
  }

  private var isAtRest: Bool {
    var status = stat()
    guard stat(path + "-journal", &status) != 0, errno == ENOENT else { return false }
    return stat(path + "-wal", &status) == 0 ? status.st_size == 0 : errno == ENOENT
  }

  private func readHeader() -> Bool {
    var header = [UInt8](repeating: 0, count: 100)
    guard pread(descriptor, &header, header.count, 0) == header.count,
      header.starts(with: "SQLite format 3\0".utf8)
    else { return false }
    let size = header.number(at: 16, bytes: 2)
    pageSize = size == 1 ? 65_536 : size
    usable = pageSize - Int(header[20])
    pageCount = header.number(at: 28, bytes: 4)
    // In WAL mode, with texts in UTF-8, and a page count that the last commit wrote.
    return pageSize >= 512 && pageSize & (pageSize - 1) == 0 && usable >= 480
      && header[18] == 2 && header[19] == 2 && header.number(at: 56, bytes: 4) == 1
      && header[24..<28] == header[92..<96] && pageCount * pageSize == status.st_size
  }

  // MARK: Tables

  /// A row of a table with integer keys.
  package struct Row {
    package let key: Int64
    /// The columns in the order of the table. The column that is the key is NULL.
    package let values: [Value]
  }

  /// All rows of the table with that root page, in the order of their keys; nil if they cannot be read.
  package func rows(of root: Int) -> [Row]? {
    var rows: [Row] = []
    return collect(root, depth: 0, &rows) ? rows : nil
  }

  /// The row with a key; nil if there is none, or the table cannot be read.
  package func row(of root: Int, key: Int64) -> Row? {
    var number = root
    for _ in 0..<Self.deepest {
      guard let page = page(number) else { return nil }
      // The first cell whose key is not less. The steps are those of SQLite, which matters if the keys are damaged.
      var (low, high) = (0, page.cells - 1)
      while low <= high {
        let middle = (low + high) / 2
        guard let found = self.key(page, middle) else { return nil }
        if found < key {
          low = middle + 1
        } else if found > key {
          high = middle - 1
        } else {
          low = middle
          break
        }
      }
      if page.isLeaf {
        guard low < page.cells, let row = row(page, low), row.key == key else { return nil }
        return row
      }
      guard let child = low < page.cells ? self.child(page, low) : page.right else { return nil }
      number = child
    }
    return nil
  }

  /// The greatest key; nil if the table is empty or cannot be read.
  package func lastKey(of root: Int) -> Int64? {
    var number = root
    for _ in 0..<Self.deepest {
      guard let page = page(number) else { return nil }
      guard !page.isLeaf else { return page.cells > 0 ? key(page, page.cells - 1) : nil }
      number = page.right
    }
    return nil
  }

  private static let deepest = 20

  private func collect(_ number: Int, depth: Int, _ rows: inout [Row]) -> Bool {
    guard depth < Self.deepest, let page = page(number) else { return false }
    for cell in 0..<page.cells {
      if page.isLeaf {
        guard let row = row(page, cell) else { return false }
        rows.append(row)
      } else {
        guard let child = child(page, cell), collect(child, depth: depth + 1, &rows) else { return false }
      }
    }
    return page.isLeaf || collect(page.right, depth: depth + 1, &rows)
  }

  /// A page of the tree of a table.
  private struct Page {
    let bytes: [UInt8]
    /// Where the header of the tree begins.
    let start: Int
    let isLeaf: Bool
    let cells: Int
    /// The last child; 0 for a leaf.
    let right: Int

    init?(_ bytes: [UInt8], start: Int) {
      guard bytes[start] == 13 || bytes[start] == 5 else { return nil }
      self.bytes = bytes
      self.start = start
      isLeaf = bytes[start] == 13
      cells = bytes.number(at: start + 3, bytes: 2)
      right = isLeaf ? 0 : bytes.number(at: start + 8, bytes: 4)
    }

    func offset(of cell: Int) -> Int? { bytes.checked(at: start + (isLeaf ? 8 : 12) + 2 * cell, bytes: 2) }
  }

  private func child(_ page: Page, _ cell: Int) -> Int? {
    page.offset(of: cell).flatMap { page.bytes.checked(at: $0, bytes: 4) }
  }

  /// The key of a cell.
  private func key(_ page: Page, _ cell: Int) -> Int64? {
    guard var at = page.offset(of: cell) else { return nil }
    if page.isLeaf { _ = page.bytes.variable(&at) } else { at += 4 }
    return page.bytes.variable(&at)
  }

  private func page(_ number: Int) -> Page? { content(number).flatMap { Page($0, start: number == 1 ? 100 : 0) } }

  private func content(_ number: Int) -> [UInt8]? {
    if let page = pages[number] { return page }
    guard number >= 1, number <= pageCount, budget > 0 else { return nil }
    budget -= 1
    let page = [UInt8](unsafeUninitializedCapacity: pageSize) { buffer, count in
      count = max(0, pread(descriptor, buffer.baseAddress, pageSize, (number - 1) * pageSize))
    }
    guard page.count == pageSize else { return nil }
    pages[number] = page
    return page
  }

  // MARK: Records

  private func row(_ page: Page, _ cell: Int) -> Row? {
    guard var at = page.offset(of: cell), let size = page.bytes.variable(&at), let key = page.bytes.variable(&at),
      size >= 0, size <= 1 << 24, let record = payload(page.bytes, at, Int(size)), let values = Self.values(record)
    else { return nil }
    return Row(key: key, values: values)
  }

  /// A payload begins in its cell. If it is long, the rest is in a chain of overflow pages.
  private func payload(_ page: [UInt8], _ start: Int, _ size: Int) -> ArraySlice<UInt8>? {
    let most = usable - 35
    guard size > most else { return start + size <= usable ? page[start..<(start + size)] : nil }
    let least = (usable - 12) * 32 / 255 - 23
    let wanted = least + (size - least) % (usable - 4)
    let local = wanted <= most ? wanted : least
    guard start + local + 4 <= usable else { return nil }
    var bytes = Array(page[start..<(start + local)])
    var next = page.number(at: start + local, bytes: 4)
    while bytes.count < size {
      guard let overflow = content(next) else { return nil }
      bytes += overflow[4..<(4 + min(size - bytes.count, usable - 4))]
      next = overflow.number(at: 0, bytes: 4)
    }
    return bytes[...]
  }

  private static func values(_ record: ArraySlice<UInt8>) -> [Value]? {
    let bytes = Array(record)
    var at = 0
    guard let length = bytes.variable(&at), length >= at, length <= bytes.count else { return nil }
    let headerEnd = Int(length)
    var body = headerEnd
    var values: [Value] = []
    while at < headerEnd {
      guard let type = bytes.variable(&at), type >= 0, type != 10, type != 11 else { return nil }
      let size = type >= 12 ? Int((type - 12) / 2) : [0, 1, 2, 3, 4, 6, 8, 8, 0, 0][Int(type)]
      guard size <= bytes.count - body else { return nil }
      let content = bytes[body..<(body + size)]
      body += size
      switch type {
      case 0: values.append(.null)
      case 8, 9: values.append(.integer(type - 8))
      case 1...6: values.append(.integer(signed(content)))
      case 7: values.append(.real(Double(bitPattern: UInt64(bitPattern: signed(content)))))
      case _ where type % 2 == 0: values.append(.blob(Array(content)))
      default: values.append(.text(String(decoding: content, as: UTF8.self)))
      }
    }
    return at == headerEnd ? values : nil
  }

  /// A big-endian integer.
  private static func signed(_ bytes: ArraySlice<UInt8>) -> Int64 {
    let negative = (bytes.first ?? 0) >= 0x80
    return bytes.reduce(negative ? -1 : 0) { $0 << 8 | Int64($1) }
  }
}

extension [UInt8] {
  /// A big-endian number.
  fileprivate func number(at offset: Int, bytes: Int) -> Int {
    self[offset..<(offset + bytes)].reduce(0) { $0 << 8 | Int($1) }
  }

  /// As `number`; nil beyond the end.
  fileprivate func checked(at offset: Int, bytes: Int) -> Int? {
    offset >= 0 && offset + bytes <= count ? number(at: offset, bytes: bytes) : nil
  }

  /// SQLite's integers of 1 to 9 bytes; nil beyond the end. Moves `offset` behind it.
  fileprivate func variable(_ offset: inout Int) -> Int64? {
    var value: UInt64 = 0
    for index in 0..<9 {
      guard offset < count else { return nil }
      let byte = self[offset]
      offset += 1
      if index == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
      value = value << 7 | UInt64(byte & 0x7F)
      if byte < 0x80 { return Int64(bitPattern: value) }
    }
    return nil
  }
}
