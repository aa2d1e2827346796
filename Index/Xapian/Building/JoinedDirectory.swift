// SPDX-License-Identifier: MIT

#if canImport(Glibc)
  internal import Glibc
#endif

/// The directory of joined databases: each has all documents of some other databases. The newest one counts.
package struct JoinedDirectory: Sendable {
  let path: String

  package init(path: String) { self.path = path }

  /// The number of databases that are joined at once. Xapian opens four files of each.
  private static let fan = 64
  private static let prefix = "joined-"

  private func path(of number: Int) -> String { path + "/" + IndexDirectory.name(number, prefix: Self.prefix) }

  /// Ascending.
  private var numbers: [Int] {
    (IndexDirectory.list(path) ?? []).compactMap { IndexDirectory.number($0[...], prefix: Self.prefix) }.sorted()
  }

  /// The path of the newest joined database; nil if there is none.
  package var newest: String? { numbers.last.map(path(of:)) }

  /// Removes all joined databases.
  package func clear() { for number in numbers { ScratchDirectory.discard(path(of: number)) } }

  /// Joins databases. The documents of each follow those of the one before it; what is in between is left out.
  ///
  /// - Parameters:
  ///   - sources: The paths of the databases. Nobody may write them meanwhile.
  ///   - check: Called regularly; it may throw to end the work.
  ///   - describe: Called with the path of the joined database before it becomes the newest one. It may add files.
  /// - Throws: `IndexError`; what `check` and `describe` throw. Nothing has changed then.
  package func join(
    _ sources: [String], check: @escaping () throws -> Void, describe: (String) throws -> Void
  ) throws {
    for parent in [IndexDirectory.parent(of: IndexDirectory.parent(of: path)), IndexDirectory.parent(of: path), path] {
      guard mkdir(parent, 0o700) == 0 || errno == EEXIST else {
        throw IndexDirectory.failure("the directory \(parent) cannot be created")
      }
    }
    ScratchDirectory.sweep(path)
    guard let scratch = ScratchDirectory(in: path) else {
      throw IndexDirectory.failure("\(path) cannot be written")
    }
    var (sources, made) = (sources, 0)
    while sources.count > Self.fan {
      sources = try stride(from: 0, to: sources.count, by: Self.fan).map { start in
        made += 1
        let part = scratch.path + "/" + String(made)
        try Self.join(sources[start..<min(start + Self.fan, sources.count)], at: part, check)
        return part
      }
    }
    let draft = scratch.path + "/joined"
    try Self.join(sources[...], at: draft, check)
    try describe(draft)
    try check()
    for name in IndexDirectory.list(draft) ?? [] { try IndexDirectory.sync(draft + "/" + name, flags: O_RDONLY) }
    try IndexDirectory.syncDirectory(draft)
    let earlier = numbers
    let new = path(of: (earlier.last ?? 0) + 1)
    guard rename(draft, new) == 0 else { throw IndexDirectory.failure("\(new) cannot be created") }
    try IndexDirectory.syncDirectory(path)
    for number in earlier { ScratchDirectory.discard(path(of: number)) }
  }

  private static func join(_ sources: ArraySlice<String>, at path: String, _ check: @escaping () throws -> Void) throws
  {
    var reason: (any Error)?
    do {
      try DatabaseJoin.run(sources, at: path, renumbers: true) {
        do { try check() } catch { reason = error }
        return reason != nil
      }
    } catch {
      throw reason ?? error
    }
  }
}
