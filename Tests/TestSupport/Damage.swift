// SPDX-License-Identifier: MIT

internal import Foundation

/// Damage of a file, by a disk, an interrupted copy, or a person.
package enum Damage: CustomStringConvertible, Sendable {
  /// The file is truncated to this number of bytes.
  case cut(Int)
  case flip(byte: Int, bit: Int)
  /// 4 KiB of random bytes.
  case garbage(at: Int, seed: Int)
  case zeros(at: Int)
  case removed
  /// Two blocks of 4 KiB are exchanged.
  case exchanged(Int, Int)

  /// Random damage of a file of that size.
  package static func random(size: Int, seed: Int) -> Damage {
    var generator = SeededGenerator(seed: seed)
    let offset = Int.random(in: 0..<max(1, size), using: &generator)
    return switch seed % 6 {
    case 0: .garbage(at: offset / 4096 * 4096, seed: seed)
    case 1: .garbage(at: offset, seed: seed)
    case 2: .zeros(at: offset / 4096 * 4096)
    default: .flip(byte: offset, bit: Int.random(in: 0..<8, using: &generator))
    }
  }

  /// Random damage of any kind, one to eight times.
  package static func several(size: Int, seed: Int) -> [Damage] {
    var generator = SeededGenerator(seed: seed)
    let blocks = max(1, size / 4096)
    func block() -> Int { Int.random(in: 0..<blocks, using: &generator) * 4096 }
    // One in five hits the header and the first table of tables.
    let reach = seed % 5 == 0 ? min(size, 4096) : max(1, size)
    switch seed % 7 {
    case 0: return [.cut(Int.random(in: 0..<max(1, size), using: &generator))]
    case 1: return [.exchanged(block(), block())]
    case 2: return [.zeros(at: block())]
    case 3: return [.garbage(at: Int.random(in: 0..<max(1, size), using: &generator), seed: seed)]
    default:
      return (0...Int.random(in: 0..<8, using: &generator)).map { _ in
        .flip(byte: .random(in: 0..<reach, using: &generator), bit: .random(in: 0..<8, using: &generator))
      }
    }
  }

  /// Truncations to nothing, to half, and by one byte.
  package static func cuts(size: Int) -> [Damage] { [.cut(0), .cut(size / 2), .cut(max(0, size - 1))] }

  package var description: String {
    switch self {
    case .cut(let left): "cut to \(left) bytes"
    case .flip(let byte, let bit): "bit \(bit) of byte \(byte) turned"
    case .garbage(let offset, let seed): "garbage \(seed) at \(offset)"
    case .zeros(let offset): "zeros at \(offset)"
    case .removed: "removed"
    case .exchanged(let one, let other): "blocks at \(one) and \(other) exchanged"
    }
  }

  package func happen(to path: String) throws {
    let url = URL(fileURLWithPath: path)
    if case .removed = self { return try FileManager.default.removeItem(at: url) }
    var bytes = [UInt8](try Data(contentsOf: url))
    func fill(_ offset: Int, _ byte: () -> UInt8) {
      for at in min(offset, bytes.count)..<min(offset + 4096, bytes.count) { bytes[at] = byte() }
    }
    switch self {
    case .cut(let left): bytes.removeLast(max(0, bytes.count - left))
    case .flip(let byte, let bit): if bytes.indices.contains(byte) { bytes[byte] ^= 1 << bit }
    case .garbage(let offset, let seed):
      var generator = SeededGenerator(seed: seed)
      fill(offset) { UInt8.random(in: 0...255, using: &generator) }
    case .zeros(let offset): fill(offset) { 0 }
    case .exchanged(let one, let other):
      for offset in 0..<4096 where max(one, other) + offset < bytes.count { bytes.swapAt(one + offset, other + offset) }
    case .removed: break
    }
    try Data(bytes).write(to: url)
  }
}
