// SPDX-License-Identifier: MIT

import Testing

struct ModelExpansionTests {
  // MARK: Members that are the same in several classes

  private func observation(of type: String) -> String {
    """
      @Transient private var _$observationRegistrar: SwiftData._ModelRegistrar {
        SwiftData._ModelRegistrar(persistentBackingData)
      }

      internal nonisolated func access<_M>(keyPath: Swift.KeyPath<\(type), _M>) {
        _$observationRegistrar.access(self, keyPath: keyPath)
      }

      internal nonisolated func withMutation<_M, _R>(
        keyPath: Swift.KeyPath<\(type), _M>, _ mutation: () throws -> _R
      ) rethrows -> _R {
        try _$observationRegistrar.withMutation(of: self, keyPath: keyPath, mutation)
      }
    """
  }

  /// Of a class without a model above it.
  private func backing(_ access: String) -> String {
    """
      @Transient private let _$backingData = SwiftData._ModelBackingData<Trip>(for: Trip.self)

      \(access) func _currentState() -> SwiftData._ModelState? {
        _$backingData._state
      }

      \(access) var persistentBackingData: any SwiftData.BackingData<Trip> {
        get {
          _$backingData._shared
        }
        set {
          _$backingData._adopt(newValue)
        }
      }
    """
  }

  /// Of a subclass of a model.
  private func joinedBacking(of type: String, root: String) -> String {
    """
      @Transient private let _$backingData = SwiftData._ModelBackingData<\(type)>(for: \(type).self)

      override func _currentState() -> SwiftData._ModelState? {
        persistentBackingData._state
      }

      override var persistentBackingData: any SwiftData.BackingData<\(root)> {
        get {
          let backing = super.persistentBackingData
          guard let joined = SwiftData._join(_$backingData, backing) else {
            return backing
          }
          super.persistentBackingData = joined
          _$backingData._adopt(joined)
          return joined
        }
        set {
          super.persistentBackingData = newValue
          _$backingData._adopt(newValue)
        }
      }
    """
  }

  private static let rootEnd = """
      struct _SwiftDataNoType {
        init() {
        }
      }

      private static var _$firstProperty: Swift.Int {
        0
      }
    }

    extension Trip: nonisolated Observation.Observable {
    }

    extension Trip: nonisolated SwiftData.PersistentModel {
    }

    @available(*, unavailable, message: "a model belongs to its context; pass its persistentModelID on instead")
    extension Trip: Swift.Sendable {
    }
    """

