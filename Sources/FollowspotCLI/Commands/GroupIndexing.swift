// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot
internal import FoundationEssentials
internal import Glibc
internal import SearchIndex

/// Updates the indexes of several stores, once or continuously.
struct GroupIndexing {
  let parts: [SearchGroup.Part]
  let stores: [(name: String, options: Indexer.Options)]

  /// - Returns: The exit code for the first error.
  func update() throws -> ExitCode {
    _ = StopSignal.catchFromNow()
    var first: (any Error)?
    var count = 0
    for (name, options) in stores {
      do {
        var options = options
        options.progress = ProgressLine.show
        try PassReport(store: name, Pass.run(options)).print()
        count += 1
      } catch {
        if (error as? OperationError)?.code == .stopped { throw error }
        Self.report(name, error)
        first = first ?? error
      }
    }
    try join()
    return first.map { ErrorReport.code(ofGroup: $0, worked: count > 0) } ?? .success
  }

  /// Joins the indexes of many stores into one. Without it, searches only take longer.
  private func join() throws {
    guard let directory = JoinedDirectory.standard(for: parts, environment: ProcessInfo.processInfo.environment) else {
      return
    }
    do {
      if let count = try IndexJoin(parts, in: directory, check: StopSignal.check).run() {
        Console.say("joined the indexes of \(count) stores: searches of this group open one index")
      }
    } catch {
      if (error as? OperationError)?.code == .stopped { throw error }
      Console.say("the indexes are not joined, and searches open all of them: \(error)")
    }
  }

  /// - Returns: The exit code for the error of the first store of the group that has one.
  func follow(_ purgeAfter: Double?) throws -> ExitCode {
    Descriptors.raiseLimit()
    let follower = GroupFollower(
      stores.map { GroupFollower.Member(name: $0.name, options: $0.options) }, purgeAfter: purgeAfter,
      verify: .ofEnvironment)
    let (outcomes, error) = follower.run { name, token in
      Console.say("\(name): following from token \(token), pid \(getpid())")
    } failed: { name, error in
      Self.report(name, error)
    }
    for (name, outcome) in outcomes { try PassReport(store: name, outcome).print() }
    return error.map { ErrorReport.code(ofGroup: $0, worked: !outcomes.isEmpty) } ?? .success
  }

  private static func report(_ name: String, _ error: any Error) { Console.say("\(name): \(error)") }
}
