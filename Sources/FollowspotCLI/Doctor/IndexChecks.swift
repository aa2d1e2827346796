// SPDX-License-Identifier: MIT

internal import Followspot
internal import SearchIndex
internal import Store

/// Checks the index: whether it exists, has this version, belongs to this store, and is being updated.
enum IndexChecks {
  static func findings(_ storePath: String, _ directory: IndexDirectory) -> [Doctor.Finding] {
    do {
      guard let serving = try directory.serving() else {
        return [.warn("index", "there is none at \(directory.path)", hint: "followspot index builds it")]
      }
      guard IndexReader.survives(path: serving.path) else {
        return [.fail("index", "\(serving.path) is damaged", hint: "followspot rebuild")]
      }
      let status = try Status(storePath: storePath, directory: directory)
      return of(status) + (try definition(status, storePath))
    } catch {
      return [.fail("index", error)]
    }
  }

  /// Checks whether the definition was inferred when the store had too few records.
  private static func definition(_ status: Status, _ storePath: String) throws -> [Doctor.Finding] {
    guard let state = status.index?.state, try state.isInferredTooEarly(for: StoreFile.open(storePath)) else {
      return []
    }
    return [
      .warn(
        "definition", "it was inferred when there were fewer than 100 records of a kind",
        hint: "followspot rebuild --infer infers the definition again")
    ]
  }

  private static func of(_ status: Status) -> [Doctor.Finding] {
    guard let index = status.index else { return [] }
    var findings: [Doctor.Finding] = [
      .ok(
        "index",
        "\(index.path), generation \(index.generation), format \(index.state.format), \(index.documents) documents")
    ]
    if status.verdict != .valid {
      let hint = status.keepsUnreadRecords ? nil : "followspot index reconciles it"
      findings.append(.warn("lag", index.state.sentence(of: status.verdict), hint: hint))
    } else if let lag = status.lagTransactions, lag > 0 {
      let hint = status.follower == nil ? "followspot index, or index --follow" : nil
      findings.append(
        .warn("lag", "\(IndexFreshness.behind(lag)), for \(Int(status.lagSeconds ?? 0)) s", hint: hint))
    } else {
      findings.append(.ok("lag", "none, the index is up to date"))
    }
    if let last = index.state.lastReconcile, last.foundUnexplained {
      findings.append(
        .warn(
          "triggers", "a program had changed rows without triggers (\(last.at)); \(last.sentence)",
          hint: "use a connection that fires triggers; until then, rows are compared when the log explains too little"))
    }
    findings.append(follower(status))
    if let rebuild = status.rebuild {
      findings.append(.ok("rebuild", "process \(rebuild.pid), \(rebuild.done) of \(rebuild.total) rows"))
    }
    let leftOut = index.state.leftOut
    if leftOut.failed > 0 {
      findings.append(
        .warn("failed", "\(leftOut.failed) rows are truncated or rejected", hint: "followspot failed prints why"))
    }
    for group in leftOut.groups where !group.cause.isChosen { findings.append(.warn("left out", group.sentence)) }
    return findings
  }

  private static func follower(_ status: Status) -> Doctor.Finding {
    guard let follower = status.follower else {
      return .ok("follower", "none runs; index --follow, or followspot service print, keeps the index in step")
    }
    let message = "process \(follower.pid), \(follower.state) since \(follower.since)"
    guard let reason = follower.reason else { return .ok("follower", message) }
    return .warn("follower", "\(message): \(reason)")
  }
}
