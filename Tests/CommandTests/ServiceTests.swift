// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// `service print`: a systemd unit that systemd parses as intended.
@Suite(.overlapping, .temporaryDirectory)
struct ServiceTests {
  private let directory = TemporaryDirectory()

  /// A unit, parsed as by systemd: sections, and the values of each key in order.
  private func parse(_ text: String) throws -> [String: [String: String]] {
    var sections: [String: [String: String]] = [:]
    var section = ""
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      if line.hasPrefix("[") {
        section = String(line.dropFirst().dropLast())
        continue
      }
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      try #require(parts.count == 2, "\(line)")
      #expect(sections[section]?[String(parts[0])] == nil, "\(line)")
      sections[section, default: [:]][String(parts[0])] = String(parts[1])
    }
    return sections
  }

  /// Splits words by systemd's rules: quotation marks, backslash escapes, and `%%` for `%`.
  private func words(_ value: String, isCommand: Bool = false) -> [String] {
    var words: [String] = []
    var word: String?
    var isQuoted = false
    var rest = Substring(value)
    while let character = rest.popFirst() {
      switch character {
      case "\\": word = (word ?? "") + (rest.popFirst().map(String.init) ?? "")
      case "\"":
        isQuoted.toggle()
        word = word ?? ""
      case "%":
        #expect(rest.popFirst() == "%", "a specifier in \(value)")
        word = (word ?? "") + "%"
      case "$" where isCommand && !words.isEmpty:
        #expect(rest.popFirst() == "$", "a variable in \(value)")
        word = (word ?? "") + "$"
      case " " where !isQuoted:
        if let word { words.append(word) }
        word = nil
      default: word = (word ?? "") + String(character)
      }
    }
    #expect(!isQuoted)
    return words + (word.map { [$0] } ?? [])
  }

  private func real(_ path: String) -> String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }

  @Test(arguments: ["plain", "with space", "100%h", "quo\"te 'single'", "dollar $HOME ${x}", "back\\slash\\", "é 漢"])
  func `the unit names program, store and index with any characters in their paths`(_ name: String) throws {
    let place = directory.file(name)
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
    let bench = ShellFixture(directory: directory, shell: Shell(in: directory, store: name + "/films \(name).store"))
    try bench.importRecords(Films.lines(["Up"]), options: ["--kind", "Film"])
    let printed = try bench.shell.succeed("service", "print")
    #expect(printed.errors == "")
    let service = try #require(try parse(printed.output)["Service"])
    let store = real(place) + "/films \(name).store"
    let command = words(try #require(service["ExecStart"]), isCommand: true)
    #expect(
      command == [real(Shell.program), "--store", store, "--index", store + ".index", "index", "--follow"])
    #expect(words(try #require(service["ReadWritePaths"])) == [real(place)])
    // The command of the unit runs.
    var shell = bench.shell
    shell.environment["FOLLOWSPOT_STORE"] = nil
    try shell.succeed(Array(command.dropFirst().dropLast()))
    try verify(printed.output, in: directory)
    let own = try bench.shell.run("service", "print", "--user")
    try verify(own.output, isOfUser: true, in: directory)
  }

  /// Verifies the unit with systemd itself, if it is installed.
  private func verify(_ unit: String, isOfUser: Bool = false, in directory: TemporaryDirectory) throws {
    let analyze = "/usr/bin/systemd-analyze"
    guard FileManager.default.isExecutableFile(atPath: analyze) else {
      return print("not shown: systemd-analyze is not installed")
    }
    let file = try directory.write(unit, to: "followspot.service")
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: analyze)
    process.arguments = ["verify", "--man=no"] + (isOfUser ? ["--user"] : []) + [file]
    // The user's service manager needs its runtime directory.
    process.environment = ProcessInfo.processInfo.environment.merging(["XDG_RUNTIME_DIR": directory.path]) { $1 }
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(!text.contains("followspot.service"), "\(text)")
    #expect(process.terminationStatus == 0, "\(text)")
  }

  @Test func `the unit has notification, a watchdog, restarts and a sandbox`() throws {
    let bench = try ShellFixture()
    let unit = try parse(try bench.shell.run("service", "print").output)
    let service = try #require(unit["Service"])
    let wanted = [
      "Type": "notify", "WatchdogSec": "2min", "Restart": "on-failure", "ProtectSystem": "strict",
      "NoNewPrivileges": "yes", "RestrictAddressFamilies": "AF_UNIX", "MemoryHigh": "1G", "Nice": "10",
      "IOSchedulingClass": "best-effort", "UMask": "0077",
    ]
    #expect(service.filter { wanted[$0.key] != nil } == wanted)
    #expect(service["User"] == NSUserName())
    #expect(unit["Unit"]?["StartLimitIntervalSec"] == "0")
    #expect(unit["Install"] == ["WantedBy": "multi-user.target"])
    // The store of this test is in a directory that a private one would hide.
    #expect(service["PrivateTmp"] == (bench.store.hasPrefix("/tmp/") ? "no" : "yes"))
    let own = try parse(try bench.shell.run("service", "print", "--user").output)
    #expect(own["Service"]?["User"] == nil)
    // Each of these drops capabilities. A user's service manager has none, and would fail with 218/CAPABILITIES.
    let ofMachine = [
      "CapabilityBoundingSet", "PrivateDevices", "ProtectClock", "ProtectKernelLogs", "ProtectKernelModules", "User",
    ]
    #expect(Set(service.keys).subtracting(own["Service"]?.keys ?? [:].keys) == Set(ofMachine))
    #expect(own["Install"] == ["WantedBy": "default.target"])
  }

  @Test func `an index elsewhere is writable too, and links are resolved`() throws {
    let bench = try ShellFixture()
    let link = bench.directory.file("link.store")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: bench.store)
    let elsewhere = bench.directory.file("else where")
    try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: false)
    let printed = try bench.shell.run("service", "print", "--store", link, "--index", elsewhere + "/films.index")
    let service = try #require(try parse(printed.output)["Service"])
    #expect(
      words(try #require(service["ExecStart"]), isCommand: true).dropFirst() == [
        "--store", real(bench.store), "--index", real(elsewhere) + "/films.index", "index", "--follow",
      ])
    #expect(words(try #require(service["ReadWritePaths"])) == [real(bench.directory.path), real(elsewhere)])
  }

  @Test func `paths that a unit cannot contain and other subcommands are refused`() throws {
    let bench = try ShellFixture()
    let bare = try bench.shell.run("service")
    #expect(bare.code == 2)
    #expect(bare.errors == "followspot: service takes print\nhint: followspot help service\n")
    #expect(
      try bench.shell.run("service", "install").errors.hasPrefix("followspot: service has no subcommand 'install'\n"))
    let none = try bench.shell.run("service", "print", "--index", bench.directory.file("none/films.index"))
    #expect(none.code == 2)
    #expect(none.errors.contains("none/films.index does not exist\nhint: "))
    let broken = try bench.shell.run("service", "print", "--index", bench.directory.file("line\nend.index"))
    #expect(broken.code == 2)
    #expect(broken.output == "")
    #expect(broken.errors.contains("it contains control characters\nhint: "))
  }
}