  @Test func `a final class gets a backing, a table, an initializer and observation`() {
    let expansion = Expansion(
      """
      @Model public final class Trip {
        @Attribute(.unique, originalName: "title") public var name: String
        @Relationship(deleteRule: .cascade, inverse: \\Stay.trip) var stays: [Stay] = []
        private(set) var end: Date?
        @Transient var isOpen = false
        @Attribute(.transformable(by: "Map")) var map = Map()

        init(name: String) { self.name = name }
      }
      """, expanding: ["Model"])
    #expect(expansion.findings == [])
    #expect(
      expansion.text == """
        public final class Trip {
          @Attribute(.unique, originalName: "title")
          @_PersistedProperty(0) public var name: String
          @Relationship(deleteRule: .cascade, inverse: \\Stay.trip)
          @_PersistedProperty(1) var stays: [Stay] = []
          @_PersistedProperty(2)
          private(set) var end: Date?
          @Transient var isOpen = false
          @Attribute(.transformable(by: "Map"))
          @_TransformablePersistedProperty(3) var map = Map()

          init(name: String) { self.name = name }

        \(backing("public"))

          public static var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {
            [
              SwiftData.Schema.PropertyMetadata(
                name: "name", keypath: \\Trip.name,
                defaultValue: nil,
                metadata: SwiftData.Schema.Attribute(.unique, originalName: "title")),
              SwiftData.Schema.PropertyMetadata(
                name: "stays", keypath: \\Trip.stays,
                defaultValue: [] as [Stay],
                metadata: SwiftData.Schema.Relationship(deleteRule: .cascade, inverse: \\Stay.trip)),
              SwiftData.Schema.PropertyMetadata(
                name: "end", keypath: \\Trip.end,
                defaultValue: nil,
                metadata: nil),
              SwiftData.Schema.PropertyMetadata(
                name: "map", keypath: \\Trip.map,
                defaultValue: Map(),
                metadata: SwiftData.Schema.Attribute(.transformable(by: "Map"))),
            ]
          }

          public required init(backingData: any SwiftData.BackingData<Trip>) {
            _name = _SwiftDataNoType()
            _stays = _SwiftDataNoType()
            _end = _SwiftDataNoType()
            _map = _SwiftDataNoType()
            self.persistentBackingData = backingData
          }

        \(observation(of: "Trip"))

          public func _withMutation(at index: Swift.Int, _ body: () -> Swift.Void) {
            switch index - Trip._$firstProperty {
            case 0:
              _$observationRegistrar.withMutation(of: self, keyPath: \\.name, body)
            case 1:
              _$observationRegistrar.withMutation(of: self, keyPath: \\.stays, body)
            case 2:
              _$observationRegistrar.withMutation(of: self, keyPath: \\.end, body)
            case 3:
              _$observationRegistrar.withMutation(of: self, keyPath: \\.map, body)
            default:
              body()
            }
          }

        \(Self.rootEnd)
        """)
  }

  @Test func `an open class lets subclasses of any module override and read its table`() {
    let expansion = Expansion(
      """
      @Model open class Trip {
        open var name = ""
        public init() {}
      }
      """, expanding: ["Model"])
    #expect(expansion.findings == [])
    #expect(
      expansion.text == """
        open class Trip {
          @_PersistedProperty(0)
          open var name = ""
          public init() {}

        \(backing("open"))

          open class var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {
            _$schemaMetadata(for: Trip.self)
          }

          public static func _$schemaMetadata<_Model: Trip>(for model: _Model.Type) -> [SwiftData.Schema.PropertyMetadata] {
            [
              SwiftData.Schema.PropertyMetadata(
                name: "name", keypath: \\_Model.name,
                defaultValue: "",
                metadata: nil),
            ]
          }

          public required init(backingData: any SwiftData.BackingData<Trip>) {
            _name = _SwiftDataNoType()
            self.persistentBackingData = backingData
          }

        \(observation(of: "Trip"))

          open func _withMutation(at index: Swift.Int, _ body: () -> Swift.Void) {
            switch index - Trip._$firstProperty {
            case 0:
              _$observationRegistrar.withMutation(of: self, keyPath: \\.name, body)
            default:
              body()
            }
          }

        \(Self.rootEnd)
        """)
  }

  @Test func `a subclass joins its backing and its table with those above`() {
    let expansion = Expansion(
      """
      @Model class Flight: Outer.Trip, Codable {
        var seat: String
        override init() {
          seat = ""
          super.init()
        }
      }
      """, expanding: ["Model"], missing: [])
    #expect(expansion.findings == [])
    #expect(
      expansion.text == """
        class Flight: Outer.Trip, Codable {
          @_PersistedProperty(0)
          var seat: String
          override init() {
            seat = ""
            super.init()
          }

        \(joinedBacking(of: "Flight", root: "Outer.Trip.Root"))

          override class var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {
            _$schemaMetadata(for: Flight.self)
          }

          static func _$schemaMetadata<_Model: Flight>(for model: _Model.Type) -> [SwiftData.Schema.PropertyMetadata] {
            Outer.Trip._$schemaMetadata(for: _Model.self) + [
              SwiftData.Schema.PropertyMetadata(
                name: "seat", keypath: \\_Model.seat,
                defaultValue: nil,
                metadata: nil),
            ]
          }

          required init(backingData: any SwiftData.BackingData<Outer.Trip.Root>) {
            _seat = _SwiftDataNoType()
            super.init(backingData: backingData)
          }

        \(observation(of: "Flight"))

          override func _withMutation(at index: Swift.Int, _ body: () -> Swift.Void) {
            switch index - Flight._$firstProperty {
            case 0:
              _$observationRegistrar.withMutation(of: self, keyPath: \\.seat, body)
            default:
              super._withMutation(at: index, body)
            }
          }

          struct _SwiftDataNoType {
            init() {
            }
          }

          private static let _$firstProperty: Swift.Int = SwiftData._propertyCount(Outer.Trip.self)
        }
        """)
  }

  @Test func `a final subclass without properties of its own has the table above`() {
    let expansion = Expansion(
      """
      @Model final class Charter: Flight {
        override init() { super.init() }
        required init(backingData: any BackingData<Trip>) { super.init(backingData: backingData) }
      }
      """, expanding: ["Model"], missing: [])
    #expect(expansion.findings == [])
    #expect(
      expansion.text == """
        final class Charter: Flight {
          override init() { super.init() }
          required init(backingData: any BackingData<Trip>) { super.init(backingData: backingData) }

        \(joinedBacking(of: "Charter", root: "Flight.Root"))

          override class var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {
            Flight._$schemaMetadata(for: Charter.self)
          }

        \(observation(of: "Charter"))

          struct _SwiftDataNoType {
            init() {
            }
          }

          private static let _$firstProperty: Swift.Int = SwiftData._propertyCount(Flight.self)
        }
        """)
  }

  @Test(arguments: [
    ("public", "public "), ("package", "package "), ("internal", ""), ("", ""), ("fileprivate", ""), ("private", ""),
  ])
  func `members are as visible as the class`(_ access: String, _ expected: String) {
    let expansion = Expansion("@Model \(access) class A { init() {} }", expanding: ["Model"])
    #expect(expansion.findings == [])
    let members = expansion.text.split(separator: "\n").map { $0.trimmingPrefix(while: \.isWhitespace) }.filter {
      line in
      ["persistentBackingData:", "schemaMetadata:", "_$schemaMetadata<", "init(backingData"].contains(
        where: line.contains)
    }
    #expect(
      members
        == [
          "\(expected)var persistentBackingData: any SwiftData.BackingData<A> {",
          "\(expected)class var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {",
          "\(expected)static func _$schemaMetadata<_Model: A>(for model: _Model.Type) -> "
            + "[SwiftData.Schema.PropertyMetadata] {",
          "\(expected)required init(backingData: any SwiftData.BackingData<A>) {",
        ].map { $0[...] })
  }

  @Test func `a class that names the protocol itself is not a subclass`() {
    let expansion = Expansion(
      "@Model final class A: SwiftData.PersistentModel { var a = 1; init() {} }", expanding: ["Model"], missing: [])
    #expect(expansion.findings == [])
    #expect(expansion.text.contains("\n  var persistentBackingData: any SwiftData.BackingData<A> {"))
    #expect(!expansion.text.contains("extension"))
  }

  @Test func `a class inside another type or its extension goes by its own name`() {
    let expansion = Expansion(
      "extension Outer.Space { @Model final class Node { var a: Int; init() { a = 1 } } }",
      expanding: ["Model", "_PersistedProperty"])
    #expect(expansion.findings == [])
    #expect(expansion.entries == ["name: \"a\", keypath: \\Node.a, defaultValue: nil, metadata: nil"])
    #expect(expansion.text.contains("self.getValue(forKey: \\.a, at: Node._$firstProperty + 0)"))
    #expect(expansion.text.contains("extension Outer.Space.Node: nonisolated SwiftData.PersistentModel {"))
  }

  @Test func `a local class is left to the compiler, which refuses it`() {
    let expansion = Expansion("func f() { @Model final class A { var a = 1 } }", expanding: ["Model"])
    #expect(expansion.findings == [])
    #expect(!expansion.text.contains("_$backingData") && !expansion.text.contains("@_PersistedProperty"))
  }
}
