// SPDX-License-Identifier: MIT

internal import Base

#if canImport(Glibc)
  internal import Glibc
#endif

/// The systemd unit of a follower of one store or of several.
package struct ServiceUnit {
  private let program: String
  private let stores: [(path: String, index: String)]
  /// The user of the service; nil for a unit of the user's own manager.
  private let user: String?

  /// - Parameters:
  ///   - program: The running program's path.
  ///   - stores: At least one, each with the directory of its index. The owner of the first one runs the service.
  ///   - isOfUser: Whether the user's own manager runs it, not that of the system.
  /// - Throws: `OperationError.usage` for a path that a unit cannot contain.
  package init(program: String, stores: [(path: String, directory: IndexDirectory)], isOfUser: Bool) throws {
    self.program = try Self.absolute(program)
    self.stores = try stores.map { (try Self.absolute($0.path), try Self.absolute($0.directory.path)) }
    user = isOfUser ? nil : try Self.owner(of: stores[0].path)
  }

  // MARK: Text

  package var text: String {
    """
    # \(isOne ? "Keeps the index of a store in step with it" : "Keeps the indexes of stores in step with them"). To install it\(user == nil ? "" : ", as root"):
    #   followspot --store \(isOne ? "FILE" : "GROUP") service print\(user == nil ? " --user" : "") > \(unitDirectory)/followspot.service
    #   \(manager) daemon-reload
    #   \(manager) enable --now followspot.service
    # What it does is shown by: \(manager) status followspot.service

    [Unit]
    Description=\(names) (followspot keeps \(isOne ? "its index" : "their indexes"))
    # Restarts are not limited in number: each waits, and temporary errors are retried without a restart.
    StartLimitIntervalSec=0

    [Service]
    Type=notify
    NotifyAccess=main
    ExecStart=\(Self.quotedProgram(program)) \(arguments) index --follow
    \(user.map { "User=\($0)\n" } ?? "")# A sign of life is sent while nothing is pending, or when the token or long work has advanced.
    WatchdogSec=2min
    TimeoutStartSec=2min
    TimeoutStopSec=10s
    Restart=on-failure
    RestartSec=10s
    # A corrupt index needs followspot rebuild. Missing history needs a decision if reconciling is forbidden.
    RestartPreventExitStatus=6 7

    # A low priority for processor, disk and memory.
    Nice=10
    IOSchedulingClass=best-effort
    IOSchedulingPriority=7
    MemoryHigh=1G

    # The index holds the words of the store: nobody else reads its files until they have the rights of the store.
    UMask=0077
    # It writes into the index, and beside the store the -shm file that SQLite reads a store in WAL mode by.
    ProtectSystem=strict
    ReadWritePaths=\(writable.map(Self.quotedPath).joined(separator: " "))
    ProtectHome=\(hides("/home") || hides("/root") || hides("/run/user") ? "read-only" : "yes")
    PrivateTmp=\(hides("/tmp") || hides("/var/tmp") ? "no" : "yes")
    \(machineOnly)NoNewPrivileges=yes
    RestrictAddressFamilies=AF_UNIX
    IPAddressDeny=any
    ProtectKernelTunables=yes
    ProtectControlGroups=yes
    ProtectHostname=yes
    RestrictNamespaces=yes
    RestrictRealtime=yes
    RestrictSUIDSGID=yes
    LockPersonality=yes
    MemoryDenyWriteExecute=yes
    SystemCallArchitectures=native
    SystemCallFilter=@system-service
    SystemCallErrorNumber=EPERM

    [Install]
    WantedBy=\(user == nil ? "default.target" : "multi-user.target")

    """
  }

  /// Settings that take capabilities away. A user's own manager has none to take, and would not start the unit at all
  /// (exit status 218/CAPABILITIES).
  private var machineOnly: String {
    user == nil
      ? ""
      : """
      CapabilityBoundingSet=
      PrivateDevices=yes
      ProtectClock=yes
      ProtectKernelLogs=yes
      ProtectKernelModules=yes

      """
  }

  private var isOne: Bool { stores.count == 1 }

  private var names: String { stores.map { Self.specifierSafe(Self.name(of: $0.path)) }.joined(separator: ", ") }

  private var arguments: String {
    stores.map { "--store \(Self.quotedArgument($0.path)) --index \(Self.quotedArgument($0.index))" }
      .joined(separator: " ")
  }

  private var unitDirectory: String { user == nil ? "~/.config/systemd/user" : "/etc/systemd/system" }
  private var manager: String { user == nil ? "systemctl --user" : "systemctl" }

  /// The directories that hold the stores and the indexes: an index is made, and its directory synced, there.
  private var writable: [String] {
    var known: Set<String> = []
    return stores.flatMap { [IndexDirectory.parent(of: $0.path), IndexDirectory.parent(of: $0.index)] }.filter {
      known.insert($0).inserted
    }
  }

  /// Whether something that the service needs lies below a directory that a private one would hide.
  private func hides(_ directory: String) -> Bool {
    ([program] + stores.flatMap { [$0.path, $0.index] }).contains { $0.hasPrefix(directory + "/") }
  }

  // MARK: Paths

  /// The path with all links resolved, as far as it leads to something that is there.
  private static func absolute(_ path: String) throws -> String {
    var resolved = ""
    if let real = FileIdentity.resolved(path) {
      resolved = real
    } else if let real = FileIdentity.resolved(IndexDirectory.parent(of: path)) {
      resolved = real + "/" + name(of: path)
    }
    guard resolved.hasPrefix("/") else {
      throw OperationError(.usage, "the directory of \(path) does not exist", recovery: .createDirectory)
    }
    guard !resolved.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7f }) else {
      throw OperationError(
        .usage, "a unit cannot name \(path): it contains control characters",
        recovery: .moveOrLink)
    }
    return resolved
  }

  private static func owner(of path: String) throws -> String {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw OperationError(.file, "the status of \(path) cannot be read: \(String(cString: strerror(errno)))")
    }
    guard let entry = getpwuid(status.st_uid) else { return String(status.st_uid) }
    return String(cString: entry.pointee.pw_name)
  }

  private static func name(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
  }

  // MARK: systemd's quoting

  /// `%` begins a specifier everywhere in a unit.
  private static func specifierSafe(_ text: String) -> String { text.replacing("%", with: "%%") }

  /// In quotes, where a backslash takes the next character as it is.
  private static func quotedPath(_ path: String) -> String {
    "\"" + specifierSafe(path).replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }

  /// As a path; the program itself is not searched for variables.
  private static func quotedProgram(_ path: String) -> String { quotedPath(path) }

  /// As a path, and `$` begins a variable.
  private static func quotedArgument(_ path: String) -> String { quotedPath(path).replacing("$", with: "$$") }
}
