// SPDX-License-Identifier: MIT

/// The formats of `log` and `diff`.
enum ChangeFormat: String, CaseIterable { case text, json, ndjson, tsv }
