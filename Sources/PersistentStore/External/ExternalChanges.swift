internal import FoundationEssentials

#if canImport(Glibc)
  internal import Glibc
#endif

/// Files that one save writes, and those that are no longer needed once it is committed.
///
/// New files are there before the commit, old ones until after it. What an interrupted save leaves is noted before it
/// is done, and settled by a later opening.
final class ExternalChanges {
  private let files: ExternalFiles
  private let storeUUID: String
  private var added: [String] = []
  private var dropped: [String] = []
  private var notes: (path: String, descriptor: Int32)?

  init(_ files: ExternalFiles, storeUUID: String) {
    self.files = files
    self.storeUUID = storeUUID
  }

  deinit { if let notes { close(notes.descriptor) } }

  /// So many files were written.
  var count: Int { added.count }

  /// Writes a value to a new file.
  ///
  /// - Returns: The file's name.
  func add(_ bytes: [UInt8]) throws -> String {
    let name = UUID().uuidString
    try note(name)
    added.append(name)
    try files.write(bytes, to: name)
    return name
  }

  /// The value is no longer needed after the commit.
  func drop(_ name: String) throws {
    try note(name)
    dropped.append(name)
  }

  /// Takes the newest files back, down to `count`.
  func takeBack(to count: Int) {
    for name in added[count...] { files.remove(name) }
    added.removeLast(added.count - count)
  }

  // MARK: The end of a save

  /// Makes everything durable that the commit needs.
  func prepare() throws { if !added.isEmpty { try files.sync() } }

  func committed() {
    for name in dropped { files.remove(name) }
    forget()
  }

  func rolledBack() {
    takeBack(to: 0)
    forget()
  }

  /// Leaves all files, and the notes for the next opening.
  func leave() {
    (added, dropped) = ([], [])
    if let notes { close(notes.descriptor) }
    notes = nil
  }

  private func forget() {
    if let notes { unlink(notes.path) }
    leave()
  }

  // MARK: Notes

  private func note(_ name: String) throws {
    let (path, descriptor) = try openNotes()
    let line = name + "\n"
    guard Glibc.write(descriptor, line, line.utf8.count) == line.utf8.count else { throw ExternalFiles.failure(path) }
  }

  private func openNotes() throws -> (path: String, descriptor: Int32) {
    if let notes { return notes }
    try files.makeDirectory(files.pending)
    let path = "\(files.pending)/\(storeUUID).\(UUID().uuidString)"
    let descriptor = try files.make(path)
    notes = (path, descriptor)
    return (path, descriptor)
  }
}

extension ExternalFiles {
  /// The notes of interrupted saves of a store: where they are, and which files they name. Those of a save that is
  /// still open are among them.
  func notes(ofStore uuid: String) -> [(path: String, names: [String])] {
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
      // What became no whole line became no file.
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
