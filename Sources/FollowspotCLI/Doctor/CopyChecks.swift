// SPDX-License-Identifier: MIT

internal import Followspot
internal import SearchIndex

/// Checks an index without its store: a replica, or the index of another machine.
enum CopyChecks {
  static func findings(ofReplica directory: IndexDirectory) -> [Doctor.Finding] {
    do {
      let status = try ReplicaStatus(directory)
      var findings: [Doctor.Finding] = [.ok("replica", "\(status.path) of \(status.replication.source)")]
      guard let index = status.index else {
        return findings + [.warn("index", "the first copy is not complete yet")]
      }
      findings.append(.ok("index", "\(HumanText.count(index.documents, "document")), \(index.bytes) bytes"))
      switch status.lagTransactions {
      case nil: findings.append(.warn("lag", "unknown: the source has not said what its newest transaction is"))
      case 0?: findings.append(.ok("lag", "none, as the source said \(Int(status.silence ?? 0)) s ago"))
      case let lag?: findings.append(.warn("lag", "\(HumanText.count(lag, "transaction")) behind"))
      }
      if let failure = status.replication.failure { findings.append(.warn("source", failure)) }
      let follower = status.follower.map { "process \($0.pid), \($0.state) since \($0.since)" }
      return findings + [
        .ok("follower", follower ?? "none runs; replicate from --follow keeps the replica up to date")
      ]
    } catch {
      return [.fail("replica", error)]
    }
  }

  static func findings(of remote: RemoteIndex) -> [Doctor.Finding] {
    do {
      let status = try RemoteStatus(remote)
      return [
        .ok("index", "\(remote.name), \(HumanText.count(status.documents, "document")), token \(status.token)")
      ]
    } catch {
      return [.fail("index", error)]
    }
  }
}
