// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SwiftData

private class Base {
  var number = 0
  var text: String { "base" }
}

private final class Derived: Base {
  var next: Derived?
  var inner = Inner()
}

private struct Inner {
  var first = 0
  var second = ""
  var count: Int { second.count }
}

/// `KeyPathParts` reads key paths as one version of the standard library lays them out in memory.
@Suite struct KeyPathPartsTests {
  private static let advice: Comment =
    "This toolchain lays key paths out differently: compare KeyPathParts.swift with its stdlib/public/core/KeyPath.swift."

  private func parts(_ keyPath: AnyKeyPath) throws -> [KeyPathParts.Part] {
    try #require(KeyPathParts(keyPath)?.parts, Self.advice)
  }

  @Test func `the toolchain lays out stored properties as KeyPathParts reads them`() throws {
    let text = UInt(MemoryLayout<Inner>.offset(of: \.second) ?? 0)
    guard case .stored(0, let kind) = try parts(\Inner.first)[0] else {
      Issue.record(Self.advice)
      return
    }
    #expect(try parts(\Inner.first) == [.stored(0, kind: kind)], Self.advice)
    #expect(try parts(\Inner.second) == [.stored(Int(text), kind: kind)], Self.advice)
    #expect(try parts(\Derived.inner.second) == parts(\Derived.inner) + parts(\Inner.second), Self.advice)
  }

  @Test func `the toolchain lays out optional steps as KeyPathParts reads them`() throws {
    let next = try parts(\Derived.next)
    #expect(try parts(\Derived.next?.number) == next + [.chained] + parts(\Derived.number) + [.wrapped], Self.advice)
    #expect(try parts(\Derived.next!.number) == next + [.forced] + parts(\Derived.number), Self.advice)
  }

  @Test func `the toolchain lays out computed properties as KeyPathParts reads them`() throws {
    let count = try parts(\Inner.count)
    guard case .computed = count[0], count.count == 1 else {
      Issue.record(Self.advice)
      return
    }
    #expect(try parts(\Derived.inner.count) == parts(\Derived.inner) + count, Self.advice)
    #expect(try parts(\Inner.second) != count, Self.advice)
  }

  @Test func `an inherited property has the parts that it has in its own class`() throws {
    #expect((\Derived.number as AnyKeyPath) != (\Base.number as AnyKeyPath))
    #expect(try parts(\Derived.number) == parts(\Base.number), Self.advice)
    #expect(try parts(\Derived.text) == parts(\Base.text), Self.advice)
  }
}
