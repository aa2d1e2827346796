// SPDX-License-Identifier: MIT

internal import Foundation

/// Wall-clock times of repeated runs, in seconds.
struct Samples {
  private(set) var seconds: [Double] = []

  mutating func measure<Result>(_ body: () throws -> Result) rethrows -> Result {
    let start = DispatchTime.now().uptimeNanoseconds
    let result = try body()
    add(Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9)
    return result
  }

  mutating func add(_ time: Double) { seconds.append(time) }

  func percentile(_ part: Double) -> Double {
    let sorted = seconds.sorted()
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
  }

  var median: Double { percentile(0.5) }
}

/// Runs two partners in turn, so that both meet the same machine.
func alternate(_ rounds: Int, _ own: () throws -> Void, _ partner: () throws -> Void) rethrows -> (Samples, Samples) {
  var left = Samples()
  var right = Samples()
  for _ in 0..<rounds {
    try left.measure(own)
    try right.measure(partner)
  }
  return (left, right)
}

func milliseconds(_ seconds: Double) -> String { String(format: "%.1f ms", seconds * 1_000) }

func report(_ name: String, _ own: String, _ partner: String, _ ratio: Double?) {
  let shown = ratio.map { String(format: "%.2f", $0) } ?? "-"
  show("| \(name) | \(own) | \(partner) | \(shown) |")
}

/// One line of the report, at once.
func show(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// Starts a program and waits for its end; standard output and error go nowhere.
func runProcess(_ path: String, _ arguments: [String], environment: [String: String] = [:]) -> Int32 {
  runMeasured(path, arguments, environment: environment).status
}

/// The same, with the most memory that it held, in bytes.
func runMeasured(
  _ path: String, _ arguments: [String], environment: [String: String] = [:]
) -> (status: Int32, memory: Int) {
  var pid: pid_t = 0
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
  var words = ([path] + arguments).map { strdup($0) } + [nil]
  var settings = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
  defer { for word in words + settings { free(word) } }
  guard posix_spawn(&pid, path, &actions, nil, &words, &settings) == 0 else { return (-1, 0) }
  var status: Int32 = 0
  var most = 0
  while waitpid(pid, &status, WNOHANG) == 0 {
    most = max(most, peakMemory(of: pid) ?? 0)
    usleep(1_000)
  }
  return (status, most)
}

/// The most memory that a process held since it began its program, in bytes. What `wait4` gives counts the memory of
/// the process that started it, too.
func peakMemory(of pid: pid_t) -> Int? {
  let line = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8))?.split(separator: "\n")
    .first { $0.hasPrefix("VmHWM:") }
  return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 << 10 }
}
