// SPDX-License-Identifier: MIT

#if canImport(Glibc)
  internal import Glibc
#endif

/// What an errno value says about the machine.
package enum SystemErrorKind {
  /// No space is left on the disk, or none of the user's quota.
  case full
  /// The process has reached its limit of memory or open files.
  case limit
  case other

  package init(_ code: Int32) {
    switch code {
    case ENOSPC, EDQUOT: self = .full
    case ENOMEM, EMFILE, ENFILE: self = .limit
    default: self = .other
    }
  }
}
