internal import Followspot

/// Long work on one line of a terminal: done, rate, time left.
enum ProgressLine {
  static func show(_ what: String) -> (Progress) -> Void {
    { progress in
      guard progress.total > 0, progress.done < progress.total else { return Console.progress(nil) }
      let rate = progress.elapsed > 0 ? Double(progress.done) / progress.elapsed : 0
      let left = rate > 0 ? Int(Double(progress.total - progress.done) / rate) : 0
      Console.progress("\(what) \(progress.done) of \(progress.total) rows, \(Int(rate)) a second, \(left) s left")
    }
  }
}
