#if canImport(Glibc)
  internal import Glibc
#endif

/// A copy of a database and its write-ahead log or journal, in a directory that only the user can read.
struct PrivateCopy {
  let path: String
  /// The sizes and times of the original files when they were copied.
  let marks: [Int]

  private let directory: String
  private static let suffixes = ["", "-wal", "-journal"]
  private static let attempts = 10

  /// - Parameter marks: Returns marks that differ between states of the files.
  init(of original: String, marks: () -> [Int]) throws {
    var template = Array((Self.temporaryDirectory + "/followspot-copy-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw ExternalFiles.failure(String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
    let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let path = directory + "/store"
    var isEqual = false
    var seen: [Int] = []
    do {
      for _ in 0..<Self.attempts where !isEqual {
        seen = marks()
        for suffix in Self.suffixes { try Self.copy(original + suffix, to: path + suffix) }
        isEqual = seen == marks()
      }
      guard isEqual else {
        throw StoreError(.busy, "\(original) changed while it was copied", recovery: .retry)
      }
    } catch {
      Self.remove(directory)
      throw error
    }
    (self.directory, self.path, self.marks) = (directory, path, seen)
  }

  func remove() { Self.remove(directory) }

  private static func remove(_ directory: String) {
    for suffix in suffixes + ["-shm"] { unlink(directory + "/store" + suffix) }
    rmdir(directory)
  }

  private static var temporaryDirectory: String {
    guard let path = getenv("TMPDIR").map({ String(cString: $0) }), path.hasPrefix("/") else { return "/tmp" }
    return path
  }

  private static func copy(_ source: String, to path: String) throws {
    let from = open(source, O_RDONLY | O_CLOEXEC)
    guard from >= 0 else {
      // The log may have been removed meanwhile.
      if errno == ENOENT { unlink(path) } else { throw ExternalFiles.failure(source) }
      return
    }
    defer { close(from) }
    let to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard to >= 0 else { throw ExternalFiles.failure(path) }
    defer { close(to) }
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = read(from, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw ExternalFiles.failure(source) }
      guard count > 0 else { return }
      var written = 0
      while written < count {
        let part = buffer.withUnsafeBytes { Glibc.write(to, $0.baseAddress! + written, count - written) }
        if part < 0 && errno == EINTR { continue }
        guard part > 0 else { throw ExternalFiles.failure(path) }
        written += part
      }
    }
  }
}
