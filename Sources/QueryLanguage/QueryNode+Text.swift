// SPDX-License-Identifier: MIT

extension QueryNode {
  /// The query as a person could type it.
  package var text: String {
    switch self {
    case .word(let word): word
    case .phrase(let text): "\"\(text)\""
    case .near(let words, let distance): words.joined(separator: " NEAR/\(distance) ")
    case .prefix(let text, _): text + "*"
    case .pattern(let text, _): text
    case .field(let name, let value, let isQuoted, _):
      Self.typed(name) + ":" + (isQuoted ? "\"\(value)\"" : value)
    case .range(let name, let low, let high, _): Self.typed(name) + ":" + Self.text(low, high)
    case .everything: "*"
    case .not(let inner): "-" + inner.text
    case .and(let operands): "(" + operands.map(\.text).joined(separator: " AND ") + ")"
    case .or(let operands): "(" + operands.map(\.text).joined(separator: " OR ") + ")"
    }
  }

  /// A name as it is written before a colon.
  private static func typed(_ name: String) -> String {
    name.allSatisfy { $0.isLetter || $0.isNumber || "_.-@".contains($0) } ? name : "\"\(name)\""
  }

  private static func text(_ low: Bound?, _ high: Bound?) -> String {
    switch (low, high) {
    case (let low?, nil): (low.isInclusive ? ">=" : ">") + low.typed
    case (nil, let high?): (high.isInclusive ? "<=" : "<") + high.typed
    default: (low?.typed ?? "") + (high?.isInclusive == false ? "..<" : "..") + (high?.typed ?? "")
    }
  }
}

extension QueryNode.Bound {
  /// In quotation marks where it has white space, or a point that could belong to the range.
  fileprivate var typed: String {
    text.contains(where: \.isWhitespace) || text.hasPrefix(".") || text.hasPrefix("<") ? "\"\(text)\"" : text
  }
}
