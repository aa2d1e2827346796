internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#endif

/// Where runs lie until they are joined: in memory up to a limit, else beside the index.
final class RunSpace: Sendable {
  /// One database of a run, or of several joined.
  struct Place: Sendable {
    let path: String
    /// Bytes that it takes, or is expected to take while it is being written.
    fileprivate(set) var bytes = 0
    let isInMemory: Bool
  }

  private struct State {
    var used = 0
    var most = 0
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
  ///   - memory: Bytes that may be taken in memory; less is taken where less is free.
  init(diskPath: String, memory: Int) {
    self.diskPath = diskPath
    budget = min(memory, Self.freeMemory())
    self.memory = budget > 0 ? ScratchDirectory(in: Self.memoryPath) : nil
  }

  /// A place for about so many bytes.
  func place(for bytes: Int) throws(IndexError) -> Place {
    if let memory, reserve(bytes) {
      return Place(path: memory.path + "/" + nextName(), bytes: bytes, isInMemory: true)
    }
    return try placeOnDisk()
  }

  /// Counted before it is written: other threads ask meanwhile.
  private func reserve(_ bytes: Int) -> Bool {
    state.withLock { state in
      guard state.used + bytes <= budget else { return false }
      state.used += bytes
      state.most = max(state.most, state.used)
      return true
    }
  }

  func placeOnDisk() throws(IndexError) -> Place {
    let directory = state.withLock { state -> ScratchDirectory? in
      if state.disk == nil { state.disk = ScratchDirectory(in: diskPath) }
      return state.disk
    }
    guard let directory else {
      throw IndexDirectory.failure("a directory in \(diskPath) cannot be made")
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
    if place.isInMemory {
      let grown = bytes - place.bytes
      state.withLock { state in
        state.used += grown
        state.most = max(state.most, state.used)
      }
    }
    place.bytes = bytes
  }

  /// Removes every place.
  func discard() {
    for directory in [memory, state.withLock(\.disk)] { directory.map { ScratchDirectory.discard($0.path) } }
  }

  /// Bytes that were taken in memory at most, or were about to be.
  var mostMemory: Int { state.withLock { $0.most } }

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
    let group = controlGroup()
    guard let limit = ["max", "high"].compactMap({ number(group + "/memory." + $0) }).min(),
      let used = number(group + "/memory.current")
    else { return kilobytes << 10 }
    return min(kilobytes << 10, max(0, limit - used))
  }

  /// The directory of this process's control group: the line of the unified hierarchy is `0::/PATH`.
  private static func controlGroup() -> String {
    let line = IndexDirectory.read("/proc/self/cgroup")?.split(separator: "\n").first { $0.hasPrefix("0::") }
    return "/sys/fs/cgroup" + (line?.dropFirst(3) ?? "")
  }

  private static func number(_ path: String) -> Int? {
    IndexDirectory.read(path)?.split(whereSeparator: \.isWhitespace).first.flatMap { Int($0) }
  }
}
