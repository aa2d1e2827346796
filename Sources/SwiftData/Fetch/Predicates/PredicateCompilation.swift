// SPDX-License-Identifier: MIT

internal import SQLite
internal import Store

/// The joins of one SELECT, in the order in which they build on each other.
final class JoinScope {
  /// A row that is joined by its key.
  struct Join {
    let row: TableAlias
    let key: String

    func text(isRequired: Bool) -> String {
      isRequired ? " JOIN \(row.table) ON \(row.key) = \(key)" : " " + row.leftJoin(onKey: key)
    }
  }

  var joins: [Join] = []

  var text: String { text(required: []) }

  /// - Parameter required: The names of the rows that are there wherever the condition holds. SQLite may start at them.
  func text(required: Set<String>) -> String {
    joins.map { $0.text(isRequired: required.contains($0.row.name)) }.joined()
  }
}

/// An expression that has SQL.
protocol SQLExpression {
  func term(_ compilation: PredicateCompilation) throws -> Term
}

/// The compilation of one predicate: its variables, joins and bindings so far.
final class PredicateCompilation {
  private let store: StoreBinding?
  var variables: [PredicateExpressions.VariableID: Term] = [:]
  private(set) var scope = JoinScope()
  private(set) var touched: Set<ObjectIdentifier> = []
  private var referred: Set<ObjectIdentifier> = []
  private var bindings: [Value] = []
  /// Of the expressions in the innermost condition.
  private var needs: [Need] = []
  private let prefix: String
  private var aliases = 0

  /// - Parameter prefix: What the names of joined tables begin with.
  init(_ store: StoreBinding?, prefix: String = "t") {
    self.store = store
    self.prefix = prefix
  }

  func run<Expression: PredicateExpression>(_ expression: Expression) throws -> CompiledPredicate {
    let condition = try self.condition(expression)
    var used = UsedBindings(bindings)
    // In the order of the text, so that the numbers ascend.
    let joins = used.numbered(String(scope.text.dropFirst()))
    let text = used.numbered(condition.filter)
    let required = Set(scope.joins.map(\.row.name)).intersection(condition.required)
    let narrowing =
      required.isEmpty ? nil : used.numbered(String(scope.text(required: required).dropFirst()))
    return CompiledPredicate(
      condition: text, joins: joins, narrowingJoins: narrowing, bindings: used.values, touched: touched,
      referred: referred)
  }

  // MARK: Expressions

  /// - Throws: `SwiftDataError.unsupportedPredicate`.
  func term<Expression: PredicateExpression>(_ expression: Expression) throws -> Term {
    // What can be evaluated without a row is the same for every row.
    if let value = try? PredicateBindings().value(of: expression) { return .constant(value) }
    guard let node = expression as? any SQLExpression else {
      throw Self.unsupported("\(Self.name(of: Expression.self)) has no SQL: filter the fetched objects by it instead")
    }
    guard Expression.Output.self == Bool.self else { return try node.term(self) }
    let outer = needs
    needs = []
    defer { needs = outer }
    let term = try node.term(self)
    guard case .scalar(let condition) = term else { return term }
    return .scalar(needs.reduce(condition) { $1.guarding($0) })
  }

  /// The innermost condition around the expression has no value unless `presence` is true.
  ///
  /// - Returns: A variable for the expression's value. SQL that reads the variable is NULL by itself.
  func need(_ presence: Scalar) -> PredicateExpressions.VariableID {
    let need = Need(variable: PredicateExpressions.Variable<Bool>().key, presence: presence)
    needs.append(need)
    return need.variable
  }

  /// Compiles expressions whose values count only where `condition` is true.
  func needing<Result>(onlyWhere condition: Scalar, _ body: () throws -> Result) rethrows -> Result {
    let outer = needs
    needs = []
    let result = try body()
    needs = outer + needs.map { $0.onlyWhere(condition) }
    return result
  }

  func condition<Expression: PredicateExpression>(_ expression: Expression) throws -> Scalar {
    try scalar(term(expression))
  }

  /// A term as one value in SQL.
  func scalar(_ term: Term) throws -> Scalar {
    switch term {
    case .scalar(let scalar):
      if let reason = scalar.refusal { throw Self.unsupported(reason) }
      return scalar
    case .constant(let value):
      if let known = value as? Bool { return Scalar(known: known) }
      return bound(try ConstantValue.column(value), Swift.type(of: ConstantValue.unwrapped(value) ?? value))
    case .json(let column):
      throw Self.unsupported("\(column.type) is stored as JSON, which is only compared with nil: compare its elements")
    case .record(let record):
      if let whole = record.whole { return whole.scalar }
      fallthrough
    case .object, .identifier, .rows, .structure, .range:
      throw Self.unsupported("a \(term.kind) cannot be compared as a whole: compare one of its properties")
    }
  }

