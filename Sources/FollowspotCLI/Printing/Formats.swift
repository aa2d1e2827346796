// SPDX-License-Identifier: MIT

/// The formats of verbs that print one document.
enum DocumentFormat: String, CaseIterable { case text, json }

/// The formats of verbs that print a list.
enum ListFormat: String, CaseIterable { case text, json, ndjson, tsv }
