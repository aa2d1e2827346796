// SPDX-License-Identifier: MIT

internal import Followspot
internal import SearchIndex

/// The answer of a search or a count.
protocol Answer {
  var notes: [String] { get }
  var missing: [MissingPart] { get }
  var stores: [StoreStatus] { get }
  var index: IndexStatus { get }
  var preservation: Preservation? { get }
  var nearest: NearestQuery? { get }
}

extension SearchResult: Answer {}
extension CountResult: Answer {}

extension Answer {
  /// Says what is to know about the answer, before it is printed.
  ///
  /// - Parameter withGaps: Whether to say that the index, or some indexes of a group, do not contain whole stores.
  func sayNotes(withGaps: Bool) {
    for note in notes { Console.say(note) }
    missing.say()
    if withGaps { sayGaps() }
    if let preservation { Console.hint(preservation.hint) }
    if let nearest { Console.hint(nearest.hint) }
  }

  private func sayGaps() {
    guard !stores.isEmpty else {
      if let gap = index.complete.gap { Console.say("\(gap): followspot failed says why") }
      return
    }
    let gaps = stores.compactMap { store in store.index.complete.gap.map { "\(store.name): \($0)" } }
    for gap in gaps.prefix(3) { Console.say(gap) }
    if gaps.count > 3 {
      Console.say("\(gaps.count - 3) more indexes do not contain all rows: --format json lists them")
    }
  }
}

extension RecordSearch {
  /// Says which parts of a group have not answered.
  ///
  /// - Parameter code: The exit code of the answer.
  /// - Returns: The exit code with these parts.
  func sayMissing(_ code: ExitCode) -> ExitCode {
    missing.say()
    return missing.isEmpty ? code : max(code, .incomplete)
  }
}

extension [MissingPart] {
  /// Says which parts are missing from an answer.
  func say() {
    for part in self { Console.say("missing from this answer: \(part)") }
    var hints: [String] = []
    for hint in compactMap(Hint.of) where !hints.contains(hint) { hints.append(hint) }
    for hint in hints.prefix(3) { Console.hint(hint) }
  }
}
