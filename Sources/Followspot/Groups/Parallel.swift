// SPDX-License-Identifier: MIT

internal import Base
internal import SearchIndex
internal import Synchronization

/// Work on the parts of a group, on as many threads as the process may use cores.
enum Parallel {
  /// Fewer pieces of work than this for a thread are not worth one.
  private static let least = 16

  private final class Work<Result>: @unchecked Sendable {
    private let next = Atomic(0)
    private let count: Int
    private let body: (Int) throws -> Result
    /// Each element is written by one thread, and read after all threads have ended.
    private let results: UnsafeMutableBufferPointer<Swift.Result<Result, any Error>?>

    init(_ count: Int, _ body: @escaping (Int) throws -> Result) {
      (self.count, self.body) = (count, body)
      results = .allocate(capacity: count)
      results.initialize(repeating: nil)
    }

    deinit {
      results.deinitialize()
      results.deallocate()
    }

    func run() {
      while true {
        let index = next.add(1, ordering: .relaxed).oldValue
        guard index < count else { return }
        results[index] = Swift.Result { try body(index) }
      }
    }

    /// - Throws: The error of the lowest index.
    func all() throws -> [Result] { try results.compactMap { try $0?.get() } }
  }

  /// The results of `body` for the numbers below `count`, in their order. Each call must only use objects that no other
  /// call uses.
  ///
  /// - Throws: The error of the lowest number.
  static func map<Result>(_ count: Int, _ body: (Int) throws -> Result) throws -> [Result] {
    try withoutActuallyEscaping(body) { body in
      let work = Work(count, body)
      let wanted = count / least > 1 ? min(MachineLimits.usableCores(), count / least) : 1
      let threads = (1..<max(2, wanted)).prefix(wanted - 1).compactMap { _ in WorkerThread { work.run() } }
      work.run()
      for thread in threads { thread.join() }
      return try work.all()
    }
  }
}
