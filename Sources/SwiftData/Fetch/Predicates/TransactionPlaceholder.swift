internal import PersistentStore

struct TransactionCondition {
  let compiled: HistoryCondition
  let beginning: Int64?
  init(_ predicate: Predicate<DefaultHistoryTransaction>?, _ store: String) throws {
    compiled = .all
    beginning = nil
  }
  static func order(_ s: [SortDescriptor<DefaultHistoryTransaction>]) throws -> [String] { [] }
}
