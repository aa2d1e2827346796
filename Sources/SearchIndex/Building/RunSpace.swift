internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#endif

/// Where runs lie until they are joined: in memory while there is room, else beside the index.
final class RunSpace: Sendable {
  /// One database of a run, or of several joined.
  struct Place: Sendable {
    let path: String
    fileprivate(set) var bytes = 0
    let isInMemory: Bool
  }

  private struct State {
    var used = 0
    var made = 0
    var disk: ScratchDirectory?
  }

  static let memoryPath = "/dev/shm"

  private let memory: ScratchDirectory?
  private let budget: Int
  private let diskPath: String
  private let state = Mutex(State())

  /// - Parameter diskPath: The directory beside the index.
  init(diskPath: String, usesMemory: Bool) {
    self.diskPath = diskPath
    budget = usesMemory ? Self.freeMemory() : 0
    memory = budget > 0 ? ScratchDirectory(in: Self.memoryPath) : nil
  }

  /// A place for about so many bytes.
  func place(for bytes: Int) throws(IndexError) -> Place {
    if let memory, state.withLock({ $0.used + bytes <= budget }) {
      return Place(path: memory.path + "/" + nextName(), isInMemory: true)
    }
    return try placeOnDisk()
  }

  func placeOnDisk() throws(IndexError) -> Place {
    let directory = state.withLock { state -> ScratchDirectory? in
      if state.disk == nil { state.disk = ScratchDirectory(in: diskPath) }
      return state.disk
    }
    guard let directory else {
      let reason = String(cString: strerror(errno))
      throw IndexError(errno == ENOSPC ? .full : .unreadable, "a directory in \(diskPath) cannot be made: \(reason)")
    }
    return Place(path: directory.path + "/" + nextName(), isInMemory: false)
  }

  private func nextName() -> String {
    state.withLock { state in
      state.made += 1
      return String(state.made)
    }
  }

  /// Counts what was written at a place.
  func count(_ place: inout Place) {
    let bytes = IndexDirectory.bytes(of: place.path)
    place.bytes = bytes
    if place.isInMemory { state.withLock { $0.used += bytes } }
  }

  /// Removes every place.
  func discard() {
    for directory in [memory, state.withLock(\.disk)] { directory.map { ScratchDirectory.discard($0.path) } }
  }

  func remove(_ place: Place) {
    IndexDirectory.removeFlat(place.path)
    if place.isInMemory { state.withLock { $0.used -= place.bytes } }
  }

  /// Half of what is free in /dev/shm, and no more than a quarter of the memory that the machine can spare.
  private static func freeMemory() -> Int {
    min((IndexDirectory.freeBytes(at: memoryPath) ?? 0) / 2, (availableMemory() ?? 0) / 4)
  }

  private static func availableMemory() -> Int? {
    guard
      let line = IndexDirectory.read("/proc/meminfo")?.split(separator: "\n").first(where: {
        $0.hasPrefix("MemAvailable:")
      }), let kilobytes = Int(line.split(separator: " ")[1])
    else { return nil }
    // A control group may allow less than the machine has.
    guard let limit = number("/sys/fs/cgroup/memory.max"), let used = number("/sys/fs/cgroup/memory.current") else {
      return kilobytes << 10
    }
    return min(kilobytes << 10, max(0, limit - used))
  }

  private static func number(_ path: String) -> Int? {
    IndexDirectory.read(path)?.split(whereSeparator: \.isWhitespace).first.flatMap { Int($0) }
  }
}
