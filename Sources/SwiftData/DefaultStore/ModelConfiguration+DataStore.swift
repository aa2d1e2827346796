// SPDX-License-Identifier: MIT

extension ModelConfiguration: DataStoreConfiguration {
  /// The type of store that the configuration opens.
  public typealias Store = DefaultStore

  /// - Throws: `SwiftDataError.configurationFileNameTooLong` beyond 255 bytes,
  ///   `.configurationFileNameContainsInvalidCharacters` for a name with a slash or a NUL character.
  public func validate() throws {
    guard !name.contains("/"), !name.utf8.contains(0), !url.path.utf8.contains(0) else {
      throw SwiftDataError(
        .configurationFileNameContainsInvalidCharacters, "'\(name)' cannot name a store: use no slash and no NUL")
    }
    // SQLite's log and Followspot's index stand beside the store under longer names.
    guard url.lastPathComponent.utf8.count <= 240 else {
      throw SwiftDataError(
        .configurationFileNameTooLong, "'\(url.lastPathComponent)' is longer than 240 bytes: take a shorter name")
    }
  }
}
