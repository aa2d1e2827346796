internal import SQLite

struct CompiledPredicate {
  var condition: String
  var joins: String
  var bindings: [Value]
  var touched: Set<ObjectIdentifier>
}
struct PredicateCompiler {
  let store: StoreBinding
  let root: EntityBinding
  let alias: String
  func compile<M>(_ p: Predicate<M>) throws -> CompiledPredicate { throw SwiftDataError(.unsupportedPredicate, "") }
}
struct CompiledOrder {
  var text: String
  var joins: String
}
struct SortCompiler {
  let store: StoreBinding
  let root: EntityBinding
  let alias: String
  func compile<M>(_ s: [SortDescriptor<M>]) throws -> CompiledOrder { CompiledOrder(text: "", joins: "") }
}
