internal import FoundationEssentials

#if canImport(Glibc)
  internal import Glibc
#endif

/// The programs of Xapian's own replication, which are found in `PATH`.
enum ReplicationProgram: String {
  case server = "xapian-replicate-server"
  case client = "xapian-replicate"

  /// The path of the program.
  ///
  /// - Throws: `FollowspotError.usage` if it is not installed.
  func path() throws -> String {
    guard let path = Self.find(rawValue) else {
      throw FollowspotError(.usage, "\(rawValue) is not installed", recovery: .installReplication)
    }
    return path
  }

  private static func find(_ name: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return path.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }

  /// The words that start the program so that it ends when this process does, however that ends.
  static func bound(_ path: String, _ words: [String]) -> (path: String, words: [String]) {
    guard let setpriv = find("setpriv") else { return (path, [path] + words) }
    return (setpriv, ["setpriv", "--pdeathsig", "TERM", path] + words)
  }
}

/// Where an index is served: a host, or the address of an interface, and a port.
package struct NetworkAddress: Equatable, Sendable, CustomStringConvertible {
  package let host: String
  package let port: Int

  package init(host: String, port: Int) { (self.host, self.port) = (host, port) }

  /// `HOST:PORT`; nil for anything else. An IPv6 address is in brackets.
  package init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
      (1...65_535).contains(port)
    else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    // A host that begins with a hyphen would be an option of the program.
    guard !host.isEmpty, !host.hasPrefix("-"), !host.contains(where: { $0.isWhitespace || $0 == "/" }) else {
      return nil
    }
    self.init(host: String(host), port: port)
  }

  package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
