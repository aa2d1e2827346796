// SPDX-License-Identifier: MIT

extension CommandDescription {
  /// All verbs, in the order of the help.
  static let all: [CommandDescription] = [
    .import, .set, .delete, .migrate, .attach, .detach, .show, .history, .feed, .log, .diff, .index, .wait, .rebuild,
    .rollback, .verify, .status, .failed, .search, .pick, .saved, .count, .explain, .suggest, .sql, .schema, .doctor,
    .config, .replicate, .serve, .service, .completion, .tour, .help,
  ]
}
