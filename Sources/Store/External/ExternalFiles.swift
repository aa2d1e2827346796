// SPDX-License-Identifier: MIT

internal import CSupport
internal import FoundationEssentials

#if canImport(Glibc)
  internal import Glibc
#endif

/// The large values of a store, in Core Data's layout: `.NAME_SUPPORT/_EXTERNAL_DATA/UUID` beside `NAME.store`.
struct ExternalFiles: Sendable {
  private let support: String
  /// The access rights of the store's file. The external files get them, so that the same users may read them. nil if none
  /// are written.
  private let rights: cs_rights?

  private var data: String { support + "/_EXTERNAL_DATA" }
  /// The directory of the journals of open saves.
  var pending: String { support + "/_FOLLOWSPOT_PENDING" }

  /// - Parameters:
  ///   - file: The existing store file without symbolic links: the files belong to the file itself.
  ///   - isWritable: Whether files are written.
  init(storeFile file: String, isWritable: Bool) {
    let name = file.lastIndex(of: "/").map { file[file.index(after: $0)...] } ?? file[...]
    let stem = name.lastIndex(of: ".").flatMap { $0 > name.startIndex ? name[..<$0] : nil } ?? name
    support = String(file[..<name.startIndex]) + ".\(stem)_SUPPORT"
    var found = cs_rights()
    rights = isWritable && cs_rights_of(file, &found) == 0 ? found : nil
  }

  // MARK: Values

  /// Writes a value to a new file. Its content is durable afterwards, and its name after `sync`.
  func write(_ bytes: [UInt8], to name: String) throws {
    try makeDirectory(data)
    let path = data + "/" + name
    let descriptor = try createFile(path)
    defer { close(descriptor) }
    try bytes.withUnsafeBytes { try FileWriter.write($0, to: descriptor, path) }
    guard fsync(descriptor) == 0 else { throw StoreError(systemErrorAt: path) }
  }

  /// Makes the names of written files durable.
  func sync() throws {
    for directory in [data, support, support + "/.."] {
      let descriptor = Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard descriptor >= 0 else { throw StoreError(systemErrorAt: directory) }
      defer { close(descriptor) }
      guard fsync(descriptor) == 0 else { throw StoreError(systemErrorAt: directory) }
    }
  }

  func read(_ name: String) throws -> [UInt8] {
    let path = data + "/" + name
    do {
      return Array(try Data(contentsOf: URL(filePath: path)))
    } catch {
      throw StoreError(
        .unreadable, "the value in \(path) cannot be read",
        recovery: .restoreDirectory(support))
    }
  }

  /// The size of a file in bytes; nil if it does not exist.
  func size(_ name: String) -> Int? {
    var status = stat()
    return stat(data + "/" + name, &status) == 0 ? Int(status.st_size) : nil
  }

  func remove(_ name: String) { unlink(data + "/" + name) }

  func removeEmptyDirectories() { for directory in [data, pending, support] { rmdir(directory) } }

  // MARK: Helpers

  func makeDirectory(_ path: String) throws {
    for directory in [support, path] {
      guard mkdir(directory, 0o700) == 0 || errno == EEXIST else { throw StoreError(systemErrorAt: directory) }
      let descriptor = Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      giveRights(to: descriptor)
      close(descriptor)
    }
  }

  /// Creates a file and opens it for writing; fails if it exists.
  func createFile(_ path: String) throws -> Int32 {
    let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StoreError(systemErrorAt: path) }
    giveRights(to: descriptor)
    return descriptor
  }

  private func giveRights(to descriptor: Int32) {
    if let rights { cs_give_rights(descriptor, rights) }
  }
}
