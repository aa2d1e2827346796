// SPDX-License-Identifier: MIT

internal import Base
internal import SQLite

/// The table-valued function `search(words, kind)`: the hits of a search, the best first.
final class SearchTable: VirtualTable {
  /// - Parameter isOfGroup: Whether the hits are those of a group.
  static func columns(isOfGroup: Bool) -> [(name: String, type: String)] {
    [
      ("key", "TEXT"), ("entity", "TEXT"), ("id", "TEXT"), ("score", "REAL"), ("rank", "INTEGER"), ("title", "TEXT"),
      ("snippet", "TEXT"),
    ] + (isOfGroup ? [("store", "TEXT")] : [])
  }
  private static let key = 0
  private static let rank = 4
  private let words: Int
  private var kind: Int { words + 1 }

  let name = "search"
  /// Whether a statement that was prepared calls it.
  private(set) var isUsed = false
  let declaration: String
  fileprivate let hits: (_ words: String, _ kind: String?) throws -> SearchHits

  /// - Parameters:
  ///   - isOfGroup: As for `columns`.
  ///   - hits: Searches once for each pair of arguments.
  init(isOfGroup: Bool, hits: @escaping (_ words: String, _ kind: String?) throws -> SearchHits) {
    let columns = Self.columns(isOfGroup: isOfGroup)
    declaration =
      "CREATE TABLE x(" + columns.map { "\"\($0.name)\" \($0.type)" }.joined(separator: ", ")
      + ", words HIDDEN, kind HIDDEN)"
    (words, self.hits) = (columns.count, hits)
  }

  func cursor() -> any VirtualCursor { SearchCursor(self) }

  func plan(_ request: ScanRequest) -> ScanPlan? {
    isUsed = true
    var plan = ScanPlan()
    // Most searches have few hits. SQLite then reads them before it reads a table.
    (plan.rows, plan.cost) = (200, 400)
    for (index, condition) in request.conditions.enumerated() where condition.operation == .equal {
      guard [words, kind, Self.key].contains(condition.column) else { continue }
      guard condition.isUsable else {
        // An argument that comes from a table that is read later.
        if condition.column == Self.key { continue }
        return nil
      }
      if condition.column == Self.key {
        guard condition.isBinary else { continue }
        (plan.rows, plan.cost, plan.isUnique) = (1, 2, true)
      } else {
        plan.exact.insert(plan.used.count)
      }
      plan.used.append(index)
    }
    plan.exact = Set(plan.exact.map { plan.used[$0] })
    if let order = request.order, order.column == Self.rank, !order.isDescending { plan.isOrdered = true }
    plan.text = plan.isUnique ? "key=?" : "in order of rank"
    return plan
  }

  /// A scan of the hits of one search.
  private final class SearchCursor: VirtualCursor {
    private let table: SearchTable
    private var hits: SearchHits?
    private var index = 0
    private var words = ""
    private var kind: String?
    private var isSingle = false
    private(set) var isAtEnd = true
    var rowid: Int64 { Int64(index) + 1 }

    init(_ table: SearchTable) { self.table = table }

    func start(_ plan: ScanPlan, _ arguments: [Value]) throws {
      isAtEnd = true
      var words: String?
      var kind: String?
      var key: String?
      for (condition, argument) in zip(plan.conditions, arguments) {
        let text: String? =
          switch argument {
          case .text(let text): text
          case .integer(let number): String(number)
          case .real(let number): String(number)
          case .null, .blob: nil
          }
        switch condition.column {
        case table.words:
          // As a table-valued function of SQLite, a search for NULL has no rows.
          guard let text else { return }
          words = text
        case table.kind: kind = text
        default:
          // NULL and blobs equal no key.
          guard let text else { return }
          key = text
        }
      }
      guard let words else {
        throw OperationError(.usage, "search needs a query, as in search('toy story')")
      }
      if hits == nil || words != self.words || kind != self.kind { hits = try table.hits(words, kind) }
      (self.words, self.kind, isSingle) = (words, kind, key != nil)
      guard let hits else { return }
      if let key {
        guard let found = try hits.index(ofKey: key) else { return }
        index = found
        isAtEnd = false
      } else {
        index = 0
        isAtEnd = try !hits.has(0)
      }
    }

    func next() throws {
      index += 1
      isAtEnd = try isSingle || hits?.has(index) != true
    }

    func column(_ column: Int, _ result: ColumnResult) throws {
      guard let hits else { return }
      switch column {
      case table.words: result.text(words)
      case table.kind: kind.map(result.text(_:)) ?? result.null()
      case SearchTable.key: result.text(try hits.key(index))
      case 1: result.text(hits.entity(index))
      case 2: result.text(try hits.uri(index))
      case 3: result.real(hits.score(index))
      case SearchTable.rank: result.integer(Int64(index) + 1)
      case 5: result.text(try hits.title(index))
      case 6: try hits.snippet(index).map(result.text(_:)) ?? result.null()
      default: result.text(hits.member(index).name ?? "")
      }
    }
  }
}
