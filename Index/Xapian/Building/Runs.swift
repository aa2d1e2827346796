// SPDX-License-Identifier: MIT

internal import Synchronization

/// The runs of one build, shared by its threads: small databases of consecutive documents. Groups of neighbours are joined
/// as soon as they are complete.
final class Runs: Sendable {
  /// The consecutive documents of one small database.
  struct Run: Sendable {
    var number = 0
    var firstDocument: UInt32 = 1
    var documents: [Document] = []
    var bytes = 0
  }

  private struct State {
    /// The paths of complete databases by level and by the group in which they will be joined.
    var complete: [[Int: [String]]] = []
    var failure: IndexError?
    var isCancelled = false
    var working: Int
    /// The number of threads that are writing a run.
    var writing = 0
    /// The number of databases that were begun.
    var begun = 0
  }

  private let fan: Int
  private let path: String
  private let stemmer: String
  private let directory: ScratchDirectory
  private let state: Mutex<State>
  let queue = BoundedQueue<Run>(capacity: 1)

  /// - Parameter parent: The directory beside whose files the runs are until they are joined.
  init(path: String, in parent: String, stemmer: String, threads: Int, fan: Int) throws(IndexError) {
    guard let directory = ScratchDirectory(in: parent) else {
      throw IndexDirectory.failure("a directory in \(parent) cannot be created")
    }
    self.path = path
    self.stemmer = stemmer
    self.directory = directory
    self.fan = fan
    state = Mutex(State(working: threads))
  }

  var failure: IndexError? { state.withLock { $0.failure } }
  var isFinished: Bool { state.withLock { $0.working == 0 } }
  private var isCancelled: Bool { state.withLock { $0.isCancelled } }
  /// Whether runs are being written; once cancelled no other begins.
  var isWriting: Bool { state.withLock { $0.writing > 0 } }

  /// The runs are of no use any more.
  func cancel() {
    state.withLock { $0.isCancelled = true }
    queue.close(dropping: true)
  }

  /// Removes where the runs are, beneath threads that may still join some.
  func discard() { ScratchDirectory.discard(directory.path) }

  /// What each thread does: runs while there are any, and the last thread joins them.
  func work() {
    do {
      while let run = queue.pop() {
        guard begin() else { break }
        try complete(try written(run), level: 0, number: run.number)
      }
    } catch {
      state.withLock { if $0.failure == nil { $0.failure = error } }
      cancel()
    }
    let rest: [String]? = state.withLock { state in
      guard state.working == 1, !state.isCancelled else {
        state.working -= 1
        return nil
      }
      return state.complete.flatMap { $0.values.joined() }
    }
    guard let rest else { return }
    do throws(IndexError) {
      try join(rest, at: path)
    } catch {
      state.withLock { $0.failure = error }
    }
    state.withLock { $0.working -= 1 }
  }

  /// Counts a run that is about to be written; false where no more are wanted.
  private func begin() -> Bool {
    state.withLock { state in
      if !state.isCancelled { state.writing += 1 }
      return !state.isCancelled
    }
  }

  private func written(_ run: Run) throws(IndexError) -> String {
    defer { state.withLock { $0.writing -= 1 } }
    let path = newPath()
    let writer = try IndexWriter(path: path, stemmer: stemmer, mode: .run)
    for (offset, document) in run.documents.enumerated() {
      if offset % 16 == 0, isCancelled { return path }
      try writer.append(document, number: run.firstDocument + UInt32(offset))
    }
    try writer.commit(metadata: [:])
    return path
  }

  private func newPath() -> String {
    directory.path + "/"
      + state.withLock { state in
        state.begun += 1
        return String(state.begun)
      }
  }

  private func complete(_ path: String, level: Int, number: Int) throws(IndexError) {
    let group: [String]? = state.withLock { state in
      if state.complete.count == level { state.complete.append([:]) }
      state.complete[level][number / fan, default: []].append(path)
      guard state.complete[level][number / fan]?.count == fan else { return nil }
      return state.complete[level].removeValue(forKey: number / fan)
    }
    guard let group, !isCancelled else { return }
    let joined = newPath()
    try join(group, at: joined)
    try complete(joined, level: level + 1, number: number / fan)
  }

  private func join(_ paths: [String], at path: String) throws(IndexError) {
    try DatabaseJoin.run(paths, at: path, renumbers: false) { self.isCancelled }
    for path in paths { IndexDirectory.removeFlat(path) }
  }
}
