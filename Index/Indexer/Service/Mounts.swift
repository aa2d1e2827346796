// SPDX-License-Identifier: MIT

/// Which file systems are mounted where, from the text of `/proc/self/mounts`.
package struct Mounts {
  private var kinds: [(mountPoint: String, kind: String)] = []

  package init(_ text: String) {
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: " ")
      guard parts.count > 2 else { continue }
      kinds.append((mountPoint: Self.unescaped(parts[1]), kind: String(parts[2])))
    }
  }

  /// The kind of the file system of an absolute path without links: that of the innermost mount, and of several mounts at
  /// one mount point the last.
  package func kind(of path: String) -> String? {
    var found: (mountPoint: String, kind: String)?
    for mount in kinds
    where Self.contains(mount.mountPoint, path) && mount.mountPoint.count >= (found?.mountPoint.count ?? 0) {
      found = mount
    }
    return found?.kind
  }

  /// Whether a file system of that kind is another machine's, or a program's: locks and shared memory do not hold there
  /// what SQLite and Xapian need of them.
  package static func isRemote(_ kind: String) -> Bool {
    let known: Set<String> = ["nfs", "nfs4", "cifs", "smbfs", "smb3", "9p", "ceph", "afs", "lustre", "gpfs", "vboxsf"]
    return known.contains(kind) || kind.hasPrefix("fuse.")
  }

  private static func contains(_ mountPoint: String, _ path: String) -> Bool {
    mountPoint == "/" || path == mountPoint || path.hasPrefix(mountPoint + "/")
  }

  /// Blanks and backslashes stand as `\040` in octal digits.
  private static func unescaped(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\\"), let code = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8) {
        bytes.append(code)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
