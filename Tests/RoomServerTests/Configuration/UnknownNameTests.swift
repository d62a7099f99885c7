import Testing

@testable import RoomServer

@Suite struct UnknownNameTests {
    @Test(arguments: [
        ("--max-lin", "--max-line"), ("--max_line", "--max-line"), ("--chanel", "--channel"),
        ("--print-conf", "--print-config"), ("--frobnicate", nil),
    ])
    func `an unknown flag is refused with the nearest known one`(flag: String, nearest: String?) {
        #expect(throws: ConfigurationError.unknownName(flag, nearest: nearest, origin: .flag)) {
            try LoadedConfiguration.make(flag, "1")
        }
    }

    @Test func `an unknown variable is refused with the nearest known one`() {
        let expected = ConfigurationError.unknownName(
            "ROOMLINE_MAX_LINES",
            nearest: "ROOMLINE_MAX_LINE",
            origin: .environment
        )
        #expect(throws: expected) { try LoadedConfiguration.make(environment: ["ROOMLINE_MAX_LINES": "1"]) }
        #expect(expected.exitCode == 78)
    }

    @Test func `variables of others are left alone`() throws {
        #expect(try LoadedConfiguration.make(environment: ["MAX_LINE": "x", "ROOMLINER": "y"]).origins.isEmpty)
    }

    @Test func `an unknown key of the file is refused with the nearest known one`() throws {
        let file = try TemporaryFile(#"{"tcp": "127.0.0.1:1", "max": {"line": 5}, "max-lien": 5}"#)
        let error = #expect(throws: ConfigurationError.self) { try LoadedConfiguration.make(file: file.path) }
        #expect(error == .unknownName("\"max\" at line 1, column 24", nearest: nil, origin: .file(path: file.path)))

        let misspelt = try TemporaryFile(#"{"max-lien": 5}"#)
        let second = #expect(throws: ConfigurationError.self) { try LoadedConfiguration.make(file: misspelt.path) }
        #expect(
            second?.description
                == "\"max-lien\" at line 1, column 2 is unknown; did you mean \"max-line\"? (in \(misspelt.path); see roomline serve --help)"
        )
        #expect(second?.exitCode == 78)
    }

    @Test(arguments: ["serve", "-x", "-", "5"])
    func `an argument that belongs to no flag is refused`(argument: String) {
        #expect(throws: ConfigurationError.unexpectedArgument(argument)) { try LoadedConfiguration.make(argument) }
    }

    @Test func `a flag without its value is refused`() {
        for flags in [["--loops"], ["--loops", "--max-line", "1KiB"]] {
            let error = #expect(throws: ConfigurationError.self) { try FlagReader.read(flags) }
            #expect(error?.description.hasPrefix("--loops needs a value: give a whole number") == true)
        }
    }
}
