// SPDX-License-Identifier: MIT

extension FollowspotError {
  /// What removes the cause of an error. An open set: compare with the values below.
  public struct Recovery: Hashable, Sendable {
    let name: String
    /// For `nearestNames`: existing names, the closest first. Empty otherwise.
    public let names: [String]

    private init(_ name: String, names: [String] = []) {
      self.name = name
      self.names = names
    }

    /// Try the same call again: another process was in the way.
    public static let retry = Recovery("retry")
    /// Free space on the disk, then try again; nothing was lost.
    public static let freeSpace = Recovery("freeSpace")
    /// Allow the process more memory, open files or threads, then try again.
    public static let raiseLimits = Recovery("raiseLimits")
    /// Let the process read and write the files and directories that the message names.
    public static let checkPermissions = Recovery("checkPermissions")
    /// Check the disk, then try again; what was committed before stays.
    public static let checkDisk = Recovery("checkDisk")
    /// Save objects to a store at that URL, or name the URL of another store.
    public static let createStore = Recovery("createStore")
    /// Name the file of a store.
    public static let chooseStore = Recovery("chooseStore")
    /// Name another directory for the index.
    public static let chooseDirectory = Recovery("chooseDirectory")
    /// Restore the store from a backup.
    public static let restoreBackup = Recovery("restoreBackup")
    /// Open the store once with the program that owns it, which rolls back an unfinished transaction.
    public static let openWithOwner = Recovery("openWithOwner")
    /// Call `StoreIndex.update()` or `StoreIndex.follow(reached:)`, which build or update the index.
    public static let updateIndex = Recovery("updateIndex")
    /// Call `StoreIndex.rebuild()`.
    public static let rebuildIndex = Recovery("rebuildIndex")
    /// Use one of the names that are close to the unknown one.
    public static func nearestNames(_ names: [String]) -> Recovery { Recovery("nearestNames", names: names) }
  }
}
