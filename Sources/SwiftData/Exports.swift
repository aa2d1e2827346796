// SPDX-License-Identifier: MIT

// Apple's module re-exports Observation; code that imports it alone sees Foundation's types there, so it does here too.
@_exported public import Foundation
@_exported public import Observation
