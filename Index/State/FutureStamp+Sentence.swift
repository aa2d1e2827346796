// SPDX-License-Identifier: MIT

internal import Base
package import Store

extension FutureStamp {
  /// A sentence without a full stop.
  package var sentence: String {
    "transaction \(transaction) is stamped \(DateText.formatTime(secondsSince1970: time)), in the future: the age of what "
      + "was saved since is not known"
  }
}
