// SPDX-License-Identifier: MIT

#if canImport(Glibc)
  internal import Glibc
#endif

/// The time zone whose days a query names. All times are in seconds since 2001-01-01 00:00 UTC.
package struct LocalZone: Sendable {
  /// Seconds east of UTC at a moment.
  let offset: @Sendable (Double) -> Double

  init(offset: @escaping @Sendable (Double) -> Double) { self.offset = offset }

  static let utc = LocalZone { _ in 0 }

  /// The zone of the user: that of `TZ`, or of the system.
  package static let user = LocalZone { moment in
    guard abs(moment) < 4e11 else { return 0 }
    var time = time_t((moment + Epoch.secondsFrom1970To2001).rounded(.down))
    var parts = tm()
    return localtime_r(&time, &parts) == nil ? 0 : Double(parts.tm_gmtoff)
  }

  /// What a clock in this zone shows at a moment, as the moment at which a clock in Greenwich shows the same.
  package func clockTime(at moment: Double) -> Double { moment + offset(moment) }

  /// The first moment at which a clock in this zone shows `clockTime`. If clocks were put forward over it, the moment at
  /// which they were.
  package func moment(of clockTime: Double) -> Double {
    // Within these two days, clocks change at most once.
    let offsets = [offset(clockTime - 86_400), offset(clockTime + 86_400)]
    let (first, last) = (clockTime - max(offsets[0], offsets[1]), clockTime - min(offsets[0], offsets[1]))
    if self.clockTime(at: first) >= clockTime { return first }
    // Clocks change at whole seconds.
    var (low, high) = (first.rounded(.down), last.rounded(.up))
    while high - low > 1 {
      let middle = ((low + high) / 2).rounded(.down)
      if self.clockTime(at: middle) >= clockTime { high = middle } else { low = middle }
    }
    return min(high, last)
  }
}
