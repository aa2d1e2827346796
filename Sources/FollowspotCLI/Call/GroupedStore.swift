// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot
internal import FoundationEssentials
internal import SQLite
internal import SearchIndex

/// One of several stores that a call names.
struct GroupedStore {
  /// As it is given, or as the configuration names it.
  let name: String
  let path: String
  let directory: IndexDirectory
  /// The path of the index definition that the configuration names; nil if it names none.
  let definition: String?

  var part: SearchGroup.Part { .store(name: name, path: path, directory) }
}

/// One of several indexes that a call names.
enum GroupedPart {
  case store(GroupedStore)
  /// The index of another machine.
  case remote(NetworkAddress)

  var name: String {
    switch self {
    case .store(let store): store.name
    case .remote(let address): address.description
    }
  }

  /// Equal for two parts that are the same index.
  fileprivate var identity: Identity {
    switch self {
    case .store(let store): FileIdentity(path: store.path).map(Identity.file) ?? .name(store.path)
    case .remote(let address): .name(address.description)
    }
  }

  fileprivate enum Identity: Hashable {
    case file(FileIdentity)
    /// A missing file, or another machine.
    case name(String)
  }
}

extension Call {
  /// The parts of the group of this call, if it names a group, several stores or a remote index; nil if it names one store.
  ///
  /// - Throws: `CommandError` if the directory of an index is named, too: it could belong to any of them.
  func groupedParts() throws -> [GroupedPart]? {
    let given = try givenStores
    // Paths need no configuration, which a service may not be allowed to read.
    let configuration = try given.contains(where: Self.isName) ? Configuration.load() : Configuration()
    // Reading the environment takes longer than opening a store.
    let environment = ProcessInfo.processInfo.environment
    var parts: [GroupedPart] = []
    var isGroup = given.count > 1
    let indexes = globals.indexes(of: given.count)
    for (number, name) in given.enumerated() {
      guard indexes == nil, Self.isName(name) else {
        parts.append(.store(try Self.store(.init(name: name, path: name, index: indexes?[number]), environment)))
        continue
      }
      if let group = try configuration.group(named: name) {
        isGroup = true
        parts += try group.map { part in
          switch part {
          case .store(let profile): .store(try Self.store(profile, environment))
          case .remote(let address): .remote(address)
          }
        }
      } else if let address = configuration.address(name) {
        isGroup = true
        parts.append(.remote(address))
      } else if let profile = try configuration.profile(named: name) {
        parts.append(.store(try Self.store(profile, environment)))
      } else {
        parts.append(.store(try Self.store(.init(name: name, path: name), environment)))
      }
    }
    guard isGroup else { return nil }
    guard indexes != nil || !hasIndexDirectory else {
      throw CommandError(
        "\(globals.index != nil ? "--index" : "FOLLOWSPOT_INDEX") names the index of one store, not of several",
        hint: "give --index for each --store, or name indexes in the configuration: followspot help config")
    }
    // An index that is named twice is searched once.
    var known: Set<GroupedPart.Identity> = []
    return parts.filter { known.insert($0.identity).inserted }
  }

  /// The stores of the group of this call; nil if it names one store.
  ///
  /// - Throws: `CommandError` if one of the parts is a remote index.
  func groupedStores() throws -> [GroupedStore]? {
    try groupedParts()?.map { part in
      switch part {
      case .store(let store): return store
      case .remote(let address):
        throw CommandError(
          "\(name) needs the store, but '\(address)' names the index of another machine",
          hint: Self.copyVerbs)
      }
    }
  }

  private static func store(
    _ profile: Configuration.Profile, _ environment: [String: String]
  ) throws -> GroupedStore {
    let path = try checked(profile.path)
    let directory = try profile.index.map { IndexDirectory(path: try checked($0)) }
    return GroupedStore(
      name: profile.name, path: path,
      directory: directory ?? .standard(forStore: path, environment: environment),
      definition: profile.definition)
  }

  /// Opens the indexes of several stores; nil if the call names one store.
  func searchGroup(_ requirement: GroupOptions.Requirement?) throws -> SearchGroup? {
    guard let parts = try groupedParts() else {
      guard requirement == nil else {
        throw CommandError("--require needs a group with remote indexes", hint: "followspot help config")
      }
      return nil
    }
    Descriptors.raiseLimit()
    Connection.expectManyConnections()
    let opened = parts.map { part in
      switch part {
      case .remote(let address): SearchGroup.Part.remote(RemoteIndex(address))
      case .store(let store): store.part
      }
    }
    return try SearchGroup(
      opened, requiresAll: requirement == .all,
      joined: .standard(for: opened, environment: ProcessInfo.processInfo.environment))
  }
}

extension SearchGroup {
  /// The group for the only search of this process, which ends after it. Closing a thousand indexes one by one would take
  /// longer than the search.
  func keptOpen() -> SearchGroup { Unmanaged.passRetained(self).takeUnretainedValue() }
}

/// Options of verbs that search groups.
struct GroupOptions: OptionGroup {
  /// Which parts of a group must answer.
  enum Requirement: String, CaseIterable { case any, all }

  @Option("--require", "PARTS", "parts of a group that must answer, or exit 8 after 10 s (default: any): ")
  var requirement: Requirement?
}
