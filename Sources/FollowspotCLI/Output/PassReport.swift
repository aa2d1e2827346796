// SPDX-License-Identifier: MIT

internal import Following
internal import Indexing
internal import ShellInterface

/// What `index` prints at the end: a line of JSON in a pipe, and a sentence on a terminal.
struct PassReport {
  /// The name of the store in its group; nil if one store is indexed.
  var store: String?
  let outcome: Pass.Outcome

  func print() throws {
    Console.accomplished = "the index is updated"
    for sentence in outcome.leftOut.sentences(includesChosen: false) {
      Console.say((store.map { $0 + ": " } ?? "") + sentence)
    }
    if Console.isOutputTerminal {
      Console.write(sentence.printable + "\n")
    } else {
      try Console.write(json: PassDocument(store: store, outcome: outcome))
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

/// The output of `index`.
struct PassDocument: Encodable {
  let store: String?
  let outcome: Pass.Outcome

  private enum Key: String, CodingKey { case store, token, inserted, updated, deleted, skipped, leftOut, seconds }

  func encode(to encoder: any Encoder) throws {
    var document = encoder.container(keyedBy: Key.self)
    if let store { try document.encode(store, forKey: .store) }
    try document.encode(outcome.token, forKey: .token)
    try document.encode(outcome.effects.inserted, forKey: .inserted)
    try document.encode(outcome.effects.updated, forKey: .updated)
    try document.encode(outcome.effects.deleted, forKey: .deleted)
    try document.encode(outcome.effects.skipped, forKey: .skipped)
    try document.encode(outcome.leftOut.total, forKey: .leftOut)
    try document.encode((outcome.duration / .milliseconds(1)).rounded() / 1_000, forKey: .seconds)
  }
}
