// SPDX-License-Identifier: MIT

internal import Base
internal import Glibc
internal import SearchIndex
internal import Store

/// Checks of the machine: file systems, disk space and change notification.
enum MachineChecks {
  /// The free space in bytes below which the check warns. A rebuild needs space beside the serving generation.
  private static let leastSpace = 64 << 20

  /// The path itself or, if it does not exist, its nearest existing ancestor.
  private static func existing(_ path: String) -> String {
    var path = path
    while access(path, F_OK) != 0, path != "/", path != "." { path = FilePath.parent(of: path) }
    return path
  }

  static func fileSystem(of path: String, _ check: String) -> [Doctor.Finding] {
    guard let resolved = FileIdentity.resolved(existing(path)) else {
      return [.warn(check, "the status of \(path) cannot be read: \(String(cString: strerror(errno)))")]
    }
    guard let mounts = SystemFile.text("/proc/self/mounts"),
      let kind = Mounts(mounts).kind(of: resolved)
    else {
      return []
    }
    guard Mounts.isRemote(kind) else { return [.ok(check, kind)] }
    return [
      .warn(
        check, "\(path) lies on \(kind): changes of other machines are not noticed, and locks may not hold",
        hint: "move it to a local disk")
    ]
  }

  /// Checks whether a save can wake the follower.
  static func notices(beside path: String) -> [Doctor.Finding] {
    guard ChangeNotice(storePath: path) == nil else {
      let limit = number("/proc/sys/fs/inotify/max_user_watches").map { ", \($0) watches a user" } ?? ""
      return [.ok("inotify", "saves are noticed at once\(limit)")]
    }
    return [
      .warn(
        "inotify", "no watch can be had: a follower looks for changes once in a while instead",
        hint: "sysctl fs.inotify.max_user_instances and fs.inotify.max_user_watches print the limits")
    ]
  }

  static func space(for directory: IndexDirectory) -> [Doctor.Finding] {
    var findings: [Doctor.Finding] = []
    let serving = (try? directory.serving()).flatMap(\.self)
    let needed = max(leastSpace, 2 * (serving.map { directory.bytes(ofGeneration: $0.number) } ?? 0))
    if let free = IndexDirectory.freeBytes(at: existing(directory.path)) {
      findings.append(
        free >= needed
          ? .ok("disk", "\(megabytes(free)) free for the index")
          : .warn(
            "disk", "\(megabytes(free)) free for the index; a rebuild may need \(megabytes(needed))",
            hint: "free disk space, or name another directory with --index DIR"))
    }
    return findings
  }

  private static func megabytes(_ bytes: Int) -> String { "\(bytes >> 20) MiB" }

  private static func number(_ path: String) -> Int? {
    SystemFile.text(path).flatMap { Int($0.filter(\.isNumber)) }
  }
}
