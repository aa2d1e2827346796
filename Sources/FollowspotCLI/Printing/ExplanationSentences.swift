// SPDX-License-Identifier: MIT

internal import Followspot
internal import Store

/// The output of `explain` on a terminal: whether the record matches, then a sentence for each part of the query.
struct ExplanationSentences {
  let explanation: Explanation

  init(_ explanation: Explanation) { self.explanation = explanation }

  func print() {
    for line in WordWrap.paragraph(verdict.printable) { Console.write(line: Style.bold(line)) }
    for text in explanation.reasons + explanation.parts.map(sentence) {
      let lines = WordWrap.paragraph(CommandHints.complete(text).printable, indent: "    ")
      for (index, line) in lines.enumerated() {
        // The first line is not indented (hanging indent).
        Console.write((index == 0 ? String(line.dropFirst(2)) : line) + "\n")
      }
    }
  }

  private var verdict: String {
    let title = explanation.title.isEmpty ? "" : "\(explanation.title), "
    let score = ScoreText.of(explanation.score)
    return switch explanation.verdict {
    case .matches: "\(title)\(explanation.identifier.short), is found with a score of \(score)."
    case .widened:
      "\(title)\(explanation.identifier.short), is found by some of the words, after the records that have all of them,"
        + " with a score of \(score)."
    case .no: "\(title)\(explanation.identifier.short), is not found."
    }
  }

  private func sentence(_ part: Explanation.Part) -> String {
    let score = ScoreText.of(part.score)
    let text =
      switch (part.role, part.isThere) {
      case (.word, _) where part.isIgnored: "'\(part.text)' does not count"
      case (.word, true): "'\(part.text)' adds \(score)"
      case (.word, false): "'\(part.text)' is not in the record"
      case (.required, true): "\(part.text) is true of the record" + (part.score > 0 ? " and adds \(score)" : "")
      case (.required, false): "\(part.text) is not true of the record, and must be"
      case (.excluded, true): "\(part.text) excludes the record"
      case (.excluded, false): "\(part.text) does not exclude the record"
      case (.preferred, _): "\(part.text): adds \(score)"
      }
    let fields = part.fields.map { "\($0.field) \(ScoreText.of($0.score))" }
    let byField = fields.isEmpty ? "" : ", by field \(fields.joined(separator: ", "))"
    let note = part.note.map { "; \($0)" } ?? ""
    let others =
      switch (part.role, part.frequency) {
      case (.preferred, _): ""
      case (_, 0): " No record has it."
      case (_, 1): " 1 record has it."
      case (_, let number): " \(number) records have it."
      }
    return "\(text)\(byField)\(note).\(others)"
  }
}
