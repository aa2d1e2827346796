#!/usr/bin/env bash
# A release build of SwiftPM (Swift 6.3.1) does not recompile a target after a change in a module that it uses through the
# `@_exported import` of another one, although the optimizer had copied code of that module into it.
#
# Expected: after a change of `Inner`, the program prints what `Inner` says now. Seen: it prints what `Inner` said before, and
# the number of a second call that the optimizer does not copy is the new one, so that both are in one program. The module
# file of `Outer`, on which the program depends, does not change, and `Inner` is no dependency of the program. If a stored
# property is added to a class of `Inner`, the program allocates too few bytes for its objects. A debug build is right, and a
# product that names both modules is, too.
set -euo pipefail
place="$(mktemp -d)"
trap 'rm -rf "$place"' EXIT
cd "$place"
swift --version 2> /dev/null | head -1 | grep -o 'Swift version [0-9.]*' > seen

mkdir -p Sources/{Inner,Outer,Program}
cat > Package.swift << 'END'
// swift-tools-version:6.0
import PackageDescription
let package = Package(
  name: "Stale",
  targets: [
    .target(name: "Inner"), .target(name: "Outer", dependencies: ["Inner"]),
    .executableTarget(name: "Program", dependencies: ["Outer"]),
  ])
END
echo '@_exported import Inner' > Sources/Outer/Outer.swift
printf 'import Outer\nprint(revision(), revisionByCall())\n' > Sources/Program/main.swift
inner() {
  cat > Sources/Inner/Inner.swift << END
public func revision() -> Int { $1 }
@inline(never) public func revisionByCall() -> Int { $1 }
END
}
for configuration in debug release; do
  for revision in 1 2; do
    inner "$revision"
    swift build -c "$configuration" > log 2>&1 || { cat log; exit 1; }
    echo "$configuration: $(".build/$configuration/Program")" >> seen
  done
done

diff - seen << 'END'
Swift version 6.3.1
debug: 1 1
debug: 2 2
release: 1 1
release: 1 2
END
echo "as described: $(head -1 seen)"
