// SPDX-License-Identifier: MIT

internal import FoundationEssentials
internal import SearchIndex
internal import Store

/// The token of an index that another process or another part of this one updates. It is read only after a commit.
struct CommittedToken {
  let directory: IndexDirectory
  private var seen: (generation: IndexDirectory.Generation, commit: Double)?

  /// Seconds in which another commit can have the same time in the file system.
  private static let granularity = 0.05

  init(directory: IndexDirectory) { self.directory = directory }

  /// The number of the newest indexed transaction; nil if there was no commit since the last call, or if the index cannot
  /// be read now.
  mutating func next() -> Int64? {
    guard let serving = try? directory.serving(), let commit = directory.lastCommit(ofGeneration: serving.number)
    else { return nil }
    if let seen, seen == (serving, commit) { return nil }
    guard let token = try? IndexState.readToken(IndexReader(path: serving.path)) else { return nil }
    if Date().timeIntervalSince1970 - commit > Self.granularity { seen = (serving, commit) }
    return token.number
  }
}
