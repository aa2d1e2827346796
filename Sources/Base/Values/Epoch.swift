// SPDX-License-Identifier: MIT

/// The moments from which times are counted.
package enum Epoch {
  /// From the epoch of POSIX to that of Core Data, 2001-01-01 00:00 UTC.
  package static let secondsFrom1970To2001: Double = 978_307_200
}
