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
    /// Complete databases by level and by the group in which they will be joined.
    var complete: [[Int: [RunSpace.Location]]] = []
    var failure: IndexError?
    var isCancelled = false
    var working: Int
    /// The number of threads that are writing a run.
    var writing = 0
  }

  private let fan: Int
  private let path: String
  private let stemmer: String
  private let space: RunSpace
  private let state: Mutex<State>
  let queue = BoundedQueue<Run>(capacity: 1)

  init(path: String, stemmer: String, space: RunSpace, threads: Int, fan: Int) {
    self.path = path
    self.stemmer = stemmer
    self.space = space
    self.fan = fan
    state = Mutex(State(working: threads))
  }

  var peakMemory: Int { space.peakMemory }
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

  /// Removes where the runs lie, beneath threads that may still join some.
  func discard() { space.discard() }

  /// What each thread does: runs while there are any, and the last thread joins them.
  func work() {
    do {
      while let run = queue.pop() {
        guard begin() else { break }
        let location = try written(run)
        try complete(location, level: 0, number: run.number)
      }
    } catch {
      state.withLock { if $0.failure == nil { $0.failure = error } }
      cancel()
    }
    let rest: [RunSpace.Location]? = state.withLock { state in
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

  private func written(_ run: Run) throws(IndexError) -> RunSpace.Location {
    defer { state.withLock { $0.writing -= 1 } }
    return try write(run)
  }

  private func write(_ run: Run) throws(IndexError) -> RunSpace.Location {
    // Many times the bytes of its texts: half-filled blocks of words and positions, and some blocks in any case.
    var location = try space.location(for: run.bytes * 20 + (64 << 10))
    do throws(IndexError) {
      try write(run, at: location)
    } catch {
      // A full /dev/shm is not always reported as such.
      guard error.code != .rejected, location.isInMemory else { throw error }
      space.remove(location)
      location = try space.locationOnDisk()
      try write(run, at: location)
    }
    space.count(&location)
    return location
  }

  private func write(_ run: Run, at location: RunSpace.Location) throws(IndexError) {
    let writer = try IndexWriter(path: location.path, stemmer: stemmer, mode: .run)
    for (offset, document) in run.documents.enumerated() {
      if offset % 16 == 0, isCancelled { return }
      try writer.append(document, number: run.firstDocument + UInt32(offset))
    }
    try writer.commit(metadata: [:])
  }

  private func complete(_ location: RunSpace.Location, level: Int, number: Int) throws(IndexError) {
    let group: [RunSpace.Location]? = state.withLock { state in
      if state.complete.count == level { state.complete.append([:]) }
      state.complete[level][number / fan, default: []].append(location)
      guard state.complete[level][number / fan]?.count == fan else { return nil }
      return state.complete[level].removeValue(forKey: number / fan)
    }
    guard let group, !isCancelled else { return }
    var joined = try space.location(for: group.reduce(0) { $0 + $1.bytes })
    try join(group, at: joined.path)
    space.count(&joined)
    try complete(joined, level: level + 1, number: number / fan)
  }

  private func join(_ locations: [RunSpace.Location], at path: String) throws(IndexError) {
    try DatabaseJoin.run(locations.map(\.path), at: path, renumbers: false) { self.isCancelled }
    for location in locations { space.remove(location) }
  }
}
