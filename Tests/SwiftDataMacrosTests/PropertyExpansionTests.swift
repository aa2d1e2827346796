// SPDX-License-Identifier: MIT

import Testing

struct PropertyExpansionTests {
  @Test func `a property reads and writes the backing at its index`() {
    let expansion = Expansion(
      """
      final class A {
        @_PersistedProperty(3) public private(set) var a: Int
      }
      """,
      expanding: ["_PersistedProperty"])
    #expect(expansion.findings == [])
    #expect(
      expansion.text == """
        final class A {
          public private(set) var a: Int {
            @storageRestrictions(accesses: _$backingData, initializes: _a)
            init(initialValue) {
              _$backingData._start(with: initialValue, at: A._$firstProperty + 3)
              _a = _SwiftDataNoType()
            }
            get {
              self.getValue(forKey: \\.a, at: A._$firstProperty + 3)
            }
            set {
              self.setValue(forKey: \\.a, to: newValue, at: A._$firstProperty + 3)
            }
          }

          @Transient private var _a: _SwiftDataNoType
        }
        """)
  }

  @Test(arguments: [
    "var a: [B]", "var a: [B]?", "var a: Array<B>", "var a = [B]()", "var a: [B] = []", "public var a: [B] = [B()]",
  ])
  func `an array is changed in place`(_ declaration: String) {
    let expansion = Expansion(
      "class A {\n  @_PersistedProperty(2) \(declaration)\n}", expanding: ["_PersistedProperty"])
    #expect(expansion.findings == [])
    #expect(
      expansion.text.contains(
        """
            _modify {
              let edit = self._edit(forKey: \\.a, at: A._$firstProperty + 2)
              defer {
                edit.end()
              }
              yield &edit.value.pointee
            }
        """))
  }

  @Test(arguments: ["@_PersistedProperty(0) var a: [B: C]", "@_TransformablePersistedProperty(0) var a: [B]"])
  func `other properties are read and set`(_ declaration: String) {
    let expansion = Expansion(
      "class A {\n  \(declaration)\n}", expanding: ["_PersistedProperty", "_TransformablePersistedProperty"])
    #expect(!expansion.text.contains("_modify"))
  }

  @Test func `a transformable property goes through its transformer`() {
    let expansion = Expansion(
      """
      class A {
        @_TransformablePersistedProperty(0) var a: Map? = nil
      }
      """,
      expanding: ["_TransformablePersistedProperty"])
    #expect(expansion.findings == [])
    #expect(
      expansion.text == """
        class A {
          var a: Map? {
            @storageRestrictions(accesses: _$backingData, initializes: _a)
            init(initialValue) {
              _$backingData._startTransformable(with: initialValue, at: A._$firstProperty + 0)
              _a = _SwiftDataNoType()
            }
            get {
              self.getTransformableValue(forKey: \\.a, at: A._$firstProperty + 0)
            }
            set {
              self.setTransformableValue(forKey: \\.a, to: newValue, at: A._$firstProperty + 0)
            }
          }

          @Transient private var _a: _SwiftDataNoType = .init()
        }
        """)
  }

  @Test(arguments: [
    ("var a: Int", "var _a: _SwiftDataNoType"),
    ("var a: Int = 1", "var _a: _SwiftDataNoType = .init()"),
    ("var a = 1", "var _a: _SwiftDataNoType = .init()"),
    ("var a: Int?", "var _a: _SwiftDataNoType?"),
    ("var a: Int!", "var _a: _SwiftDataNoType?"),
    ("var a: Int? = nil", "var _a: _SwiftDataNoType = .init()"),
    ("var a: Optional<Int>", "var _a: _SwiftDataNoType"),
    ("var `default`: Int", "var _default: _SwiftDataNoType"),
    ("var `two words`: Int", "var `_two words`: _SwiftDataNoType"),
    ("var größe: Int", "var _größe: _SwiftDataNoType"),
  ])
  func `the placeholder starts as the property does`(_ declaration: String, _ placeholder: String) {
    let expansion = Expansion("class A { @_PersistedProperty(0) \(declaration) }", expanding: ["_PersistedProperty"])
    #expect(expansion.findings == [])
    let peer = expansion.text.split(separator: "\n").filter { $0.contains("private var") }
    #expect(peer.map { $0.trimmingPrefix(while: \.isWhitespace) } == ["@Transient private \(placeholder)"])
  }

  @Test(arguments: [
    ("var a: Int", "nil"),
    ("var a: Int?", "nil"),
    ("var a = 0", "0"),
    ("var a = -1.5", "-1.5"),
    ("var a = \"\"", "\"\""),
    ("var a = true", "true"),
    ("var a = Date()", "Date()"),
    ("var a = [String]()", "[String]()"),
    ("var a: Date = .now", ".now as Date"),
    ("var a: [Int] = []", "[] as [Int]"),
    ("var a: [Int: String] = [:]", "[:] as [Int: String]"),
    ("var a: Int? = nil", "nil as Int?"),
    ("var a: Owner! = nil", "nil as Owner?"),
    ("var a: Optional<Status> = .some(.draft)", ".some(.draft) as Optional<Status>"),
    ("var a: Status = .draft  // trailing", ".draft as Status"),
    ("var a: Status = /* inside */ .draft /* behind */", ".draft as Status"),
    ("var a: Int = 1 + 2", "(1 + 2) as Int"),
    ("var a: Int = b ? 1 : 2", "(b ? 1 : 2) as Int"),
    ("var a: Int = x ?? 2", "(x ?? 2) as Int"),
    ("var a: Int = try! f()", "(try! f()) as Int"),
    ("var a: Int = { 1 }()", "{ 1 }() as Int"),
    ("var a: Int = if b { 1 } else { 2 }", "{ if b { 1 } else { 2 } }() as Int"),
    ("var a: any P = Q()", "Q() as any P"),
  ])
  func `the table has the initial value, typed as the property is`(_ declaration: String, _ value: String) {
    let expansion = Expansion("@Model final class A {\n  \(declaration)\n  init() {}\n}", expanding: ["Model"])
    #expect(expansion.findings == [])
    #expect(expansion.entries == ["name: \"a\", keypath: \\A.a, defaultValue: \(value), metadata: nil"])
  }

  @Test(arguments: [
    ("", "nil"),
    ("@Attribute", "SwiftData.Schema.Attribute()"),
    ("@Attribute(.unique)", "SwiftData.Schema.Attribute(.unique)"),
    ("@SwiftData.Attribute(.unique, .spotlight)", "SwiftData.Schema.Attribute(.unique, .spotlight)"),
    ("@Attribute( /* no two */ .unique /* ever */ )", "SwiftData.Schema.Attribute(.unique)"),
    ("@Relationship", "SwiftData.Schema.Relationship()"),
    (
      "@Relationship(inverse: nil, hashModifier: nil)",
      "SwiftData.Schema.Relationship(inverse: nil, hashModifier: nil), _isOneWay: true"
    ),
    ("@Relationship(inverse: \\.a)", "SwiftData.Schema.Relationship(inverse: \\.a)"),
    ("@available(macOS 15, *) @Relationship(.unique)", "SwiftData.Schema.Relationship(.unique)"),
    ("@ObservationIgnored", "nil"),
  ])
  func `the table has the annotation as it is written`(_ marker: String, _ annotation: String) {
    let expansion = Expansion("@Model final class A { \(marker) var a: [B]; init() {} }", expanding: ["Model"])
    #expect(expansion.findings == [])
    #expect(expansion.entries == ["name: \"a\", keypath: \\A.a, defaultValue: nil, metadata: \(annotation)"])
  }

  @Test func `names in backticks stay in backticks, apart from the schema's name`() {
    let expansion = Expansion(
      "@Model class `Type` { var `class`: Int; var `two words`: Int; init() {} }", expanding: ["Model"])
    #expect(expansion.findings == [])
    #expect(
      expansion.entries == [
        "name: \"class\", keypath: \\_Model.`class`, defaultValue: nil, metadata: nil",
        "name: \"two words\", keypath: \\_Model.`two words`, defaultValue: nil, metadata: nil",
      ])
    #expect(expansion.text.contains("_class = _SwiftDataNoType()\n    `_two words` = _SwiftDataNoType()"))
    #expect(expansion.text.contains("any SwiftData.BackingData<`Type`>"))
  }

  @Test func `only stored properties of the object are kept, in the order they are written`() {
    let expansion = Expansion(
      """
      @Model final class A {
        static var shared = 1
        class var also: Int { 1 }
        static let limit = 2
        var first: Int
        var computed: Int { 1 }
        var both: Int { get { 1 } set {} }
        @Transient var transient: Int?
        @Transient var watched = 1 { didSet {} }
        @Transient let fixed = 1
        @Transient lazy var late = 1
        @Transient var computedToo: Int { 1 }
        override var inherited: Int { didSet {} }
        #if os(Linux)
          var here: Int
          #if os(Windows)
            var nowhere: Int
          #elseif !os(macOS)
            var inside: Int
          #endif
        #else
          let there: Int
        #endif
        func f() { let x = 1 }
        var last: Int
        init() {}
      }
      """, expanding: ["Model"])
    #expect(expansion.findings == [])
    #expect(
      expansion.entries
        == ["first", "here", "inside", "last"].map {
          "name: \"\($0)\", keypath: \\A.\($0), defaultValue: nil, metadata: nil"
        })
  }

  private func constraint(_ name: String, _ value: String) -> String {
    "name: \"\(name)\", keypath: \\A.persistentModelID, metadata: SwiftData.Schema.\(value)"
  }

  @Test func `constraints stand behind the properties, each kind counted for itself`() {
    let expansion = Expansion(
      """
      @Model final class A {
        #Unique<A>([\\.a], [\\.a, \\.b])
        var a: Int
        #Index<A>([\\.b])
        var b: Int
        #Unique([\\A.b])
        #Index<A>(.binary([\\.a]), .rtree([\\.b]))
        init() {}
      }
      """)
    #expect(expansion.findings == [])
    #expect(
      expansion.entries == [
        "name: \"a\", keypath: \\A.a, defaultValue: nil, metadata: nil",
        "name: \"b\", keypath: \\A.b, defaultValue: nil, metadata: nil",
        constraint("_unique0", "Unique<A>([\\.a], [\\.a, \\.b])"), constraint("_index0", "Index<A>([\\.b])"),
        constraint("_unique1", "Unique<A>([\\A.b])"),
        constraint("_index1", "Index<A>(.binary([\\.a]), .rtree([\\.b]))"),
      ])
    #expect(!expansion.text.contains("#"))
  }
}
