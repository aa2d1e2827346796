package import PersistentStore

extension FutureStamp {
  /// What was found, as a sentence without its full stop.
  package var sentence: String {
    "transaction \(transaction) is stamped \(DateText.formatTime(secondsSince1970: time)), in the future: the age of what "
      + "was saved since is not known"
  }
}
