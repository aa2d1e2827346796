// SPDX-License-Identifier: MIT

/// The formats of verbs that print one document.
package enum DocumentFormat: String, CaseIterable { case text, json }

/// The formats of verbs that print a list.
package enum ListFormat: String, CaseIterable { case text, json, ndjson, tsv }
