// SPDX-License-Identifier: MIT

#if canImport(Glibc)
  internal import Glibc
#endif

/// Replaces files by rename, so that a reader sees either the old content or the new one.
package enum FileReplacement {
  /// - Parameters:
  ///   - draft: The path of the new file until it is renamed; nil for that of the file with `.new`. Only one process may
  ///     write it at a time.
  ///   - isDurable: Whether the content is synced before it is renamed.
  ///   - giveRights: Is given the descriptor of the new file while that is empty.
  ///   - failure: The error for a sentence and an `errno` value.
  package static func write<Failure: Error>(
    _ bytes: [UInt8], to path: String, draft: String? = nil, isDurable: Bool = true,
    giveRights: (Int32) -> Void = { _ in }, failure: (String, Int32) -> Failure
  ) throws(Failure) {
    let draft = draft ?? path + ".new"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o666)
    guard descriptor >= 0 else { throw failure("\(draft) cannot be written", errno) }
    defer { close(descriptor) }
    giveRights(descriptor)
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count, !isDurable || fsync(descriptor) == 0,
      rename(draft, path) == 0
    else {
      let reason = errno
      unlink(draft)
      throw failure("\(path) cannot be written", reason)
    }
  }
}
