// SPDX-License-Identifier: MIT

internal import Base
internal import Followspot
internal import FoundationEssentials
internal import Glibc

/// The named stores of `$XDG_CONFIG_HOME/followspot/config`.
///
/// ```
/// [default]
///   store = movies
/// [store "movies"]
///   path = ~/films.store
///   index = ~/.cache/films.index
///   definition = ~/films.json
/// [group "all"]
///   stores = movies, photos
/// ```
///
/// An error is reported when its entry is used: a mistake in one entry leaves the other stores usable.
struct Configuration: Sendable {
  struct Profile: Sendable {
    let name: String
    var path: String
    var index: String?
    var definition: String?
    /// The line of its section.
    var line = 0
    /// The first error of this entry.
    var problem: CommandError?
  }

  /// Several stores that are searched as one.
  struct Group: Sendable {
    let name: String
    /// The names of its stores, and the addresses of its remote indexes.
    var stores: [String] = []
    /// The line of its section.
    var line = 0
    /// The first error of this entry.
    var problem: CommandError?
  }

  /// The path of the file; nil if the environment does not name a home directory.
  private(set) var file: String?
  /// Whether the file exists.
  private(set) var exists = false
  /// The profiles in the order of the file.
  var profiles: [Profile] = []
  /// The groups in the order of the file.
  var groups: [Group] = []
  /// The name of the default store or group.
  var preset: String?
  /// The first error of the file.
  var problem: CommandError?

  /// The profile with this name; nil if there is none.
  ///
  /// - Throws: The first error of the profile. If the name is unknown, the first error of the file.
  func profile(named name: String) throws -> Profile? {
    try checked(profiles.first { $0.name == name })
  }

  private func checked(_ profile: Profile?) throws -> Profile? {
    if let problem = profile == nil ? problem : profile?.problem { throw problem }
    return profile
  }

  /// One part of a group.
  enum Part {
    case store(Profile)
    case remote(NetworkAddress)
  }

  /// The parts of the group with this name; nil if there is none.
  ///
  /// - Throws: The first error of the group or of one of its profiles.
  func group(named name: String) throws -> [Part]? {
    guard let group = groups.first(where: { $0.name == name }) else { return nil }
    if let problem = group.problem { throw problem }
    let known = Dictionary(profiles.map { ($0.name, $0) }) { first, _ in first }
    return try group.stores.compactMap { name in
      if known[name] == nil, let address = NetworkAddress(name) { return .remote(address) }
      return try checked(known[name]).map { .store($0) }
    }
  }

  /// The address of a remote index; nil if the name is not one, or the name of a store.
  func address(_ name: String) -> NetworkAddress? {
    profiles.contains { $0.name == name } ? nil : NetworkAddress(name)
  }

  /// The name of the default store or group; nil if there is none.
  ///
  /// - Throws: The first error of the file.
  func defaultName() throws -> String? {
    if preset == nil, let problem { throw problem }
    return preset
  }

  init() {}

  /// Reads the configuration file. A missing file is an empty configuration.
  ///
  /// - Throws: `CommandError`, or `OperationError.file`.
  static func load(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws -> Configuration {
    guard let file = ConfigurationFile.path(environment) else { return Configuration() }
    var configuration = Configuration()
    var status = stat()
    if stat(file, &status) == 0 {
      // Reading a pipe would wait for a writer.
      guard ![S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else {
        throw CommandError("\(file) is not a regular file", hint: "replace it with a text file")
      }
      let text = try InputFile.open(file).copy()
      var parser = ConfigurationParser(file: file, home: ConfigurationFile.home(environment))
      configuration = parser.parse(String(decoding: text, as: UTF8.self))
      configuration.exists = true
    } else if errno != ENOENT, errno != ENOTDIR {
      throw CommandError("\(file) cannot be read: \(String(cString: strerror(errno)))", hint: "check its permissions")
    }
    configuration.file = file
    return configuration
  }
}
