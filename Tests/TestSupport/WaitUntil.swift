// SPDX-License-Identifier: MIT

internal import Foundation

/// Waits until `condition` holds, on the caller's actor and without keeping it; false after `seconds`, which only a
/// failure lasts.
package func waitUntil(
  within seconds: Double = 120, isolation: isolated (any Actor)? = #isolation, _ condition: () throws -> Bool
) async rethrows -> Bool {
  let end = Date().addingTimeInterval(seconds)
  while Date() < end {
    if try condition() { return true }
    try? await Task.sleep(for: .milliseconds(2))
  }
  return try condition()
}
