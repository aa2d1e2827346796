internal import Followspot
internal import FoundationEssentials
internal import SearchIndex

/// One of several stores that a call names.
struct GroupedStore {
  /// As it is given, or as the configuration names it.
  let name: String
  let path: String
  let directory: IndexDirectory
  /// The path of the index definition that the configuration names; nil if it names none.
  let definition: String?
}

extension Invocation {
  /// The stores of this call, if it names several, or a group; nil if it names one store.
  ///
  /// - Throws: `CommandError` if the directory of an index is named, too: it could belong to any of them.
  func groupedStores() throws -> [GroupedStore]? {
    let given = try givenStores
    let configuration = try Configuration.load()
    func group(_ name: String) throws -> [Configuration.Profile]? {
      Self.isName(name) ? try configuration.group(named: name) : nil
    }
    guard try given.count > 1 || given.first.flatMap(group) != nil else { return nil }
    guard !hasIndexDirectory else {
      throw CommandError(
        "\(has("--index") ? "--index" : "FOLLOWSPOT_INDEX") names the index of one store, not of several",
        hint: "name indexes in the configuration: followspot help config")
    }
    var stores: [GroupedStore] = []
    for name in given {
      let profile = Self.isName(name) ? try configuration.profile(named: name) : nil
      let profiles = try group(name) ?? profile.map { [$0] } ?? []
      if profiles.isEmpty {
        stores.append(try Self.store(.init(name: name, path: name)))
      } else {
        stores += try profiles.map(Self.store)
      }
    }
    // A store that is named twice is searched once.
    var known: Set<String> = []
    return stores.filter { known.insert(URL(filePath: $0.path).resolvingSymlinksInPath().path).inserted }
  }

  private static func store(_ profile: Configuration.Profile) throws -> GroupedStore {
    let path = try checked(profile.path)
    let directory = try profile.index.map { IndexDirectory(path: try checked($0)) }
    return GroupedStore(
      name: profile.name, path: path,
      directory: directory ?? .standard(forStore: path, environment: ProcessInfo.processInfo.environment),
      definition: profile.definition)
  }

  /// Opens the indexes of several stores for a search; nil if the call names one store.
  func searchGroup() throws -> SearchGroup? {
    guard let stores = try groupedStores() else { return nil }
    DescriptorLimit.raise()
    return try SearchGroup(
      stores.map { store in
        do {
          return (store.name, try Searcher(storePath: store.path, directory: store.directory))
        } catch let error as IndexError where error.code == .missing {
          throw CommandError(
            error.message, hint: "followspot --store \(store.name.quotedForShell) index", code: .missing)
        }
      })
  }
}
