// SPDX-License-Identifier: MIT

import Foundation
import SwiftData
import Testing

/// An object that supports secure coding.
final class Paint: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  let name: String

  init(_ name: String) { self.name = name }
  func encode(with coder: NSCoder) { coder.encode(name as NSString, forKey: "name") }
  init?(coder: NSCoder) {
    guard let name = coder.decodeObject(of: NSString.self, forKey: "name") else { return nil }
    self.name = name as String
  }
}

final class PaintTransformer: NSSecureUnarchiveFromDataTransformer {
  static let name = NSValueTransformerName(rawValue: String(describing: PaintTransformer.self))

  override class var allowedTopLevelClasses: [AnyClass] { [Paint.self] }
  static func register() { ValueTransformer.setValueTransformer(PaintTransformer(), forName: name) }
}

@Model final class Palette {
  @Attribute(.transformable(by: NSSecureUnarchiveFromDataTransformer.self)) var titles: [String]
  @Attribute(.transformable(by: "NSSecureUnarchiveFromData")) var related: [UUID]?
  @Attribute(.transformable(by: PaintTransformer.name.rawValue)) var paint: Paint
  @Attribute(.transformable(by: PaintTransformer.self)) var paints: [Paint] = []
  @Attribute(.transformable(by: "SwiftDataTests.ColourTransformer")) var colour: Colour?

  init(_ titles: [String], _ paint: Paint) {
    self.titles = titles
    self.paint = paint
  }
}

@Model final class Unregistered {
  @Attribute(.transformable(by: "NobodyRegisteredThis")) var titles: [String] = []
  init() {}
}

/// The documented forms of `.transformable(by:)`.
@Suite(.everyStore) struct TransformerTests {
  let container: ModelContainer

  init() throws {
    PaintTransformer.register()
    container = try newContainer(Palette.self)
  }

  @Test func `attributes are transformed by a class, by a registered name and by the name of a class`() throws {
    let context = ModelContext(container)
    let palette = Palette(["dawn", "dusk"], Paint("red"))
    palette.related = [UUID(), UUID()]
    palette.paints = [Paint("blue"), Paint("green")]
    palette.colour = Colour(red: 1, green: 2, blue: 3)
    context.insert(palette)
    context.insert(Palette([], Paint("none")))
    try context.save()
    let found = try ModelContext(container).fetch(FetchDescriptor<Palette>())
    #expect(found.map(\.titles) == [["dawn", "dusk"], []])
    #expect(found.map(\.related) == [palette.related, nil])
    #expect(found.map(\.paint.name) == ["red", "none"])
    #expect(found.map { $0.paints.map(\.name) } == [["blue", "green"], []])
    #expect(found.map(\.colour) == [Colour(red: 1, green: 2, blue: 3), nil])
  }

  @Test func `an archive of another class is not read`() throws {
    let archive = try #require(NSSecureUnarchiveFromDataTransformer().reverseTransformedValue(["a"]))
    #expect(NSSecureUnarchiveFromDataTransformer().transformedValue(archive) as? [String] == ["a"])
    let paint = try #require(PaintTransformer().reverseTransformedValue(Paint("red")))
    #expect((PaintTransformer().transformedValue(paint) as? Paint)?.name == "red")
    #expect(NSSecureUnarchiveFromDataTransformer().transformedValue(paint) == nil)
    #expect(NSSecureUnarchiveFromDataTransformer().transformedValue(Data([1, 2, 3])) == nil)
    #expect(NSSecureUnarchiveFromDataTransformer().reverseTransformedValue(Colour(red: 1, green: 1, blue: 1)) == nil)
  }

  @Test func `a transformer is found under its name`() throws {
    #expect(ValueTransformer(forName: PaintTransformer.name) is PaintTransformer)
    #expect(ValueTransformer(forName: .secureUnarchiveFromDataTransformerName) is NSSecureUnarchiveFromDataTransformer)
    #expect(ValueTransformer(forName: NSValueTransformerName("nobody")) == nil)
  }

  @Test func `a container is refused until the transformer of a model is registered`() throws {
    let said = explanation(of: .loadIssueModelContainer) { _ = try newContainer(Unregistered.self) }
    #expect(
      said == "Unregistered.titles: no value transformer is registered as NobodyRegisteredThis; call "
        + "ValueTransformer.setValueTransformer(_:forName:) before you make the container")
  }
}
