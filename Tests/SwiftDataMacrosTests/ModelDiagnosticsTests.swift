// SPDX-License-Identifier: MIT

import Testing

struct ModelDiagnosticsTests {
  private static let mustBeVar = "a stored property of a '@Model' class must be a 'var'"
  private static let ownVar = "declare each stored property of a '@Model' class with its own 'var'"
  private static let noObservers =
    "the observers of a stored property of a '@Model' class are never called; "
    + "follow its changes with 'withObservationTracking'"
  private static let noWrapper =
    "a stored property of a '@Model' class cannot have a property wrapper or an actor of its own"
  private static let oneMarker = "a property is one of '@Attribute', '@Relationship' and '@Transient'"
  private static let keepOut = "add '@Transient' to keep it out of the store"

  /// A declaration, the column and text of what is said about it, and the repairs with what becomes of it.
  private typealias Case = (String, Int, String, [(String, String)])

  private static func noValue(_ name: String) -> String {
    "'@Transient' property '\(name)' needs an initial value, because an object read from the store gets none for it"
  }

  private static let refused: [Case] = [
    ("let a: Int", 3, mustBeVar, [("replace 'let' with 'var'", "var a: Int")]),
    (
      "@Attribute(.unique) let a = 1  // one", 23, mustBeVar,
      [
        ("replace 'let' with 'var'", "@Attribute(.unique) var a = 1  // one"),
        (keepOut, "@Transient @Attribute(.unique) let a = 1  // one"),
      ]
    ),
    ("var a = 0, b = 1", 7, ownVar, [("write one declaration for each", "var a = 0\n  var b = 1")]),
    (
      "@Attribute(.unique) private var a, b: Int, c = 2  // three", 35, ownVar,
      [
        (
          "write one declaration for each",
          "@Attribute(.unique) private var a: Int\n  @Attribute(.unique) private var b: Int\n"
            + "  @Attribute(.unique) private var c = 2  // three"
        )
      ]
    ),
    ("var (a, b) = (1, 2)", 7, "declare each stored property of a '@Model' class by its own name", []),
    (
      "lazy private var a = 1", 3, "a stored property of a '@Model' class cannot be 'lazy'",
      [("remove 'lazy'", "private var a = 1"), (keepOut, "@Transient lazy private var a = 1")]
    ),
    (
      "@Wrapped var a = 1", 3, noWrapper,
      [("remove '@Wrapped'", "var a = 1"), (keepOut, "@Transient @Wrapped var a = 1")]
    ),
    (
      "@Attribute(.unique) @Other.Wrapped(2) var a = 1", 23, noWrapper,
      [
        ("remove '@Other.Wrapped'", "@Attribute(.unique) var a = 1"),
        (keepOut, "@Transient @Attribute(.unique) @Other.Wrapped(2) var a = 1"),
      ]
    ),
    ("@Transient var a: Int", 18, noValue("a"), [("add an initial value", "@Transient var a: Int = <#value#>")]),
    (
      "@Transient var a: Optional<Int> { didSet {} }", 18, noValue("a"),
      [("add an initial value", "@Transient var a: Optional<Int> = <#value#> { didSet {} }")]
    ),
    (
      "@Transient let a: Int?", 18, noValue("a"),
      [("add an initial value", "@Transient let a: Int? = <#value#>")]
    ),
    ("@Attribute @Relationship var a: A?", 14, oneMarker, [("remove '@Relationship'", "@Attribute var a: A?")]),
    (
      "@Transient @SwiftData.Attribute var a = 1", 14, oneMarker,
      [("remove '@SwiftData.Attribute'", "@Transient var a = 1")]
    ),
    (
      "var a = nil", 11, "the value does not tell the type of 'a'; write the type",
      [("add a type", "var a: <#type#> = nil")]
    ),
    (
      "var a = []", 11, "the value does not tell the type of 'a'; write the type",
      [("add a type", "var a: <#type#> = []")]
    ),
    (
      "var a = [:]", 11, "the value does not tell the type of 'a'; write the type",
      [("add a type", "var a: <#type#> = [:]")]
    ),
    (
      "var a = .some(.now).value", 11, "the value does not tell the type of 'a'; write the type",
      [("add a type", "var a: <#type#> = .some(.now).value")]
    ),
  ]

  private static let pointless: [Case] = [
    ("var a: Int { didSet {} }", 14, noObservers, []),
    ("var a = 1 { willSet {} }", 13, noObservers, [(keepOut, "@Transient var a = 1 { willSet {} }")]),
    (
      "weak var a: A?", 3, "'weak' has no effect on a stored property of a '@Model' class",
      [("remove 'weak'", "var a: A?"), (keepOut, "@Transient weak var a: A?")]
    ),
    (
      "private unowned var a: A", 11, "'unowned' has no effect on a stored property of a '@Model' class",
      [("remove 'unowned'", "private var a: A"), (keepOut, "@Transient private unowned var a: A")]
    ),
    (
      "@Attribute(.unique) var a: Int { 1 }", 3, "'@Attribute' has no meaning on a computed property",
      [("remove '@Attribute'", "var a: Int { 1 }")]
    ),
    (
      "@Relationship static var a = 1", 3, "'@Relationship' has no meaning on a static property",
      [("remove '@Relationship'", "static var a = 1")]
    ),
  ]

  private func source(_ declaration: String) -> String {
    "@Model final class A {\n  \(declaration)\n  var kept = 1\n  init() {}\n}"
  }

