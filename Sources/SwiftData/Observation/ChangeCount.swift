// SPDX-License-Identifier: MIT

internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#endif

/// Counts the changes of one observer of this module.
///
/// Another thread may change a value after it is read and before its tracking begins. `TrackedReads` compares the counts
/// to detect that.
final class ChangeCount: Sendable {
  fileprivate let number = Atomic(0)

  /// The value is about to be read.
  func noteRead() { TrackedReads.note(self) }

  /// The value has changed, and its observers are not notified yet.
  func note() {
    number.add(1, ordering: .sequentiallyConsistent)
    TrackedReads.noteOwn(self)
  }
}

/// The values of this module's observers that tracking threads have read.
enum TrackedReads {
  private typealias Read = (count: ChangeCount, number: Int)

  private static let trackings = Atomic(0)
  private static let reads = Locked<[pthread_t: [Read]]>([:])

  fileprivate static func note(_ count: ChangeCount) {
    guard trackings.load(ordering: .relaxed) > 0 else { return }
    reads.withLock { $0[pthread_self()]?.append((count, count.number.load(ordering: .sequentiallyConsistent))) }
  }

  /// A thread's own change does not outdate what it has read.
  fileprivate static func noteOwn(_ count: ChangeCount) {
    guard trackings.load(ordering: .relaxed) > 0 else { return }
    reads.withLock { reads in
      reads[pthread_self()] = reads[pthread_self()]?.map { read in
        read.count === count ? (count, read.number + 1) : read
      }
    }
  }

  /// Runs `body`, which reads and begins to track.
  ///
  /// - Returns: Whether another thread changed what was read meanwhile.
  static func areOutdated(after body: () -> Void) -> Bool {
    trackings.add(1, ordering: .relaxed)
    reads.withLock { $0[pthread_self()] = [] }
    body()
    let found = reads.withLock { $0.removeValue(forKey: pthread_self()) } ?? []
    trackings.subtract(1, ordering: .relaxed)
    return found.contains { $0.count.number.load(ordering: .sequentiallyConsistent) != $0.number }
  }
}
