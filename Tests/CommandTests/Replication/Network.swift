// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// Network namespaces that stand for machines: the first one has a bridge, to which the others are connected. Root only.
final class Network {
  /// The machines: the first one has the address 10.77.0.1, the second one 10.77.0.2, and so on.
  let machines: [String]
  private let shell: Shell
  private static let ip = ["/usr/sbin/ip", "/sbin/ip", "/bin/ip"].first(where: FileManager.default.isExecutableFile)
  private static let tc = ["/usr/sbin/tc", "/sbin/tc"].first(where: FileManager.default.isExecutableFile)

  /// Whether this process may create network namespaces.
  static let isPossible: Bool = {
    guard getuid() == 0, ip != nil, tc != nil else { return false }
    let made = try? TemporaryDirectory.with(isProbe: true) { directory in
      try Network(["probe"], in: Shell(in: directory)).machines.count == 1
    }
    return made ?? false
  }()

  struct Failure: Error { let outcome: Shell.Outcome }

  init(_ names: [String], in shell: Shell) throws {
    self.shell = shell
    machines = names.map { "fs\(getpid())-\($0)" }
    let hub = machines[0]
    for machine in machines {
      try ip("netns", "add", machine)
      try ip("-n", machine, "link", "set", "lo", "up")
    }
    try ip("-n", hub, "link", "add", "bridge", "type", "bridge")
    try ip("-n", hub, "addr", "add", "10.77.0.1/24", "dev", "bridge")
    try ip("-n", hub, "link", "set", "bridge", "up")
    for (index, machine) in machines.enumerated().dropFirst() {
      try ip("-n", hub, "link", "add", "port\(index)", "type", "veth", "peer", "name", "card", "netns", machine)
      try ip("-n", hub, "link", "set", "port\(index)", "master", "bridge")
      try ip("-n", machine, "addr", "add", "10.77.0.\(index + 1)/24", "dev", "card")
      try ip("-n", machine, "link", "set", "card", "up")
      try ip("-n", hub, "link", "set", "port\(index)", "up")
    }
  }

  deinit { for machine in machines { try? ip("netns", "del", machine) } }

  private func ip(_ words: String...) throws { try run(Self.ip ?? "ip", words) }

  private func run(_ program: String, _ words: [String]) throws {
    let outcome = try shell.run(words, program: program)
    guard outcome.code == 0 else { throw Failure(outcome: outcome) }
  }

  /// A shell on one of the machines.
  func shell(on machine: Int, _ shell: Shell) -> Shell {
    var shell = shell
    shell.wrapper = [Self.ip ?? "ip", "netns", "exec", machines[machine]]
    return shell
  }

  /// Disconnects a machine from the others, or connects it again.
  func connect(_ machine: Int, _ isConnected: Bool) throws {
    try ip("-n", machines[0], "link", "set", "port\(machine)", isConnected ? "up" : "down")
  }

  /// Makes the link of a machine slow, and lets it lose packets in both directions.
  ///
  /// Many kernels lack the module `netem`, so a filter of the classic BPF drops a part of the packets: it loads a random
  /// number, and compares it with the limit.
  func degrade(_ machine: Int, percent: Int, rate: String) throws {
    let limit = Int(UInt32.max) / 100 * percent
    let program = "4,32 0 0 4294963256,37 1 0 \(limit),6 0 0 2,6 0 0 0"
    for (place, device) in [(machines[0], "port\(machine)"), (machines[machine], "card")] {
      let tc = ["netns", "exec", place, Self.tc ?? "tc"]
      try run(Self.ip ?? "ip", tc + ["qdisc", "add", "dev", device, "clsact"])
      try run(
        Self.ip ?? "ip", tc + ["filter", "add", "dev", device, "egress", "bpf", "bytecode", program, "direct-action"])
      try run(
        Self.ip ?? "ip",
        tc + ["qdisc", "add", "dev", device, "root", "tbf", "rate", rate, "burst", "32kbit", "latency", "400ms"])
    }
  }
}
