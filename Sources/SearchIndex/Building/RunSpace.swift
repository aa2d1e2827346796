// SPDX-License-Identifier: MIT

internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#endif

/// The storage of runs until they are joined: shared memory up to a limit, then the directory of the index.
final class RunSpace: Sendable {
  /// One database of a run, or of several joined.
  struct Location: Sendable {
    let path: String
    /// Its size in bytes, or the expected size while it is written.
    fileprivate(set) var bytes = 0
    let isInMemory: Bool
  }

  private struct State {
    var used = 0
    var peak = 0
    var made = 0
    var disk: ScratchDirectory?
  }

  static let memoryPath = "/dev/shm"

  private let memory: ScratchDirectory?
  private let budget: Int
  private let diskPath: String
  private let state = Mutex(State())

  /// - Parameters:
  ///   - diskPath: The directory beside the index.
  ///   - memory: The maximum of shared memory in bytes; the limit is lower if less is free.
  init(diskPath: String, memory: Int) {
    self.diskPath = diskPath
    budget = min(memory, Self.freeMemory())
    self.memory = budget > 0 ? ScratchDirectory(in: Self.memoryPath) : nil
  }

  /// A new location for about so many bytes.
  func location(for bytes: Int) throws(IndexError) -> Location {
    if let memory, reserve(bytes) {
      return Location(path: memory.path + "/" + nextName(), bytes: bytes, isInMemory: true)
    }
    return try locationOnDisk()
  }

  /// Counts the bytes before they are written, because other threads reserve memory at the same time.
  private func reserve(_ bytes: Int) -> Bool {
    state.withLock { state in
      guard state.used + bytes <= budget else { return false }
      state.used += bytes
      state.peak = max(state.peak, state.used)
      return true
    }
  }

  func locationOnDisk() throws(IndexError) -> Location {
    let directory = state.withLock { state -> ScratchDirectory? in
      if state.disk == nil { state.disk = ScratchDirectory(in: diskPath) }
      return state.disk
    }
    guard let directory else {
      throw IndexDirectory.failure("a directory in \(diskPath) cannot be created")
    }
    return Location(path: directory.path + "/" + nextName(), isInMemory: false)
  }

  private func nextName() -> String {
    state.withLock { state in
      state.made += 1
      return String(state.made)
    }
  }

  /// Updates the size of a location after writing to it.
  func count(_ location: inout Location) {
    let bytes = IndexDirectory.bytes(of: location.path)
    if location.isInMemory {
      let grown = bytes - location.bytes
      state.withLock { state in
        state.used += grown
        state.peak = max(state.peak, state.used)
      }
    }
    location.bytes = bytes
  }

  /// Removes all locations.
  func discard() {
    for directory in [memory, state.withLock(\.disk)] { directory.map { ScratchDirectory.discard($0.path) } }
  }

  /// The maximum of shared memory in bytes that was used or reserved.
  var peakMemory: Int { state.withLock { $0.peak } }

  func remove(_ location: Location) {
    IndexDirectory.removeFlat(location.path)
    if location.isInMemory { state.withLock { $0.used -= location.bytes } }
  }

  /// Half of what is free in /dev/shm, and no more than a quarter of the memory that the machine can spare.
  private static func freeMemory() -> Int {
    min((IndexDirectory.freeBytes(at: memoryPath) ?? 0) / 2, (MachineLimits.availableMemory() ?? 0) / 4)
  }
}
