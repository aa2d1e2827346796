// SPDX-License-Identifier: MIT

internal import Base

#if canImport(Glibc)
  internal import Glibc
#endif

/// The directory of an index. It contains a stub that names the serving generation, the generations, lock files, and
/// the definitions and states of saved searches.
///
/// ```
/// XAPIANDB (auto gen-0002)   tailer.lock   rebuild.lock   gen-0001/   gen-0002/   saved.json   saved-NAME.sqlite
/// ```
package struct IndexDirectory: Sendable {
  package let path: String

  package init(path: String) { self.path = path }

  /// The generation that the stub named when it was read.
  package struct Generation: Equatable, Sendable {
    package let number: Int
    package let path: String
    /// Distinguishes two stubs that name the same generation.
    let stub: [Int]
  }

  private var stubPath: String { path + "/XAPIANDB" }
  package func path(ofGeneration number: Int) -> String { path + "/" + Self.name(number) }

  static func name(_ number: Int, prefix: String = "gen-") -> String {
    let digits = String(number)
    return prefix + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  static func number(_ name: Substring, prefix: String = "gen-") -> Int? {
    let digits = name.dropFirst(prefix.count)
    guard name.hasPrefix(prefix), (4...9).contains(digits.utf8.count),
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int(digits)
  }

  /// The serving generation; nil if there is no index yet.
  ///
  /// - Throws: `IndexError.foreign` if the directory belongs to another program, `.unreadable`.
  package func serving() throws(IndexError) -> Generation? {
    var status = stat()
    guard stat(stubPath, &status) == 0 else {
      guard errno == ENOENT || errno == ENOTDIR else { throw unreadable() }
      if !isReplica { try refuseForeign() }
      return nil
    }
    guard let stub = Self.read(stubPath) else { throw unreadable() }
    let parts = stub.split(whereSeparator: \.isWhitespace)
    let marks = [Int(status.st_ino), status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
    if parts.count == 2, parts[0] == "auto", let copy = Self.number(parts[1], prefix: Self.copyPrefix) {
      return try serving(copy: copy, marks: marks)
    }
    guard parts.count == 2, parts[0] == "auto", let number = Self.number(parts[1]) else {
      guard generations().isEmpty else {
        throw IndexError(
          .corrupt, "the stub \(stubPath) does not say which generation serves", recovery: .rebuildIndex)
      }
      throw IndexError(
        .foreign, "\(path) is a Xapian database of another program", recovery: .chooseOtherDirectory)
    }
    return Generation(number: number, path: path(ofGeneration: number), stub: marks)
  }

  /// The newest generation, even if the stub names another one or cannot be read.
  func newest() -> Generation? {
    generations().last.map { Generation(number: $0, path: path(ofGeneration: $0), stub: []) }
  }

  private func refuseForeign() throws(IndexError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      guard errno == ENOENT || errno == ENOTDIR else { throw unreadable() }
      return
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw IndexError(.foreign, "\(path) is not a directory", recovery: .chooseOtherDirectory)
    }
    guard let names = Self.list(path) else { throw unreadable() }
    let foreign = names.first { name in
      Self.number(name[...]) == nil && !ScratchDirectory.isOne(name)
        && !["tailer.lock", "rebuild.lock", "XAPIANDB", "XAPIANDB.new", Self.servedName].contains(name)
        && !name.hasPrefix("saved")
    }
    if let foreign {
      throw IndexError(
        .foreign, "\(path) is not an index of followspot: it holds \(foreign)",
        recovery: .chooseOtherDirectory)
    }
  }

  func unreadable() -> IndexError { Self.failure("\(path) cannot be read") }

  /// The numbers of all generations, ascending.
  package func generations() -> [Int] { (Self.list(path) ?? []).compactMap { Self.number($0[...]) }.sorted() }

  /// Creates the directory if it is missing, and gives it the permissions of the store's file.
  package func make(rightsOf storePath: String) throws(IndexError) {
    try refuseReplica()
    // Refuse a stub of another program, but continue with a damaged one.
    do {
      _ = try serving()
    } catch {
      guard error.code == .corrupt else { throw error }
    }
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      let reason = errno
      var parent = Self.parent(of: path)
      while access(parent, F_OK) != 0, parent != Self.parent(of: parent) { parent = Self.parent(of: parent) }
      // A directory above may be missing because it could not be made.
      let isWritable = reason != ENOENT || access(parent, W_OK | X_OK) == 0
      throw Self.failure("the directory \(path) cannot be created", isWritable ? reason : errno)
    }
    takeRights(of: storePath, always: true)
    try Self.syncDirectory(Self.parent(of: path))
  }

  /// Makes generation `number` the serving one, durably, by renaming a new stub over the old one.
  package func flip(to number: Int) throws(IndexError) { try flip(toDirectory: Self.name(number)) }

  func flip(toDirectory name: String) throws(IndexError) {
    try FileReplacement.write(
      Array("auto \(name)\n".utf8), to: stubPath, giveRights: giveRights, failure: Self.failure)
    try Self.syncDirectory(path)
  }

  /// An error of the system, with its reason and a hint.
  static func failure(_ what: String, _ reason: Int32 = errno) -> IndexError {
    let message = "\(what): \(String(cString: strerror(reason)))"
    return switch reason {
    case ENOSPC, EDQUOT, EFBIG: IndexError(.full, message, recovery: .freeSpace)
    case EMFILE, ENFILE, ENOMEM:
      IndexError(.limit, message, recovery: .raiseLimits([.openFiles]))
    case EACCES, EPERM, EROFS: IndexError(.unreadable, message, recovery: .checkPermissions)
    default: IndexError(.unreadable, message, recovery: .checkDisk)
    }
  }

  /// Removes the directory of a generation, if it exists. If it is a link, only the link is removed.
  package func removeGeneration(_ number: Int) {
    Self.removeFlat(path(ofGeneration: number))
  }

  /// The free bytes in the file system of a path for this process; nil if they are unknown.
  package static func freeBytes(at path: String) -> Int? {
    var status = statvfs()
    guard statvfs(path, &status) == 0, status.f_blocks > 0 else { return nil }
    return Int(status.f_bavail) * Int(status.f_frsize)
  }

  /// Removes a directory that contains only files.
  static func removeFlat(_ directory: String) {
    var status = stat()
    guard lstat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      unlink(directory)
      return
    }
    for name in list(directory) ?? [] { unlink(directory + "/" + name) }
    rmdir(directory)
  }

  /// The size of all files of a generation, in bytes.
  package func bytes(ofGeneration number: Int) -> Int {
    Self.bytes(of: path(ofGeneration: number))
  }

  /// The size of all files of a directory, in bytes.
  static func bytes(of directory: String) -> Int {
    (list(directory) ?? []).reduce(0) { sum, name in
      var status = stat()
      return stat(directory + "/" + name, &status) == 0 ? sum + Int(status.st_size) : sum
    }
  }

  /// The time of a generation's last commit, in seconds since 1970 UTC. Each commit replaces Xapian's version file.
  package func lastCommit(ofGeneration number: Int) -> Double? {
    var status = stat()
    guard stat(path(ofGeneration: number) + "/iamglass", &status) == 0 else { return nil }
    return Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
  }

  /// Syncs a generation that a bulk writer made: every file, its directory and the parent.
  package func sync(generation number: Int) throws(IndexError) {
    let directory = path(ofGeneration: number)
    Self.settleRights(ofGeneration: directory)
    for name in Self.list(directory) ?? [] { try Self.sync(directory + "/" + name, flags: O_RDONLY) }
    try Self.syncDirectory(directory)
    try Self.syncDirectory(path)
  }

  /// Makes the names of its files durable.
  package func sync() throws(IndexError) { try Self.syncDirectory(path) }

  static func syncDirectory(_ path: String) throws(IndexError) { try sync(path, flags: O_RDONLY | O_DIRECTORY) }

  static func sync(_ path: String, flags: Int32) throws(IndexError) {
    let descriptor = open(path, flags | O_CLOEXEC)
    let isSynced = descriptor >= 0 && fsync(descriptor) == 0
    let reason = errno
    if descriptor >= 0 { close(descriptor) }
    guard isSynced else { throw failure("\(path) cannot be synced", reason) }
  }

  // MARK: Files

  static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  static func read(_ path: String) -> String? {
    // Opening must not wait if the file is a pipe.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
  }

  /// The names in a directory, in no particular order; nil with `errno` if it cannot be read.
  package static func list(_ path: String) -> [String]? {
    guard let directory = opendir(path) else { return nil }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }
}
