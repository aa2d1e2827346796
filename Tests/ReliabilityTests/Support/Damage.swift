import Foundation
import TestSupport

/// What a disk, a copy that broke off, or a person does to a file.
enum Damage: CustomStringConvertible {
  /// Only so many bytes are left.
  case cut(Int)
  case flip(byte: Int, bit: Int)
  /// 4 KiB of noise.
  case garbage(at: Int, seed: Int)
  case zeros(at: Int)
  case removed

  /// Something that hits a file of that size.
  static func random(size: Int, seed: Int) -> Damage {
    var generator = SeededGenerator(seed: seed)
    let place = Int.random(in: 0..<max(1, size), using: &generator)
    return switch seed % 6 {
    case 0: .garbage(at: place / 4096 * 4096, seed: seed)
    case 1: .garbage(at: place, seed: seed)
    case 2: .zeros(at: place / 4096 * 4096)
    default: .flip(byte: place, bit: Int.random(in: 0..<8, using: &generator))
    }
  }

  /// Nothing, half, and all but one byte.
  static func cuts(size: Int) -> [Damage] { [.cut(0), .cut(size / 2), .cut(max(0, size - 1))] }

  var description: String {
    switch self {
    case .cut(let left): "cut to \(left) bytes"
    case .flip(let byte, let bit): "bit \(bit) of byte \(byte) turned"
    case .garbage(let place, let seed): "garbage \(seed) at \(place)"
    case .zeros(let place): "zeros at \(place)"
    case .removed: "removed"
    }
  }

  func happen(to path: String) throws {
    let url = URL(fileURLWithPath: path)
    if case .removed = self { return try FileManager.default.removeItem(at: url) }
    var bytes = [UInt8](try Data(contentsOf: url))
    func fill(_ place: Int, _ byte: () -> UInt8) {
      for at in min(place, bytes.count)..<min(place + 4096, bytes.count) { bytes[at] = byte() }
    }
    switch self {
    case .cut(let left): bytes.removeLast(max(0, bytes.count - left))
    case .flip(let byte, let bit): if bytes.indices.contains(byte) { bytes[byte] ^= 1 << bit }
    case .garbage(let place, let seed):
      var generator = SeededGenerator(seed: seed)
      fill(place) { UInt8.random(in: 0...255, using: &generator) }
    case .zeros(let place): fill(place) { 0 }
    case .removed: break
    }
    try Data(bytes).write(to: url)
  }
}
