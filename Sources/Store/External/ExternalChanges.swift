// SPDX-License-Identifier: MIT

internal import FoundationEssentials

#if canImport(Glibc)
  internal import Glibc
#endif

/// The external files that a save writes, and those that are no longer needed after its commit.
///
/// New files are written before the commit, and old ones are deleted after it. Each step is first recorded in a
/// journal, so that the next opening can clean up after an interrupted save.
final class ExternalChanges {
  private let files: ExternalFiles
  private let storeUUID: String
  private var added: [String] = []
  private var dropped: [String] = []
  private var journal: (path: String, descriptor: Int32)?

  init(_ files: ExternalFiles, storeUUID: String) {
    self.files = files
    self.storeUUID = storeUUID
  }

  deinit { if let journal { close(journal.descriptor) } }

  /// The number of files that were written.
  var count: Int { added.count }

  /// Writes a value to a new file and returns the file's name.
  func add(_ bytes: [UInt8]) throws -> String {
    let name = UUID().uuidString
    try record(name)
    added.append(name)
    try files.write(bytes, to: name)
    return name
  }

  /// Schedules the deletion of a file after the commit.
  func drop(_ name: String) throws {
    try record(name)
    dropped.append(name)
  }

  /// Removes the newest files until only `count` are left.
  func removeAdded(downTo count: Int) {
    for name in added[count...] { files.remove(name) }
    added.removeLast(added.count - count)
  }

  // MARK: The end of a save

  /// Makes the written files durable. Call it before the commit.
  func prepare() throws { if !added.isEmpty { try files.sync() } }

  func committed() {
    for name in dropped { files.remove(name) }
    deleteJournal()
  }

  func rolledBack() {
    removeAdded(downTo: 0)
    deleteJournal()
  }

  /// Leaves all files and the journal to the next opening.
  func keepAll() {
    (added, dropped) = ([], [])
    if let journal { close(journal.descriptor) }
    journal = nil
  }

  private func deleteJournal() {
    if let journal { unlink(journal.path) }
    keepAll()
  }

  // MARK: Journal

  private func record(_ name: String) throws {
    let (path, descriptor) = try openJournal()
    let line = name + "\n"
    guard Glibc.write(descriptor, line, line.utf8.count) == line.utf8.count else {
      throw StoreError(systemErrorAt: path)
    }
  }

  private func openJournal() throws -> (path: String, descriptor: Int32) {
    if let journal { return journal }
    try files.makeDirectory(files.pending)
    let path = "\(files.pending)/\(storeUUID).\(UUID().uuidString)"
    let descriptor = try files.createFile(path)
    journal = (path, descriptor)
    return (path, descriptor)
  }
}

extension ExternalFiles {
  /// The journals of a store's interrupted or open saves: their paths, and the names of the files that they list.
  func journals(ofStore uuid: String) -> [(path: String, names: [String])] {
    guard let directory = opendir(pending) else { return [] }
    defer { closedir(directory) }
    var found: [(String, [String])] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name.hasPrefix(uuid + ".") else { continue }
      let path = pending + "/" + name
      guard let bytes = try? Data(contentsOf: URL(filePath: path)) else { continue }
      // A file is written only after its complete line, so an incomplete line has no file.
      let names = bytes.split(separator: UInt8(ascii: "\n")).compactMap { line -> String? in
        guard case .file(let name) = ExternalValue(ExternalValue.stored(file: String(decoding: line, as: UTF8.self)))
        else { return nil }
        return name
      }
      found.append((path, names))
    }
    return found
  }
}
