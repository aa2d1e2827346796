// SPDX-License-Identifier: MIT

internal import CSupport

#if canImport(Glibc)
  internal import Glibc
#endif

/// The processors and the memory that this process may use. A control group, such as a container, may allow less than the
/// machine has.
package enum MachineLimits {
  /// The number of cores on which the process may run at the same time, at least 1.
  package static func usableCores() -> Int {
    let bound = Int(cs_bound_cores())
    return max(1, ([bound > 0 ? bound : sysconf(Int32(_SC_NPROCESSORS_ONLN))] + quotas()).min() ?? 1)
  }

  /// The number of files that the process may have open.
  static func openFiles() -> Int {
    var limit = rlimit()
    return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? Int(clamping: limit.rlim_cur) : 0
  }

  /// Bytes of memory that the process can still allocate; nil if the system does not say it.
  static func availableMemory() -> Int? {
    guard
      let line = IndexDirectory.read("/proc/meminfo")?.split(separator: "\n").first(where: {
        $0.hasPrefix("MemAvailable:")
      }), let kilobytes = Int(line.split(separator: " ")[1])
    else { return nil }
    let group = controlGroup()
    guard let limit = ["max", "high"].compactMap({ numbers(group + "/memory." + $0).first ?? nil }).min(),
      let used = numbers(group + "/memory.current").first ?? nil
    else { return kilobytes << 10 }
    return min(kilobytes << 10, max(0, limit - used))
  }

  /// The cores that `cpu.max`, a quota and a period in microseconds, allows: `150000 100000` is two.
  static func cores(ofQuota fields: [Int?]) -> Int? {
    guard fields.count == 2, let quota = fields[0], let period = fields[1], quota > 0, period > 0 else { return nil }
    return (quota + period - 1) / period
  }

  /// The quotas of the control group and of the groups above it.
  private static func quotas() -> [Int] {
    var group = controlGroup()
    var found: [Int] = []
    while group.hasPrefix(root) {
      if let cores = cores(ofQuota: numbers(group + "/cpu.max")) { found.append(cores) }
      group = IndexDirectory.parent(of: group)
    }
    return found
  }

  private static let root = "/sys/fs/cgroup"

  /// The directory of this process's control group: the line of the unified hierarchy is `0::/PATH`.
  private static func controlGroup() -> String {
    let line = IndexDirectory.read("/proc/self/cgroup")?.split(separator: "\n").first { $0.hasPrefix("0::") }
    return root + (line?.dropFirst(3) ?? "")
  }

  /// The fields of a file; nil for those that are not numbers, such as `max`.
  private static func numbers(_ path: String) -> [Int?] {
    IndexDirectory.read(path)?.split(whereSeparator: \.isWhitespace).map { Int($0) } ?? []
  }
}
