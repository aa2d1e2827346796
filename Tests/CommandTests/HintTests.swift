import Foundation
import TestSupport
import Testing

/// Hints that name a call of the program work as they stand: on the store and the index of the call before.
@Suite(.timeLimit(.minutes(30)))
struct HintTests {
  /// Runs the first call that a hint names, by a shell and with the program in its path.
  private func follow(_ errors: String, _ bench: Bench) throws -> Shell.Outcome {
    let hint = try #require(errors.firstMatch(of: /followspot --[^\n]*/)?.output)
    var shell = bench.shell
    shell.environment["PATH"] = Shell.products + ":/usr/bin:/bin"
    return try shell.run(["-c", String(hint)], program: "/bin/sh")
  }

  @Test(arguments: ["other.store", "it's $(touch pwn) other.store", "ö \"x\".store"])
  func `a hint repeats the store that the line named`(_ name: String) throws {
    try Bench.with(isIndexed: false) { bench in
      let made = try bench.shell.run(
        "import", try bench.directory.write("{\"title\": \"one\"}", to: "one.jsonl"), "--kind", "Film", "--store", name)
      #expect(made.code == 0, "\(made)")
      let missing = try bench.shell.run("search", "one", "--store", name)
      #expect(missing.code == 3)
      let followed = try follow(missing.errors, bench)
      #expect(followed.code == 0, "\(missing) \(followed)")
      #expect(try bench.shell.run("--store", name, "count", "one").output == "1\n")
      // The store of the environment is not touched.
      #expect(!FileManager.default.fileExists(atPath: bench.index))
      #expect(!FileManager.default.fileExists(atPath: bench.directory.file("pwn")))
    }
  }

  @Test func `a hint repeats the index that the line named`() throws {
    try Bench.with(isIndexed: false) { bench in
      let missing = try bench.shell.run("search", "toy", "--index", "else where")
      #expect(missing.errors.hasSuffix("\nhint: followspot --index 'else where' index\n"), "\(missing)")
      #expect(try follow(missing.errors, bench).code == 0)
      #expect(try bench.shell.run("--index", "else where", "count", "toy").output == "2\n")
      let doctor = try bench.shell.run("doctor", "--store", "films.store")
      #expect(doctor.output.contains("followspot --store films.store index"), "\(doctor)")
      let status = try bench.shell.run("status", "--store", "films.store")
      #expect(status.output.contains("followspot --store films.store index"), "\(status)")
      // Calls that need no store are left as they are.
      let help = try bench.shell.run("--store", "films.store", "import")
      #expect(help.errors.hasSuffix("\nhint: followspot help import\n"), "\(help)")
    }
  }
}
