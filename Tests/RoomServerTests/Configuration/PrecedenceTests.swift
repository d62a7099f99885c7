import RoomCore
import RoomModel
import Testing

@testable import RoomServer

@Suite struct PrecedenceTests {
    @Test func `without anything the defaults hold`() throws {
        let loaded = try LoadedConfiguration.make()
        #expect(
            loaded.configuration
                == ServerConfiguration(storage: .directory("/home/luke/.local/share/roomline"))
        )
        #expect(loaded.origins.isEmpty)
    }

    @Test func `the file beats the default`() throws {
        let file = try TemporaryFile(#"{"max-nesting": 11}"#)
        let loaded = try LoadedConfiguration.make(file: file.path)
        #expect(loaded.configuration.limits.frame.nesting == 11)
        #expect(loaded.origins == ["max-nesting": .file(path: file.path)])
    }

    @Test func `the environment beats the file`() throws {
        let file = try TemporaryFile(#"{"max-nesting": 11, "loops": 3}"#)
        let loaded = try LoadedConfiguration.make(environment: ["ROOMLINE_MAX_NESTING": "22"], file: file.path)
        #expect(loaded.configuration.limits.frame.nesting == 22)
        #expect(loaded.configuration.process.loops == 3)
        #expect(loaded.origins == ["max-nesting": .environment, "loops": .file(path: file.path)])
    }

    @Test func `a flag beats the environment`() throws {
        let file = try TemporaryFile(#"{"max-nesting": 11}"#)
        let environment = ["ROOMLINE_MAX_NESTING": "22"]
        let loaded = try LoadedConfiguration.make("--max-nesting", "33", environment: environment, file: file.path)
        #expect(loaded.configuration.limits.frame.nesting == 33)
        #expect(loaded.origins == ["max-nesting": .flag])
    }

    @Test func `of a repeated flag the last one holds`() throws {
        let loaded = try LoadedConfiguration.make("--loops", "1", "--loops=2")
        #expect(loaded.configuration.process.loops == 2)
    }

    @Test func `the environment can name the file, and the flag another one`() throws {
        let (named, other) = (try TemporaryFile(#"{"loops": 1}"#), try TemporaryFile(#"{"loops": 2}"#))
        let environment = ["ROOMLINE_CONFIG": named.path]
        #expect(try LoadedConfiguration.make(environment: environment).configuration.process.loops == 1)
        let loaded = try LoadedConfiguration.make(environment: environment, file: other.path)
        #expect(loaded.configuration.process.loops == 2)
    }

    @Test func `channels are a repeated flag, a list in the file and split by semicolons in the environment`() throws {
        let file = try TemporaryFile(#"{"channel": ["a,history=1", "b"]}"#)
        let channels = try [
            LoadedConfiguration.make("--channel", "a,history=1", "--channel", "b"),
            LoadedConfiguration.make(environment: ["ROOMLINE_CHANNEL": "a,history=1; b;"]),
            LoadedConfiguration.make(file: file.path),
        ].map { $0.configuration.channels.map(\.id.text) }
        #expect(channels == [["a", "b"], ["a", "b"], ["a", "b"]])
    }

    @Test func `a switch is a bare flag, a word in the environment and a boolean in the file`() throws {
        let file = try TemporaryFile(#"{"allow-open-channels": true}"#)
        #expect(try LoadedConfiguration.make("--allow-open-channels").configuration.listen.allowsOpenChannels)
        let environment = ["ROOMLINE_ALLOW_OPEN_CHANNELS": "true"]
        #expect(try LoadedConfiguration.make(environment: environment).configuration.listen.allowsOpenChannels)
        let fromFile = try LoadedConfiguration.make(file: file.path)
        #expect(fromFile.configuration.listen.allowsOpenChannels)
        let off = try LoadedConfiguration.make("--allow-open-channels=false", file: file.path)
        #expect(!off.configuration.listen.allowsOpenChannels)
    }

    @Test func `data goes to the XDG directory, else below the home, else has to be named`() throws {
        let xdg = try LoadedConfiguration.make(environment: ["XDG_DATA_HOME": "/data"])
        #expect(xdg.configuration.storage == .directory("/data/roomline"))
        let relative = try LoadedConfiguration.make(environment: ["XDG_DATA_HOME": "data"])
        #expect(relative.configuration.storage == .directory("/home/luke/.local/share/roomline"))

        let nowhere = ["HOME": ""]
        let error = #expect(throws: ConfigurationError.self) { try LoadedConfiguration.make(environment: nowhere) }
        #expect(error?.description.contains("--data DIR") == true)
        let named = try LoadedConfiguration.make("--data", ":memory:", environment: nowhere)
        #expect(named.configuration.storage == .memory)
    }
}
