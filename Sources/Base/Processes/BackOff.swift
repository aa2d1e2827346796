// SPDX-License-Identifier: MIT

/// The delay before the next attempt. It doubles up to a limit, and is never shorter than the attempt took, so that work
/// which fails late does not keep the machine busy.
package struct BackOff {
  private var milliseconds: Int32 = 0
  private var said: Set<String> = []

  package init() {}

  private static let first: Int32 = 250
  private static let longest: Int32 = 10_000

  /// Whether this was not said yet since all went well. Of errors that never read alike, the first ones are enough.
  package mutating func isNews(_ sentence: String) -> Bool { said.count < 20 && said.insert(sentence).inserted }

  /// The delay in milliseconds after an attempt of that duration.
  package mutating func next(after duration: Duration) -> Int32 {
    milliseconds = min(max(milliseconds * 2, Self.first), Self.longest)
    let parts = duration.components
    let taken = min(parts.seconds * 1_000 + parts.attoseconds / 1_000_000_000_000_000, Int64(Self.longest) * 6)
    return max(milliseconds, Int32(clamping: taken))
  }
}
