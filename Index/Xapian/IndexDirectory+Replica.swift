// SPDX-License-Identifier: MIT

#if canImport(Glibc)
  internal import Glibc
#endif

/// A directory that contains a replica: a copy of the index of another machine, which Xapian's replication updates.
///
/// ```
/// XAPIANDB (auto copy-0001)   replica.lock   replica.json   announced/   copy-0001/ (Xapian's: XAPIANDB, replica_0/)
/// ```
extension IndexDirectory {
  static let copyPrefix = "copy-"

  /// The file that describes the replication.
  package var replicaPath: String { path + "/replica.json" }
  /// The replica of what the other machine announces.
  var announcedPath: String { path + "/announced" }
  func path(ofCopy number: Int) -> String { path + "/" + Self.name(number, prefix: Self.copyPrefix) }

  /// Whether the directory contains a replica, or one whose first copy is not complete yet.
  package var isReplica: Bool { access(replicaPath, F_OK) == 0 }

  /// Refuses to write where only the replication writes.
  func refuseReplica() throws(IndexError) {
    guard isReplica else { return }
    throw IndexError(
      .foreign, "\(path) is a replica, which only its replication writes", recovery: .chooseOtherDirectory)
  }

  /// The numbers of all copies, ascending. There are two only while a damaged one is being replaced.
  func copies() -> [Int] {
    (Self.list(path) ?? []).compactMap { Self.number($0[...], prefix: Self.copyPrefix) }.sorted()
  }

  /// The database in a copy that may not serve yet.
  func serving(copy number: Int) throws(IndexError) -> Generation { try serving(copy: number, marks: []) }

  /// The database that serves in a copy. Xapian writes a stub, which names one of two directories.
  func serving(copy number: Int, marks: [Int]) throws(IndexError) -> Generation {
    let directory = path(ofCopy: number)
    var status = stat()
    guard stat(directory + "/XAPIANDB", &status) == 0, let stub = Self.read(directory + "/XAPIANDB"),
      let line = stub.split(separator: "\n").first(where: { $0.hasPrefix("auto replica_") })
    else {
      throw IndexError(.corrupt, "\(directory) does not contain a complete copy", recovery: .copyAgain)
    }
    return Generation(
      number: number, path: directory + "/" + line.dropFirst("auto ".count),
      stub: marks + [Int(status.st_ino), status.st_mtim.tv_sec, status.st_mtim.tv_nsec])
  }

  /// Makes a complete copy the serving one, durably, and removes the others.
  func flip(toCopy number: Int) throws(IndexError) {
    try flip(toDirectory: Self.name(number, prefix: Self.copyPrefix))
    for other in copies() where other != number { removeCopy(other) }
  }

  func removeCopy(_ number: Int) { Self.removeReplica(path(ofCopy: number)) }

  /// Removes a directory that Xapian's replication made.
  static func removeReplica(_ directory: String) {
    for name in list(directory) ?? [] { removeFlat(directory + "/" + name) }
    removeFlat(directory)
  }

  /// The size of all files of the serving database, in bytes.
  package func bytes(of generation: Generation) -> Int { Self.bytes(of: generation.path) }

  /// Creates the directory of a replica. An existing directory must be empty, or contain a replica.
  func makeReplica() throws(IndexError) {
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw Self.failure("the directory \(path) cannot be created")
    }
    guard !isReplica else { return }
    guard let names = Self.list(path) else { throw unreadable() }
    let isIndex = try serving() != nil
    guard !isIndex else {
      throw IndexError(.foreign, "\(path) is an index, not a replica", recovery: .chooseOtherDirectory)
    }
    guard names.isEmpty else {
      throw IndexError(
        .foreign, "\(path) is not a replica: it contains \(names.sorted()[0])", recovery: .chooseOtherDirectory)
    }
  }
}
