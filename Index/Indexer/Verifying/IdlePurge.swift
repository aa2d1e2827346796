// SPDX-License-Identifier: MIT

internal import Base
internal import Store

/// Purges old history while a follower is idle: soon after its start, then once an hour.
final class IdlePurge {
  private let storePath: String
  private let seconds: Double
  private let report: (String) -> Void
  private let clock = ContinuousClock()
  private var due: ContinuousClock.Instant
  /// The last report, which is not repeated every hour.
  private var said: [String] = []

  private static let interval: Duration = .seconds(3_600)
  /// After an attempt that a writer or a save cut short.
  private static let retryInterval: Duration = .seconds(10)
  /// A purge that has waited so long for an idle moment takes a step between two batches.
  private static let patience: Duration = .seconds(600)
  /// A writer that holds the store longer is met again at the next attempt.
  private static let busyMilliseconds: Int32 = 50

  /// - Parameter seconds: The age from which history is removed.
  init(storePath: String, seconds: Double, report: @escaping (String) -> Void) {
    self.storePath = storePath
    self.seconds = seconds
    self.report = report
    due = clock.now
  }

  /// Whether to run now.
  func isDue(isIdle: Bool) -> Bool { clock.now >= due + (isIdle ? .zero : Self.patience) }

  /// Purges until there is a save to index or a stop signal. It reports errors and does not throw them.
  ///
  /// - Parameter token: The transaction the index has reached: its row stays.
  func run(token: Int64) {
    var options = Purge.Options(storePath: storePath, bound: .keep(seconds: seconds))
    options.floor = token
    options.busyMilliseconds = Self.busyMilliseconds
    do {
      let outcome = try Purge(options).run { try $0.newest() <= token && !StopSignal.isRaised }
      due = clock.now + (outcome.isComplete ? Self.interval : Self.retryInterval)
      if !outcome.removed.isEmpty {
        report("purged \(outcome.removed.transactions) transactions, \(outcome.removed.changes) changes")
      }
      say(outcome.sentences)
    } catch let error as StoreError where error.code == .busy {
      due = clock.now + Self.retryInterval
    } catch {
      due = clock.now + Self.interval
      say(["the history was not purged: \(error)"])
    }
  }

  private func say(_ sentences: [String]) {
    if sentences != said { for sentence in sentences { report(sentence) } }
    said = sentences
  }
}
