// SPDX-License-Identifier: MIT

internal import Base

extension QueryNode {
  /// The query as a person could type it.
  var text: String {
    switch self {
    case .word(let word): word
    case .phrase(let text): "\"\(text)\""
    case .near(let words, let distance): words.joined(separator: " NEAR/\(distance) ")
    case .prefix(let text, _): text + "*"
    case .pattern(let text, _): text
    case .field(let name, let value, let isQuoted, _):
      TypedName.written(name) + ":" + (isQuoted ? "\"\(value)\"" : value)
    case .range(let name, let low, let high, _): TypedName.written(name) + ":" + Self.text(low, high)
    case .everything: "*"
    case .not(let inner): "-" + inner.text
    case .and(let operands): "(" + operands.map(\.text).joined(separator: " AND ") + ")"
    case .or(let operands): "(" + operands.map(\.text).joined(separator: " OR ") + ")"
    }
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
