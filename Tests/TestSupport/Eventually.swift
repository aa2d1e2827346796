// SPDX-License-Identifier: MIT

internal import Foundation

/// Waits until `condition` is true. Returns false after `seconds`, which only a failing test takes.
package func eventually(within seconds: Double = 120, _ condition: () throws -> Bool) rethrows -> Bool {
  let end = Date().addingTimeInterval(seconds)
  while Date() < end {
    if try condition() { return true }
    usleep(5_000)
  }
  return try condition()
}
