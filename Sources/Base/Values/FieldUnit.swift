// SPDX-License-Identifier: MIT

/// The unit of a field's numbers. Queries may use other units of the same dimension: `runtime:>2h`.
package enum FieldUnit: String, Sendable, CaseIterable {
  case seconds, minutes, hours, days, bytes, kilobytes, megabytes

  package enum Dimension: Sendable { case time, data }

  package var dimension: Dimension {
    switch self {
    case .seconds, .minutes, .hours, .days: .time
    case .bytes, .kilobytes, .megabytes: .data
    }
  }

  /// The size in seconds or bytes.
  package var size: Double {
    switch self {
    case .seconds, .bytes: 1
    case .minutes: 60
    case .hours: 3_600
    case .days: 86_400
    case .kilobytes: 1e3
    case .megabytes: 1e6
    }
  }
}
