// SPDX-License-Identifier: MIT

internal import Base
internal import CXapian

#if canImport(Glibc)
  internal import Glibc
#endif

/// An index that is served to replicas: its writer keeps the changes of the last commits as files, the changesets.
///
/// The directory `served` turns this on. It contains a link to the index, what the server announces, and the number of
/// changesets.
extension IndexDirectory {
  static let servedName = "served"

  /// What the replication server offers: databases by the names `index` and `announced`.
  var servedPath: String { path + "/" + Self.servedName }

  /// The maximum number of changesets that the writer of a generation keeps; nil if the index is not served.
  var changesets: Int? {
    Self.read(servedPath + "/changesets").flatMap { Int($0.split(whereSeparator: \.isWhitespace).first ?? "") }
  }

  /// Makes the writer keep changesets from its next commits on.
  func serve(changesets: Int) throws(IndexError) {
    guard mkdir(servedPath, 0o700) == 0 || errno == EEXIST else {
      throw Self.failure("\(servedPath) cannot be created")
    }
    let link = servedPath + "/index"
    guard symlink("..", link) == 0 || errno == EEXIST else { throw Self.failure("\(link) cannot be created") }
    try FileReplacement.write(
      Array("\(changesets)\n".utf8), to: servedPath + "/changesets", isDurable: false, giveRights: giveRights,
      failure: Self.failure)
  }

  /// Makes the writer keep no changesets, and removes those of all generations.
  package func endServing() {
    Self.removeFlat(servedPath + "/announced")
    Self.removeFlat(servedPath)
    for number in generations() { Changesets.remove(in: path(ofGeneration: number)) }
  }
}

/// The changesets of a generation. Xapian writes one at each commit, as the file `changesN`, if an environment variable
/// says how many it may keep.
enum Changesets {
  /// The smallest size of an index in bytes whose changesets are limited by the size of the index.
  private static let least = 16 << 20

  /// Tells Xapian how many changesets the writer of a generation keeps. The next commit but one obeys.
  static func prepare(generation path: String) -> Int {
    let count = IndexDirectory(path: IndexDirectory.parent(of: path)).changesets ?? 0
    cx_keep_changesets(Int32(clamping: count))
    return count
  }

  /// Removes the oldest changesets if all together are larger than the database. A copy of it is then cheaper.
  static func limit(in path: String) {
    var sizes: [(number: Int, bytes: Int)] = []
    var total = 0
    var database = 0
    for name in IndexDirectory.list(path) ?? [] {
      var status = stat()
      guard stat(path + "/" + name, &status) == 0 else { continue }
      if let number = number(name) {
        sizes.append((number, Int(status.st_size)))
        total += Int(status.st_size)
      } else {
        database += Int(status.st_size)
      }
    }
    for (number, bytes) in sizes.sorted(by: { $0.number < $1.number }) where total > max(database, least) {
      unlink("\(path)/changes\(number)")
      total -= bytes
    }
  }

  static func remove(in path: String) {
    for name in IndexDirectory.list(path) ?? [] where number(name) != nil { unlink(path + "/" + name) }
  }

  private static func number(_ name: String) -> Int? {
    name.hasPrefix("changes") ? Int(name.dropFirst("changes".count)) : nil
  }
}
