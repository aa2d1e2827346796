// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// A file system in a file whose power can be cut. It then loses what was not synced.
final class Volume {
  enum Kind: String, CaseIterable, Sendable {
    case ext4, xfs

    fileprivate var maker: String { "/sbin/mkfs.\(rawValue)" }
    /// XFS makes none smaller.
    fileprivate var megabytes: UInt64 { self == .ext4 ? 128 : 320 }
  }

  let path: String
  private let image: String
  private let shell: Shell
  private var isMounted = false

  init(_ kind: Kind, in directory: TemporaryDirectory, name: String = "volume") throws {
    path = directory.file(name)
    image = path + ".image"
    shell = Shell(in: directory)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    _ = FileManager.default.createFile(atPath: image, contents: nil)
    let handle = try #require(FileHandle(forWritingAtPath: image))
    try handle.truncate(atOffset: kind.megabytes << 20)
    try handle.close()
    try run([image], kind.maker)
    try mount()
  }

  deinit { if isMounted { umount2(path, Int32(MNT_DETACH)) } }

  private func run(_ arguments: [String], _ program: String) throws {
    let outcome = try shell.run(arguments, program: program)
    try #require(outcome.code == 0, "\(program) \(arguments): \(outcome)")
  }

  func mount() throws {
    try run(["-o", "loop", image, path], "/bin/mount")
    isMounted = true
  }

  /// Stops the file system immediately, so that neither data nor its log are written to the disk any more.
  func cut() throws {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    // FS_IOC_SHUTDOWN, _IOR('X', 125, __u32), which ext4 and XFS share, and its "without flushing the log".
    var flags: UInt32 = 2
    let shutdown: UInt = 0x8004_587d
    try #require(ioctl(descriptor, shutdown, &flags) == 0, "\(String(cString: strerror(errno)))")
  }

  /// Unmounts and mounts the file system, as after a restart of the machine. None of its files may be open.
  func remount() throws {
    let end = Date().addingTimeInterval(30)
    while umount2(path, 0) != 0 {
      try #require(errno == EBUSY && Date() < end, "\(String(cString: strerror(errno)))")
      usleep(10_000)
    }
    isMounted = false
    try mount()
  }

  /// The kinds that can be created here.
  static let kinds = Kind.allCases.filter { FileManager.default.isExecutableFile(atPath: $0.maker) }

  /// Why no volume can be created here; nil if one can.
  static let obstacle: String? = {
    guard geteuid() == 0 else { return "power cuts are not shown without root: no file system can be mounted" }
    for kind in Kind.allCases where !kinds.contains(kind) {
      print("power cuts of \(kind.rawValue) are not shown: there is no \(kind.maker)")
    }
    guard let kind = kinds.first else { return "power cuts are not shown: there is no program to make a file system" }
    do {
      try TemporaryDirectory.with(isProbe: true) { directory in try Volume(kind, in: directory).cut() }
      return nil
    } catch {
      return "power cuts are not shown: a file system in a file cannot be mounted: \(error)"
    }
  }()
}
