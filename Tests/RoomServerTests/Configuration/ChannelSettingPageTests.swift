import Foundation
import RoomModel
import Testing

@testable import RoomServer

/// The pages say of each setting of a channel what its description says.
@Suite struct ChannelSettingPageTests {
    private static func page(_ name: String) throws -> String {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../docs/\(name)").standardizedFileURL
        return try String(contentsOf: page, encoding: .utf8)
    }

    @Test(arguments: ChannelSetting.all.indices)
    func `the page of the configuration has a row for each`(index: Int) throws {
        let setting = ChannelSetting.all[index]
        let row = setting.row
        #expect(try Self.page("configuration.md").contains("\n\(row)\n"), "docs/configuration.md needs the row\n\(row)")
    }

    @Test(arguments: ChannelSetting.all.indices)
    func `the page of the protocol says what a change of each does`(index: Int) throws {
        let name = ChannelSetting.all[index].name
        let page = try Self.page("protocol.md")
        let section = try #require(
            page.components(separatedBy: "\n## ").first { $0.hasPrefix("When a channel changes") }
        )
        let cells = section.split(separator: "\n").filter { $0.hasPrefix("| ") }.compactMap {
            $0.split(separator: "|").first
        }
        #expect(cells.contains { $0.contains("`\(name)`") }, "docs/protocol.md, \"When a channel changes\": \(name)")
    }
}

extension ChannelSetting {
    /// Its row in `docs/configuration.md`.
    fileprivate var row: String {
        let option = "--\(self.option) \(self.placeholder)".replacing("|", with: "\\|")
        let text = ["\(self.summary).", self.details, self.bounds].filter { !$0.isEmpty }.joined(separator: " ")
        return
            "| `\(self.name)` | `\(option)` | \(self.isInFlag ? "yes" : "") | \(self.standard) | \(text) | \(self.change) |"
    }

    private var bounds: String {
        let scale = UnitScale.milliseconds
        func shown(_ duration: Duration) -> String { scale.format(Int(duration.wholeMilliseconds)) }
        return switch self.form {
        case .text(_, let bytes): "At most \(bytes) bytes."
        case .count(_, let range, _): "From \(range.lowerBound) to \(range.upperBound)."
        case .duration(_, let range, _): "From \(shown(range.lowerBound)) to \(shown(range.upperBound))."
        case .historyRules:
            "At most \(ChannelBounds.historyRules), each pattern of at most \(ChannelBounds.pattern) bytes."
        case .origins: "At most \(ChannelBounds.origins), each of at most \(ChannelBounds.origin) bytes."
        case .choice: ""
        }
    }

    /// What it is in a new channel.
    private var standard: String {
        let settings = ChannelSettings(id: .standard)
        switch self.form {
        case .text, .historyRules, .origins: return "none"
        case .choice(let field, _): return "`\(field.get(settings) ?? "")`"
        case .count(let field, _, let none): return "`\(field.get(settings).map { "\($0)" } ?? none)`"
        case .duration(let field, _, _):
            return "`\(UnitScale.milliseconds.format(Int(field.get(settings)?.wholeMilliseconds ?? 0)))`"
        }
    }
}
