// SPDX-License-Identifier: MIT

internal import SearchIndex

/// What `index` prints at the end: a line of JSON in a pipe, and a sentence on a terminal.
struct PassReport {
  /// The name of the store in its group; nil if one store is indexed.
  let store: String?
  let outcome: Pass.Outcome

  init(store: String? = nil, _ outcome: Pass.Outcome) { (self.store, self.outcome) = (store, outcome) }

  func print() throws {
    Console.accomplished = "the index is updated"
    for sentence in outcome.leftOut.sentences(includesChosen: false) {
      Console.say((store.map { $0 + ": " } ?? "") + sentence)
    }
    if Console.isOutputTerminal {
      Console.write(line: sentence.printable)
    } else {
      try JSONObject(outcome, store: store).print()
    }
  }

  private var sentence: String {
    let effects = outcome.effects
    let leftOut = outcome.leftOut.total > 0 ? ", \(outcome.leftOut.total) left out" : ""
    return (store.map { $0 + ": indexed" } ?? "Indexed") + " in \(HumanText.elapsed(outcome.duration)): "
      + "\(effects.inserted) inserted, \(effects.updated) updated, \(effects.deleted) deleted, "
      + "\(effects.skipped) skipped\(leftOut)."
  }
}
