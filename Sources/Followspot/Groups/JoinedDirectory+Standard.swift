// SPDX-License-Identifier: MIT

internal import Base
package import SearchIndex

#if canImport(Glibc)
  internal import Glibc
#endif

extension JoinedDirectory {
  /// The directory of the joined index of a group, in `$XDG_CACHE_HOME/followspot`, or `~/.cache/followspot`. Its name is a
  /// digest of where the parts are, so that another group has another one. nil if the environment names no such directory.
  package static func standard(for parts: [SearchGroup.Part], environment: [String: String]) -> JoinedDirectory? {
    guard let cache = IndexDirectory.cacheDirectory(environment), let here = getcwd(nil, 0) else { return nil }
    defer { free(here) }
    let places = parts.flatMap { part in
      switch part {
      case .store(_, let path, let directory): [path, directory.path]
      case .remote(let remote): ["", remote.address.description]
      }
    }
    var bytes: [UInt8] = []
    for place in places {
      if !place.hasPrefix("/") { bytes += Array(String(cString: here).utf8) + [UInt8(ascii: "/")] }
      bytes += Array(place.utf8) + [0]
    }
    return JoinedDirectory(path: "\(cache)/group-\(ContentDigest(of: bytes).hexadecimal.prefix(16)).index")
  }
}