  /// The variable stands for `term` from now on.
  func bind<Value>(_ variable: PredicateExpressions.Variable<Value>, to term: Term) { variables[variable.key] = term }

  // MARK: Bindings and names

  /// A parameter for `value` in the SQL text; it is numbered at the end.
  func bind(_ value: Value) -> String {
    bindings.append(value)
    return UsedBindings.mark(bindings.count - 1)
  }

  /// A captured value as an operand. Text is composed, as text in columns usually is.
  func bound(_ value: Value, _ type: Any.Type) -> Scalar {
    var value = value
    if case .text(let text) = value { value = .text(ConstantValue.composed(text)) }
    return Scalar(bind(value), type, isNullable: value.isNull)
  }

  func alias() -> String {
    aliases += 1
    return "\(prefix)\(aliases)"
  }

  func touch(_ type: ModelType) { touched.insert(ObjectIdentifier(type)) }
  func refer(to type: ModelType) { referred.insert(ObjectIdentifier(type)) }

  /// Runs `body` with joins of its own: inside a subquery.
  func subquery<Result>(_ body: () throws -> Result) rethrows -> Result {
    let outer = scope
    scope = JoinScope()
    defer { scope = outer }
    return try body()
  }

  // MARK: Classes

  func binding(number: Int) throws -> EntityBinding {
    guard let found = store?.binding(number: number) else {
      throw Self.unsupported(
        "the predicate follows a relationship to a class that the container's schema does not name")
    }
    return found
  }

  func binding(of type: ModelType) -> EntityBinding? { store?.binding(of: type) }

  /// The entity numbers of the class and its subclasses.
  func numbers(of type: ModelType) -> [Int] { (store?.family(of: type) ?? []).map(\.entity.number).sorted() }

  /// The row that `identifier` names, where it can be one of `binding`'s table.
  func row(_ identifier: PersistentIdentifier, in binding: EntityBinding) -> Int64? {
    guard let store, identifier.storeIdentifier == store.storeIdentifier, let row = identifier.row,
      store.binding(named: identifier.entityName)?.entity.rootNumber == binding.entity.rootNumber
    else { return nil }
    return row
  }

  // MARK: Errors

  static func unsupported(_ explanation: String) -> SwiftDataError {
    SwiftDataError(.unsupportedPredicate, explanation)
  }

  /// `PredicateExpressions.Filter<…>` as `Filter`.
  static func name(of type: Any.Type) -> String {
    let name = String(describing: type)
    return String(name.prefix { $0 != "<" })
  }
}

/// What an expression needs for having a value.
private struct Need {
  let variable: PredicateExpressions.VariableID
  let presence: Scalar

  func onlyWhere(_ condition: Scalar) -> Need {
    Need(variable: variable, presence: Scalar("(\(condition.opposite.sql) OR \(presence.sql))"))
  }

  /// `condition`, NULL where the need is not met.
  func guarding(_ condition: Scalar) -> Scalar {
    guard !condition.reads.contains(variable), !condition.isFailure else { return condition }
    func guarded(_ sql: String) -> String { "(CASE WHEN \(presence.sql) THEN \(sql) END)" }
    var result = condition
    (result.sql, result.negated) = (guarded(condition.sql), guarded(condition.opposite.sql))
    result.filter = "(\(presence.sql) AND \(condition.filter))"
    result.isNullable = false
    return result
  }
}

/// Numbers the bindings that a text still uses: parts of a predicate fall away where a constant decides.
private struct UsedBindings {
  private let all: [Value]
  private var numbers: [Int: Int] = [:]
  private(set) var values: [Value] = []

  init(_ all: [Value]) { self.all = all }

  /// No name in SQL text holds these characters.
  static func mark(_ index: Int) -> String { "\u{1}\(index)\u{2}" }

  mutating func numbered(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let start = rest.firstIndex(of: "\u{1}"), let end = rest[start...].firstIndex(of: "\u{2}"),
      let index = Int(rest[rest.index(after: start)..<end])
    {
      result += rest[..<start] + "?\(number(index))"
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }

  private mutating func number(_ index: Int) -> Int {
    if let known = numbers[index] { return known }
    values.append(all[index])
    numbers[index] = values.count
    return values.count
  }
}
