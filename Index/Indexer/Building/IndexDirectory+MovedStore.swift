// SPDX-License-Identifier: MIT

internal import Store

extension IndexDirectory {
  /// The error of opening the store of this index. If the store is missing, it was there when it was indexed, so that
  /// creating it is no remedy.
  package func explaining(_ error: any Error) -> any Error {
    guard var missing = error as? StoreError, missing.recovery == .createStore, (try? serving()) != nil else {
      return error
    }
    missing.recovery = .nameNewPath
    return missing
  }
}
