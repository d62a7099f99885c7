import ArgumentParser
import Foundation
import Testing

@testable import roomline

/// What the help and the pages show can be typed: the parser takes it, whatever a broker would say.
@Suite struct ExampleTests {
    @Test func `every example of the help is a command`() throws {
        let examples = try CommandHelp(of: Roomline.self).all
            .flatMap { ($0.discussion ?? "").split(separator: "\n").map(String.init) }
            .filter { $0.hasPrefix("  ") && $0.contains("roomline ") }
        #expect(examples.count > 90)
        for example in examples { self.expectCommand(example) }
    }

    @Test(arguments: ["docs/cli.md", "docs/backup.md", "README.md"])
    func `every command of a page is one`(page: String) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let text = try String(contentsOf: root.appending(path: page), encoding: .utf8).replacing("\\\n", with: " ")
        let blocks = text.split(separator: "```sh\n").dropFirst().compactMap { $0.split(separator: "```").first }
        let lines = blocks.flatMap { $0.split(separator: "\n").map(String.init) }.filter { $0.contains("roomline ") }
        #expect(lines.count > 5)
        for line in lines { self.expectCommand(line) }
    }

    private func expectCommand(_ line: String) {
        for words in ShellWords.commands(in: line) where words.first?.hasSuffix("roomline") == true {
            // Whether standard output is a terminal is no matter of how a command is written.
            guard !words.contains("--watch") else { continue }
            #expect(throws: Never.self, "\(words)") { try Roomline.parseAsRoot(Array(words.dropFirst())) }
        }
    }
}

/// The commands of one line of a shell, as far as examples have such: pipes, redirections, quotes and comments.
private enum ShellWords {
    static func commands(in line: String) -> [[String]] {
        var commands: [[String]] = [[]]
        var isTarget = false
        for word in self.words(in: line) {
            switch word {
            case "#": return commands
            case "|": commands.append([])
            case ">", ">>", "<", "2>": isTarget = true
            case "2>&1": continue
            default:
                if !isTarget { commands[commands.count - 1].append(word) }
                isTarget = false
            }
        }
        return commands
    }

    private static func words(in line: String) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if quote == nil, character == " " {
                if let word { words.append(word) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }
}
