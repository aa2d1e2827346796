// SPDX-License-Identifier: MIT

#if canImport(Glibc)
  internal import Glibc
#endif

/// A day of the Gregorian calendar in UTC.
package struct CalendarDay: Equatable, Sendable {
  package let year: Int
  package let month: Int
  package let day: Int

  package init(year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// nil outside the years 1 to 9999.
  package init?(secondsSince2001 seconds: Double) {
    guard abs(seconds) < 4e11 else { return nil }
    var time = time_t((seconds + Epoch.secondsFrom1970To2001).rounded(.down))
    var parts = tm()
    guard gmtime_r(&time, &parts) != nil, (1...9999).contains(Int(parts.tm_year) + 1900) else { return nil }
    self.init(year: Int(parts.tm_year) + 1900, month: Int(parts.tm_mon) + 1, day: Int(parts.tm_mday))
  }

  /// Midnight UTC at the start of the day. Months beyond 12 and days beyond the end of a month carry over.
  package var secondsSince2001: Double {
    var parts = tm()
    parts.tm_year = Int32(year - 1900)
    parts.tm_mon = Int32(month - 1)
    parts.tm_mday = Int32(day)
    return Double(timegm(&parts)) - Epoch.secondsFrom1970To2001
  }

  /// Whether the calendar has this day.
  var exists: Bool {
    CalendarDay(secondsSince2001: secondsSince2001) == self
  }
}
