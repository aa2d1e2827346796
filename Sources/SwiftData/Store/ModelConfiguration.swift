/// Where a store is and which entities it holds.
///
/// Without a URL the store is `<name>.store`, or `default.store`, in the user's data directory: `$XDG_DATA_HOME`, or
/// `~/.local/share`, and there in a directory named after the program.
public struct ModelConfiguration: Identifiable, Hashable, Sendable, CustomDebugStringConvertible {
  public typealias ID = URL

  /// Kept for source compatibility; nothing is synchronised here.
  public struct CloudKitDatabase: Hashable, Sendable {
    let name: String
    public static let automatic = CloudKitDatabase(name: "automatic")
    public static let none = CloudKitDatabase(name: "none")
    public static func `private`(_ name: String) -> CloudKitDatabase { CloudKitDatabase(name: "private " + name) }
  }

  /// A directory that several programs share: `group.<identifier>` beside the programs' own directories.
  public struct GroupContainer: Hashable, Sendable {
    let identifier: String?
    public static let automatic = GroupContainer(identifier: nil)
    public static let none = GroupContainer(identifier: nil)
    public static func identifier(_ name: String) -> GroupContainer { GroupContainer(identifier: name) }
  }

  public let url: URL
  public let name: String
  public let groupAppContainerIdentifier: String?
  public let cloudKitContainerIdentifier: String?
  public let groupContainer: GroupContainer
  public let cloudKitDatabase: CloudKitDatabase
  public let allowsSave: Bool
  public let isStoredInMemoryOnly: Bool
  /// The entities of this store; nil for all of the container's.
  public var schema: Schema?

  public var id: URL { url }

  public init(isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: nil, isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  public init(for types: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: types.isEmpty ? nil : Schema(types), isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  public init(
    _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false, allowsSave: Bool = true,
    groupContainer: GroupContainer = .automatic, cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    let file = (name ?? "default") + ".store"
    // Every store in memory is one of its own, so its URL is too.
    let url =
      isStoredInMemoryOnly
      ? URL(fileURLWithPath: "/dev/null/\(UUID().uuidString)/\(file)")
      : Self.directory(groupContainer).appendingPathComponent(file)
    self.init(
      name, schema, url, isStoredInMemoryOnly: isStoredInMemoryOnly, allowsSave: allowsSave, groupContainer,
      cloudKitDatabase)
  }

  public init(
    _ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true,
    cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    self.init(
      name, schema, url, isStoredInMemoryOnly: url.path == "/dev/null", allowsSave: allowsSave, .none, cloudKitDatabase)
  }

  private init(
    _ name: String?, _ schema: Schema?, _ url: URL, isStoredInMemoryOnly: Bool, allowsSave: Bool,
    _ groupContainer: GroupContainer, _ cloudKitDatabase: CloudKitDatabase
  ) {
    self.name = name ?? url.deletingPathExtension().lastPathComponent
    self.schema = schema
    self.url = url
    self.isStoredInMemoryOnly = isStoredInMemoryOnly
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

  public var debugDescription: String {
    "\(name) (\(isStoredInMemoryOnly ? "in memory" : url.path)\(allowsSave ? "" : ", read-only"))"
  }

  public static func == (left: ModelConfiguration, right: ModelConfiguration) -> Bool {
    left.url == right.url && left.name == right.name && left.allowsSave == right.allowsSave
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(url)
    hasher.combine(name)
  }
}
