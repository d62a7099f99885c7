import RoomCore
import RoomModel
import Testing

@testable import RoomServer

@Suite struct ConfigurationFileTests {
    @Test(arguments: [
        #"{"max-nesting": true}"#, #"{"max-nesting": null}"#, #"{"max-nesting": 1.5}"#, #"{"max-nesting": [1]}"#,
        #"{"max-nesting": {"a": 1}}"#, #"{"channel": "a"}"#, #"{"channel": []}"#, #"{"channel": [1]}"#,
        #"{"text-room": null}"#, #"{"text-room": true}"#, #"{"allow-open-channels": 1}"#, #"{"max-nesting": "0"}"#,
    ])
    func `a value of the wrong type is refused`(text: String) throws {
        let file = try TemporaryFile(text)
        let error = #expect(throws: ConfigurationError.self) { try LoadedConfiguration.make(file: file.path) }
        guard case .badValue(let name, _, _, .file) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(name.hasSuffix(" in \(file.path), line 1, column 2"))
        #expect(error?.exitCode == 78)
    }

    @Test func `numbers may stand without quotes`() throws {
        let file = try TemporaryFile(#"{"max-nesting": 5, "max-line": 131072, "max-message": "1KiB"}"#)
        let limits = try LoadedConfiguration.make(file: file.path).configuration.limits
        #expect(limits.frame.nesting == 5)
        #expect(limits.frame.line == 131_072)
        #expect(limits.frame.message == 1_024)
    }

    @Test(arguments: ["", "{", "[]", "7", #"{"loops": 1} x"#])
    func `what is not JSON object is refused`(text: String) throws {
        let file = try TemporaryFile(text)
        let error = #expect(throws: ConfigurationError.self) { try LoadedConfiguration.make(file: file.path) }
        #expect(error?.description.hasPrefix("the configuration file \(file.path) cannot be used: it ") == true)
        #expect(error?.exitCode == 78)
    }

    @Test(
        arguments: [
            ("{\n  \"loops\": 1,\n  \"max-lin\": 2\n}", "at line 3, column 3 is unknown; did you mean \"max-line\"?"),
            ("{\"loops\": 1,\n\n \"text-room\": \"\",\n}", "line 4, column 1: malformed JSON"),
            ("{\"text-room\": \"ü\" \"x\"}", "line 1, column 19: malformed JSON"),
            ("{\n\"max-nesting\":\n0}", ", line 2, column 1 cannot be \"0\""),
            (" \n []", "it has to be one JSON object, at line 2, column 2"),
            ("{\"loops\": 1,\n \"loops\": 2}", "it has \"loops\" twice, at line 1, column 2 and at line 2, column 2"),
            ("{\"data\": null}", "column 2 cannot be null: give"), ("{\"loops\": 1.5}", "cannot be a fraction: give"),
            ("{\"data\": {}}", "cannot be an object: give"), ("{\"data\": true}", "cannot be true: give"),
            ("{\"channel\": [1]}", "cannot be a list of something else than strings: give"),
            ("{\n\"tls-key\": \"/k\"}", "column 1)"),
        ]
    )
    func `an error names the line and the column`(text: String, part: String) throws {
        let file = try TemporaryFile(text)
        let error = #expect(throws: ConfigurationError.self) { try LoadedConfiguration.make(file: file.path) }
        #expect(error?.description.contains(part) == true, "\(String(describing: error))")
    }

    @Test(arguments: [([], 78), (["--loops", "1"], 64)] as [([String], Int32)])
    func `values of a file that do not fit together are no wrong option`(flags: [String], code: Int32) throws {
        let file = try TemporaryFile(#"{"max-message": "1MiB", "max-line": "4KiB"}"#)
        let error = #expect(throws: ConfigurationError.self) {
            try ConfigurationLoader.load(flags: flags, environment: ["HOME": "/h"], file: file.path)
        }
        #expect(error?.exitCode == code, "\(String(describing: error))")
    }

    @Test func `a file that is not there is refused`() {
        let error = #expect(throws: ConfigurationError.self) { try LoadedConfiguration.make(file: "/nowhere/a.json") }
        #expect(error?.description == "the configuration file /nowhere/a.json cannot be used: it does not exist")
    }

    @Test func `a directory is not a file`() {
        let error = #expect(throws: ConfigurationError.self) { try LoadedConfiguration.make(file: "/") }
        #expect(error?.description == "the configuration file / cannot be used: it is a directory")
    }

    @Test func `values that do not fit together are named where they stand`() throws {
        let file = try TemporaryFile(#"{"max-message": "256KiB"}"#)
        let error = #expect(throws: ConfigurationError.self) {
            try LoadedConfiguration.make(environment: ["ROOMLINE_MAX_LINE": "200KiB"], file: file.path)
        }
        let places = "(\"max-message\" in \(file.path), line 1, column 2; ROOMLINE_MAX_LINE)"
        #expect(error?.description.hasSuffix(places) == true, "\(String(describing: error))")
    }
}
