// SPDX-License-Identifier: MIT

internal import SearchIndex
internal import Store

/// The output of `status` on a terminal: sentences, the most important one first.
struct StatusSentences {
  let status: Status

  init(_ status: Status) { self.status = status }

  /// The first sentence, wrapped to the terminal.
  var headline: [String] { WordWrap.paragraph(CommandHints.complete(state).printable) }

  func print() {
    for (index, sentence) in all.enumerated() {
      for line in WordWrap.paragraph(CommandHints.complete(sentence).printable) {
        Console.write((index == 0 ? Style.bold(line) : line) + "\n")
      }
    }
  }

  private var all: [String] {
    [state] + index + [store] + notes + clock + follower + rebuild + failures + reconcile + consumers
  }

  private var state: String {
    guard let index = status.index else { return "There is no index yet: followspot index builds it." }
    guard status.verdict == .valid else { return sentence(index.state.sentence(of: status.verdict)) }
    guard let lag = status.lagTransactions, lag > 0 else { return "The index is up to date." }
    let age = HumanText.duration(max(1, status.lagSeconds ?? 0))
    guard lag > 1 else { return "The index is 1 save behind, which is \(age) old." }
    return "The index is \(lag) saves behind, the oldest of which is \(age) old."
  }

  private var index: [String] {
    guard let index = status.index else { return [] }
    let holds = "\(HumanText.count(index.documents, "record")) in \(HumanText.bytes(index.bytes))"
    return ["It holds \(holds), as generation \(index.generation) of \(index.path)."]
  }

  private var notes: [String] {
    let copied = status.copyReason.map { ["A private copy is read, because \($0.text)."] } ?? []
    return copied + status.remarks.map(sentence)
  }

  private var store: String {
    let sizes = status.sizes
    guard status.tracking.hasHistory else {
      let size = HumanText.bytes(sizes.bytes + sizes.walBytes)
      return "The database \(status.storePath) holds \(size). It keeps no history: "
        + "changes are found by comparing its rows with the index."
    }
    let history = "\(HumanText.count(sizes.transactions, "save")) with \(HumanText.count(sizes.changes, "change"))"
    return
      "The store \(status.storePath) holds \(HumanText.bytes(sizes.bytes + sizes.walBytes)), and its history \(history)."
  }

  private var clock: [String] { status.futureStamp.map { [sentence($0.sentence)] } ?? [] }

  private var follower: [String] {
    guard let follower = status.follower else {
      return ["No follower runs: followspot index --follow keeps the index up to date."]
    }
    let reason = follower.reason.map { ", because \($0)" } ?? ""
    return ["A follower keeps the index up to date: process \(follower.pid), \(follower.state)\(reason)."]
  }

  private var rebuild: [String] {
    guard let rebuild = status.rebuild else { return [] }
    let rows = rebuild.total > 0 ? ", \(rebuild.done) of \(rebuild.total) rows" : ""
    return ["A rebuild is running: process \(rebuild.pid), \(rebuild.state)\(rows)."]
  }

  private var failures: [String] {
    guard let leftOut = status.index?.state.leftOut else { return [] }
    let groups = leftOut.sentencesOfGroups().map(sentence)
    guard leftOut.failed > 0 else { return groups }
    let rows = leftOut.failed == 1 ? "1 row is" : "\(leftOut.failed) rows are"
    return ["\(rows) missing in the index, or there in part: followspot failed says why."] + groups
  }

  private var reconcile: [String] {
    guard let last = status.index?.state.lastReconcile else { return [] }
    let when = HumanText.moment(text: last.at)
    return ["The index was last reconciled with the store \(when): \(last.reason)."]
  }

  /// The consumers other than the index, which the sentences before describe.
  private var consumers: [String] {
    (status.consumers ?? []).compactMap { consumer in
      if consumer.state == .current, consumer.token == status.index?.state.token?.number,
        consumer.name.hasPrefix("index:")
      {
        return nil
      }
      let reason = consumer.reason.map { ": \($0)" } ?? ""
      guard consumer.state == .current else {
        return "The consumer \(consumer.name) is \(consumer.state.rawValue)\(reason)."
      }
      let lag = consumer.lag ?? 0
      let place = lag == 0 ? "has read the whole history" : "is \(HumanText.count(lag, "save")) behind"
      return "The consumer \(consumer.name) \(place)\(reason)."
    }
  }

  private func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() + "." }
}
