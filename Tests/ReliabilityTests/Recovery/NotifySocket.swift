import Foundation
import TestSupport

/// The socket of a service manager, as systemd has one: every datagram is kept.
final class NotifySocket {
  private let descriptor: Int32
  /// What goes into NOTIFY_SOCKET.
  let name: String
  private var received: [String] = []

  /// - Parameter isAbstract: A name that is no file.
  init(in directory: TemporaryDirectory, isAbstract: Bool = false) throws {
    let path = isAbstract ? "@followspot-\(UUID().uuidString)" : directory.file("notify")
    name = path
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { place in
      place.copyBytes(from: bytes)
      if isAbstract { place[0] = 0 }
    }
    let size = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count + (isAbstract ? 0 : 1))
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
    }
    guard bound == 0 else { throw CocoaError(.fileWriteUnknown) }
    // A follower of another user tells too.
    if !isAbstract { chmod(path, 0o777) }
  }

  deinit { close(descriptor) }

  /// All lines received so far, in their order.
  func lines() -> [String] {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      guard count >= 0 else { return received }
      received += String(decoding: buffer.prefix(count), as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }

  func count(_ line: String) -> Int { lines().count { $0 == line } }

  /// Waits until so many lines begin with `prefix`; false after `seconds`.
  func wait(for prefix: String, times: Int = 1, seconds: Double = 60) -> Bool {
    let end = Date().addingTimeInterval(seconds)
    while lines().count(where: { $0.hasPrefix(prefix) }) < times {
      guard Date() < end else { return false }
      usleep(5_000)
    }
    return true
  }
}
