// SPDX-License-Identifier: MIT

internal import Base
internal import SearchIndex
internal import Store

/// How new an answer is, and what it may lack.
package struct IndexFreshness {
  var status: IndexStatus
  /// Whether everything that the store holds as of `status.answersAt` can be found.
  var isWhole = true
  /// A remark for people.
  var note: String?

  /// An answer of an index as of its token.
  ///
  /// - Parameter lag: The number of transactions after the token; nil if it is not known.
  init(uuid: String, generation: Int, token: Int64, _ complete: Completeness, lag: Int64? = 0) {
    status = IndexStatus(
      uuid: uuid, generation: generation, token: token, lagTransactions: lag, lagSeconds: lag.map { _ in 0 },
      complete: complete, answersAt: token)
  }

  init(of index: OpenIndex, lag: Int64?) throws {
    self.init(
      uuid: try index.uuid, generation: index.generation, token: index.state.token?.number ?? 0,
      try index.completeness(pending: lag), lag: lag)
  }

  mutating func add(note other: String) { note = (note.map { $0 + "; " } ?? "") + other }

  /// Says that the answer may lack what the store holds, and why.
  mutating func lacks(_ what: String) {
    isWhole = false
    add(note: what)
  }

  /// Whether the answer is at most `most` seconds behind. 0 means that no transaction is missing, regardless of its
  /// timestamp.
  private func isWithin(_ most: Double) -> Bool {
    guard status.isOfThisStore, isWhole else { return false }
    return status.isNewest == true || (most > 0 && status.lagSeconds ?? .infinity <= most)
  }

  /// Says that it is not known what the store holds beyond the answer, and why.
  mutating func isUnknown(_ why: String) {
    isWhole = false
    (status.lagTransactions, status.lagSeconds, status.complete.pending) = (nil, nil, nil)
    add(note: why)
  }

  /// Refuses an answer that is older than requested.
  func check(_ request: SearchRequest) throws {
    guard let most = request.mostLag, !isWithin(most) else { return }
    throw OperationError(
      .stale, "the index is too old for this answer: \(note ?? "")", recovery: .updateOrWait)
  }

  /// How many transactions an answer lacks, as a part of a sentence.
  package static func behind(_ lag: Int64) -> String {
    lag == 1 ? "1 transaction behind" : "\(lag) transactions behind"
  }
}
