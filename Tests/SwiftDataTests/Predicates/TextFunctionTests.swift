// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import SwiftData

struct TextFunctionTests {
  private static let scalars = Array(
    "aAbé\u{301}\r\n\u{1f468}\u{200d}\u{1f469}ß가\u{1100}\u{1161};K\u{212a} ".unicodeScalars)

  private static func text(_ random: inout SeededGenerator) -> String {
    var text = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0...5, using: &random) { text.append(scalars.randomElement(using: &random)!) }
    return String(text)
  }

  /// As a predicate in memory calls it.
  private static func contains<Whole: Collection, Part: Collection>(_ whole: Whole, _ part: Part) -> Bool
  where Whole.Element: Equatable, Whole.Element == Part.Element { whole.contains(part) }

  @Test(arguments: 0..<4) func `text functions give the same results as Swift`(seed: Int) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<5_000 {
      var (whole, part) = (Self.text(&random), Self.text(&random))
      let expected = (Self.contains(whole, part), whole.starts(with: part), whole.count)
      let found = whole.withUTF8 { whole in
        part.withUTF8 { part in
          let (whole, part) = (UnsafeRawBufferPointer(whole), UnsafeRawBufferPointer(part))
          return (TextFunctions.contains(whole, part), TextFunctions.starts(whole, part), TextFunctions.count(whole))
        }
      }
      #expect(found == expected, "\(whole.debugDescription), \(part.debugDescription)")
    }
  }
}
