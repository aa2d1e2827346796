// SPDX-License-Identifier: MIT

internal import Base

#if canImport(Glibc)
  internal import Glibc
#endif

extension IndexDirectory {
  /// The default index directory of a store: `<store>.index`, beside the store.
  ///
  /// If the store's directory cannot be written, the index is in `$XDG_CACHE_HOME/followspot`, or `~/.cache/followspot`.
  /// Its name contains the name of the file and a digest of its real path, so that every verb finds it.
  package static func standard(forStore path: String, environment: [String: String]) -> IndexDirectory {
    let beside = path + ".index"
    guard access(beside, F_OK) != 0, let cached = cached(path, environment) else { return IndexDirectory(path: beside) }
    let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    if access(cached, F_OK) != 0, access(directory, W_OK) == 0 || errno == ENOENT {
      return IndexDirectory(path: beside)
    }
    // The cache need not be there yet; where it cannot be made, the index says so.
    let own = cached[..<(cached.lastIndex(of: "/") ?? cached.endIndex)]
    let cache = own[..<(own.lastIndex(of: "/") ?? own.endIndex)]
    for parent in [cache, own] { mkdir(String(parent), 0o700) }
    return IndexDirectory(path: cached)
  }

  private static func cached(_ path: String, _ environment: [String: String]) -> String? {
    guard let cache = cacheDirectory(environment), let real = FileIdentity.resolved(path) else { return nil }
    let name = real.lastIndex(of: "/").map { real[real.index(after: $0)...] } ?? real[...]
    let digest = ContentDigest(of: Array(real.utf8)).hexadecimal.prefix(16)
    return "\(cache)/\(name)-\(digest).index"
  }

  /// The directory for what can be made again; nil if the environment names none.
  package static func cacheDirectory(_ environment: [String: String]) -> String? {
    let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.cache" : nil }
    let cache = environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home
    return cache.map { $0 + "/followspot" }
  }
}
