// SPDX-License-Identifier: MIT

/// The location of a store and the entities that it holds.
///
/// Without a URL the store is `<name>.store`, or `default.store`, in the user's data directory: `$XDG_DATA_HOME`, or
/// `~/.local/share`, and there in a directory named after the program.
public struct ModelConfiguration: Identifiable, Hashable, Sendable, CustomDebugStringConvertible {
  /// Configurations are identified by the URL of their store.
  public typealias ID = URL

  /// Kept for source compatibility; nothing is synchronised here.
  public struct CloudKitDatabase: Hashable, Sendable {
    let name: String
    /// No synchronisation.
    public static let automatic = CloudKitDatabase(name: "automatic")
    /// No synchronisation.
    public static let none = CloudKitDatabase(name: "none")
    /// No synchronisation; the name is kept.
    public static func `private`(_ name: String) -> CloudKitDatabase { CloudKitDatabase(name: "private " + name) }
  }

  /// A directory that several programs share: `group.<identifier>` beside the programs' own directories.
  public struct GroupContainer: Hashable, Sendable {
    let identifier: String?
    /// The program's own directory.
    public static let automatic = GroupContainer(identifier: nil)
    /// The program's own directory.
    public static let none = GroupContainer(identifier: nil)
    /// The directory that programs with the same group identifier share.
    public static func identifier(_ name: String) -> GroupContainer { GroupContainer(identifier: name) }
  }

  /// The file of the store; `/dev/null` for a store in memory.
  public let url: URL
  /// The name of the configuration; defaults to the file's name without its extension.
  public let name: String
  /// The identifier of the group; nil for none.
  public let groupAppContainerIdentifier: String?
  /// Always nil: nothing is synchronised here.
  public let cloudKitContainerIdentifier: String?
  /// The group whose directory holds the store.
  public let groupContainer: GroupContainer
  /// Kept for source compatibility.
  public let cloudKitDatabase: CloudKitDatabase
  /// Whether contexts may save to the store.
  public let allowsSave: Bool
  /// Whether the store is in memory, and gone with its container.
  public let isStoredInMemoryOnly: Bool
  /// Tells stores in memory apart, which have one URL; nil for a file.
  private let memoryIdentifier: UUID?
  /// The entities of this store; nil for all of the container's.
  public var schema: Schema?

  /// The URL of the store.
  public var id: URL { url }

  /// A configuration of the default store, in a file or in memory.
  public init(isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: nil, isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// A configuration of the default store for these classes; for all classes of the container where none are given.
  public init(for types: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: types.isEmpty ? nil : Schema(types), isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// A configuration of a named store in the program's or the group's directory, or in memory.
  public init(
    _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false, allowsSave: Bool = true,
    groupContainer: GroupContainer = .automatic, cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    let url =
      isStoredInMemoryOnly
      ? URL(fileURLWithPath: Self.nullDevice)
      : Self.directory(groupContainer).appendingPathComponent((name ?? "default") + ".store")
    self.init(name, schema, url, allowsSave: allowsSave, groupContainer, cloudKitDatabase)
  }

  /// A configuration of the store at a URL; the path `/dev/null` means a store in memory.
  public init(
    _ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true,
    cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    self.init(name, schema, url, allowsSave: allowsSave, .none, cloudKitDatabase)
  }

  private static let nullDevice = "/dev/null"

  private init(
    _ name: String?, _ schema: Schema?, _ url: URL, allowsSave: Bool, _ groupContainer: GroupContainer,
    _ cloudKitDatabase: CloudKitDatabase
  ) {
    isStoredInMemoryOnly = url.path == Self.nullDevice
    memoryIdentifier = isStoredInMemoryOnly ? UUID() : nil
    self.name = name ?? (isStoredInMemoryOnly ? "default" : url.deletingPathExtension().lastPathComponent)
    self.schema = schema
    self.url = url
    self.allowsSave = allowsSave
    self.groupContainer = groupContainer
    groupAppContainerIdentifier = groupContainer.identifier
    self.cloudKitDatabase = cloudKitDatabase
    cloudKitContainerIdentifier = nil
  }

  private static func directory(_ group: GroupContainer) -> URL {
    let environment = ProcessInfo.processInfo.environment
    let data =
      environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0) : nil }
      ?? FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".local/share")
    let program = group.identifier.map { "group." + $0 } ?? ProcessInfo.processInfo.processName
    return data.appendingPathComponent(program, isDirectory: true)
  }

  /// The name, the path, and whether the store is read-only.
  public var debugDescription: String {
    "\(name) (\(isStoredInMemoryOnly ? "in memory" : url.path)\(allowsSave ? "" : ", read-only"))"
  }

  /// Configurations are equal when URL, name and permission to save are equal; two in memory are not.
  public static func == (left: ModelConfiguration, right: ModelConfiguration) -> Bool {
    left.url == right.url && left.name == right.name && left.allowsSave == right.allowsSave
      && left.memoryIdentifier == right.memoryIdentifier
  }

  /// Hashes the URL and the name.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(url)
    hasher.combine(name)
  }
}
