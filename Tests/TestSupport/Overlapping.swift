// SPDX-License-Identifier: MIT

// The static standard library, with which the benchmarks are built, has no Testing.
#if canImport(Testing)
  internal import Dispatch
  internal import Foundation
  package import Testing

  /// Runs tests on more threads than the machine has cores, because most tests wait for other programs. Swift Testing's own
  /// threads are as many as the cores.
  package struct Overlapping: SuiteTrait, TestTrait, TestScoping {
    /// The process ends with a message if a test runs for longer.
    let minutes: Int

    package var isRecursive: Bool { true }

    package func provideScope(
      for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
    ) async throws {
      guard testCase != nil else { return try await body() }
      await Slots.shared.take()
      let alarm = DispatchWorkItem {
        FileHandle.standardError.write(Data("\(test.name) did not end within \(minutes) minutes\n".utf8))
        exit(1)
      }
      DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(60 * minutes), execute: alarm)
      let result: Result<Void, any Error>
      do { result = .success(try await withTaskExecutorPreference(Threads.shared) { try await body() }) } catch {
        result = .failure(error)
      }
      alarm.cancel()
      await Slots.shared.give()
      try result.get()
    }
  }

  extension Trait where Self == Overlapping {
    package static var overlapping: Overlapping { Overlapping(minutes: 30) }
    package static func overlapping(minutes: Int) -> Overlapping { Overlapping(minutes: minutes) }
  }

  /// Lets only so many tests run that each has a thread.
  private actor Slots {
    static let shared = Slots()
    private var free = Threads.tests
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func take() async {
      guard free == 0 else {
        free -= 1
        return
      }
      await withCheckedContinuation { waiting.append($0) }
    }

    func give() {
      if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
  }

  /// Threads that take the parts of tasks from one queue.
  private final class Threads: TaskExecutor {
    static let tests = 2 * ProcessInfo.processInfo.activeProcessorCount
    static let shared = Threads()
    private let queue = OperationQueue()

    private init() {
      // Tests have tasks of their own.
      queue.maxConcurrentOperationCount = 2 * Self.tests
    }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.addOperation { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }
#endif
