import NIOCore
import RoomJSON

/// A context in a list.
struct ContextRow: Equatable, Sendable {
    let name: String
    let context: Context
    let isCurrent: Bool

    var json: ByteBuffer {
        let fields: [(name: String, value: String?)] = [
            ("server", self.context.server), ("admin_server", self.context.adminServer),
            ("socket", self.context.socket), ("data", self.context.data), ("channel", self.context.channel),
            ("token_file", self.context.tokenFile), ("admin_token_file", self.context.adminTokenFile),
            ("trust", self.context.trust),
        ]
        return JSONTree.object(
            [.init("name", .string(self.name)), .init("current", .bool(self.isCurrent))]
                + fields.map { .init($0.name, .optional($0.value) { .string($0) }) }
        ).bytes
    }

    static func table(_ rows: [ContextRow]) -> Table {
        Table(
            [.text(""), .text("NAME"), .text("SERVER"), .text("ADMIN"), .text("CHANNEL")],
            rows.map { row in
                let context = row.context
                return [
                    Cell(row.isCurrent ? "*" : ""), Cell(row.name), .optional(context.server) { $0 },
                    .optional(context.adminServer ?? context.socket ?? context.data) { $0 },
                    .optional(context.channel) { $0 },
                ]
            }
        )
    }
}

extension ContextFile {
    /// One that there is.
    func row(_ name: String) -> ContextRow {
        ContextRow(name: name, context: self.contexts[name] ?? Context(), isCurrent: name == self.current)
    }
}