  @Test(arguments: refused.indices)
  func `a property that cannot be stored is reported at its declaration, with fixes`(_ index: Int) {
    let (declaration, column, message, repairs) = Self.refused[index]
    let expansion = Expansion(source(declaration), expanding: ["Model"])
    #expect(
      expansion.findings == [
        .init(
          line: 2, column: column, message: message,
          repairs: repairs.map { .init(message: $0.0, source: source($0.1)) })
      ])
  }

  @Test(arguments: refused.indices)
  func `the valid properties are expanded beside a refused one, without further errors`(_ index: Int) {
    let expansion = Expansion(source(Self.refused[index].0), expanding: ["Model"])
    #expect(expansion.entries == ["name: \"kept\", keypath: \\A.kept, defaultValue: 1, metadata: nil"])
    #expect(expansion.text.contains("@_PersistedProperty(0)\n  var kept = 1"))
    #expect(
      expansion.text.contains(
        """
          required init(backingData: any SwiftData.BackingData<A>) {
            Swift.fatalError()
          }
        """))
  }

  @Test(arguments: pointless.indices)
  func `an option without effect is a warning, and the class is expanded`(_ index: Int) {
    let (declaration, column, message, repairs) = Self.pointless[index]
    let expansion = Expansion(source(declaration), expanding: ["Model"])
    #expect(
      expansion.findings == [
        .init(
          line: 2, column: column, message: message, isWarning: true,
          repairs: repairs.map { .init(message: $0.0, source: source($0.1)) })
      ])
    let stored = index < 4 ? ["a", "kept"] : ["kept"]
    #expect(expansion.entries.map { String($0.prefix { $0 != "," }) } == stored.map { "name: \"\($0)\"" })
    #expect(expansion.text.contains("self.persistentBackingData = backingData"))
  }

  @Test func `in language mode 5 a constant is stored like a variable, as Swift gives it accessors there`() {
    let text = "@Model final class A {\n  let a: Int\n  let b = 1\n  init(a: Int) { self.a = a }\n}"
    let expansion = Expansion(text, languageMode: 5)
    #expect(expansion.findings == [])
    #expect(
      expansion.entries == [
        "name: \"a\", keypath: \\A.a, defaultValue: nil, metadata: nil",
        "name: \"b\", keypath: \\A.b, defaultValue: 1, metadata: nil",
      ])
    #expect(expansion.text.contains("@storageRestrictions(accesses: _$backingData, initializes: _b)"))
  }

  @Test func `a class without an initializer gets one offered`() {
    let source = """
      enum Space {
        @Model public final class A {
          var a: Int
          var b: String? = "x"
          var c: Date?
          var d = 1
          var `in`: A!
        }
      }
      """
    let expansion = Expansion(source, expanding: ["Model"])
    let offered = """
      enum Space {
        @Model public final class A {
          var a: Int
          var b: String? = "x"
          var c: Date?
          var d = 1
          var `in`: A!

          public init(a: Int, b: String? = "x", c: Date? = nil, `in`: A! = nil) {
            self.a = a
            self.b = b
            self.c = c
            self.`in` = `in`
          }
        }
      }
      """
    #expect(
      expansion.findings == [
        .init(
          line: 2, column: 29, message: "'@Model' class 'A' needs an initializer",
          repairs: [.init(message: "add an initializer", source: offered)])
      ])
  }

  @Test func `the initializer that the store calls is not one to make objects with`() {
    let expansion = Expansion(
      """
      @Model class B: A {
        required init(backingData: any BackingData<A>) { super.init(backingData: backingData) }
      }
      """, expanding: ["Model"], missing: [])
    #expect(
      expansion.findings == [.init(line: 1, column: 14, message: "'@Model' class 'B' needs an initializer")])
  }

  @Test func `a generic class is refused`() {
    let expansion = Expansion("@Model final class A<T> { init() {} }", expanding: ["Model"])
    #expect(
      expansion.findings == [
        .init(
          line: 1, column: 21, message: "a '@Model' class cannot be generic, because it is one entity of the schema")
      ])
  }

  @Test(arguments: [
    ("struct A { var a = 1 }", 8, "struct"), ("actor A { var a = 1 }", 8, "actor"), ("public enum A {}", 15, "enum"),
  ])
  func `anything but a class is refused and offered to become one`(_ source: String, _ column: Int, _ keyword: String) {
    let expansion = Expansion("@Model \(source)", expanding: ["Model"])
    let repaired = "@Model " + source.replacing(keyword, with: "class")
    #expect(
      expansion.findings == [
        .init(
          line: 1, column: column, message: "'@Model' belongs on a class",
          repairs: [.init(message: "replace '\(keyword)' with 'class'", source: repaired)])
      ])
    #expect(!expansion.text.contains("PersistentModel") && !expansion.text.contains("@_PersistedProperty"))
  }

  @Test func `an enumeration with cases is refused without an offer`() {
    let expansion = Expansion("@Model enum A { case a }", expanding: ["Model"])
    #expect(expansion.findings == [.init(line: 1, column: 1, message: "'@Model' belongs on a class")])
  }

  @Test(arguments: [
    "#Unique<A>([\\.a])", "class A { func f() { #Unique<A>([\\.a]) } }", "struct A {\n  #Unique<A>([\\.a])\n}",
  ])
  func `a constraint outside of a model is refused`(_ source: String) {
    let expansion = Expansion(source)
    #expect(expansion.findings.map(\.message) == ["'#Unique' belongs directly in the body of a '@Model' class"])
  }

  @Test func `a class cannot contain conditions that the compiler does not report`() {
    let expansion = Expansion(
      """
      @Model final class A {
        #if DEBUG
          var a = 1
        #endif
        init() {}
      }
      """, expanding: ["Model"], conditionsKnown: false)
    #expect(
      expansion.findings == [
        .init(
          line: 2, column: 3,
          message: "this compiler does not tell macros which clause of '#if' it takes; "
            + "keep '#if' out of the body of a '@Model' class")
      ])
  }
}
