import ArgumentParser
import RoomServer
import Testing

@testable import roomline

@Suite struct CompletedServeTests {
    @Test(arguments: [CompletionShell.bash, .zsh, .fish])
    func `a script has every option of the broker`(shell: CompletionShell) {
        let script = CompletedRoomline.completionScript(for: shell)
        for option in OptionTable.options {
            #expect(script.contains("'\(option.key)") || script.contains("--\(option.key)"), "\(option.key)")
        }
        #expect(script.contains("admin-token") && script.contains("rotate-secret"))
    }

    @Test(
        arguments: [
            ("log-level", .words(["trace", "debug", "info", "notice", "warning", "error", "critical"])),
            ("tls-key", .file), ("data", .directory), ("max-line", .anything),
            ("max-connections", .words(["unlimited"])),
        ] as [(String, ConfigurationOption.Values)]
    )
    func `the values of an option are known by its placeholder`(
        key: String,
        values: ConfigurationOption.Values
    ) throws {
        #expect(try #require(OptionTable.options.first { $0.key == key }).values == values)
    }
}
