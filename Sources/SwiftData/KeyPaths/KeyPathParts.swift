// SPDX-License-Identifier: MIT

/// What a key path reads, one thing after another.
///
/// Swift compares key paths as wholes only, by their root type too: an inherited property has another key path in each
/// class, and one through a relationship equals none of a property's. Their parts are the same, though. They are read
/// from the key path's own memory, as Foundation does for predicates; nothing of the program is run.
/// Source: stdlib/public/core/KeyPath.swift, the layout of key path objects.
struct KeyPathParts {
  enum Part: Hashable {
    /// A property with code of its own, by what identifies it.
    case computed(UInt, kind: UInt32)
    /// A stored property by its offset.
    case stored(Int, kind: UInt32)
    /// `?.`
    case chained
    /// The optional around a chain.
    case wrapped
    /// `!`
    case forced
  }

  let parts: [Part]

  /// nil for a key path that is laid out in another way.
  init?(_ keyPath: AnyKeyPath) {
    let word = MemoryLayout<UInt>.size
    // Type, reference count and the name for Objective-C.
    let object = UnsafeRawPointer(Unmanaged.passUnretained(keyPath).toOpaque()) + 3 * word
    let size = Int(object.load(as: UInt32.self) & 0x00ff_ffff)
    let buffer = object + word
    var cursor = 0
    func header() -> UInt32? { cursor + 4 <= size ? buffer.load(fromByteOffset: cursor, as: UInt32.self) : nil }
    func number() -> UInt? {
      cursor = (cursor + word - 1) / word * word
      guard cursor + word <= size else { return nil }
      defer { cursor += word }
      return buffer.load(fromByteOffset: cursor, as: UInt.self)
    }
    var parts: [Part] = []
    while let header = header() {
      cursor += 4
      let payload = header & 0x00ff_ffff
      switch (header & 0x7f00_0000) >> 24 {
      case 1, 3:
        // Offsets that are too long for the header come after it, or are found in other ways.
        let offset = payload & 0x007f_ffff
        guard offset <= 0x007f_fffc else { return nil }
        parts.append(.stored(Int(offset), kind: (header & 0x7f00_0000) >> 24))
      case 2:
        guard let identity = number(), number() != nil else { return nil }
        if payload & 0x0040_0000 != 0, number() == nil { return nil }
        if payload & 0x0008_0000 != 0 {
          guard let arguments = number(), number() != nil else { return nil }
          cursor += Int(arguments)
        }
        parts.append(.computed(identity, kind: payload & 0x0030_0000))
      case 4:
        switch payload {
        case 0: parts.append(.chained)
        case 1: parts.append(.wrapped)
        case 2: parts.append(.forced)
        default: return nil
        }
      default: return nil
      }
      guard cursor < size else { break }
      // The type between two parts.
      guard number() != nil else { return nil }
    }
    guard cursor == size, !parts.isEmpty else { return nil }
    self.parts = parts
  }
}
