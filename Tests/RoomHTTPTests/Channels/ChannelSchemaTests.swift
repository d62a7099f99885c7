import Foundation
import RoomModel
import Testing

/// `Schemas/admin.openapi.yaml` has each setting of a channel as its description says.
@Suite struct ChannelSchemaTests {
    private let document: Substring

    init() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Schemas/admin.openapi.yaml").standardizedFileURL
        self.document = try Substring(String(contentsOf: file, encoding: .utf8))
    }

    /// What is below `name:` at this depth of indentation, without that indentation.
    private func block(_ name: String, in text: Substring, depth: Int) throws -> Substring {
        let margin = String(repeating: " ", count: depth)
        let start = try #require(text.firstRange(of: "\n\(margin)\(name):"), "\(name) is missing")
        let rest = text[start.upperBound...]
        let end = rest.firstRange(of: try Regex("\n {0,\(depth)}[^ \n#]"))?.lowerBound ?? rest.endIndex
        return rest[..<end]
    }

    private func schema(_ name: String) throws -> Substring { try self.block(name, in: self.document, depth: 4) }

    /// The names of the properties of a schema.
    private func properties(of name: String) throws -> [String] {
        try self.block("properties", in: self.schema(name), depth: 6)
            .matches(of: /\n {8}([a-z_]+):/).map { String($0.1) }
    }

    private func property(_ key: String, of name: String) throws -> Substring {
        try self.block(key, in: self.block("properties", in: self.schema(name), depth: 6), depth: 8)
    }

    @Test func `the fields are the settings, in their order`() throws {
        let entries = ChannelSetting.entries.map(\.name)
        #expect(try self.properties(of: "ChannelChanges") == entries)
        #expect(
            try self.properties(of: "ChannelBase") == ["id"] + entries + ["version", "locked", "previous_secrets"]
        )
    }

    @Test(arguments: [("NewLimits", "limits"), ("Limits", "limits"), ("NewHistory", "history"), ("History", "history")])
    func `the fields of an object are its settings`(schema: String, group: String) throws {
        let keys = ChannelSetting.all.filter { $0.group?.rawValue == group }.map(\.key)
        #expect(try self.properties(of: schema) == keys)
    }

    @Test(arguments: ChannelSetting.all.indices)
    func `the values are those of the description`(index: Int) throws {
        let setting = ChannelSetting.all[index]
        let owner =
            switch setting.group {
            case .history: "NewHistory"
            case .limits: "NewLimits"
            case nil: "ChannelChanges"
            }
        let text = try self.resolved(self.property(setting.key, of: owner))
        switch setting.form {
        case .text(_, let bytes): #expect(text.contains("maxLength: \(bytes)"))
        case .choice(_, let words): #expect(text.contains("{ enum: [\(words.joined(separator: ", ")), null] }"))
        case .count(_, let bounds, _):
            #expect(text.contains("minimum: \(bounds.lowerBound)\n"))
            #expect(text.contains("maximum: \(bounds.upperBound)\n"))
        case .duration(_, let bounds, _):
            #expect(text.contains("minimum: \(bounds.lowerBound.components.seconds)\n"))
            #expect(text.contains("maximum: \(bounds.upperBound.components.seconds)\n"))
        case .historyRules: #expect(text.contains("maxItems: \(ChannelBounds.historyRules)\n"))
        case .origins: #expect(text.contains("maxItems: \(ChannelBounds.origins)\n"))
        }
    }

    /// The text with that of the schema that it refers to.
    private func resolved(_ text: Substring) throws -> String {
        guard let name = text.firstMatch(of: /#\/components\/schemas\/([A-Za-z]+)/)?.1 else { return "\(text)\n" }
        return "\(text)\n\(try self.schema(String(name)))\n"
    }
}
