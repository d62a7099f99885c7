import Foundation
import NIOCore
import RoomClient

/// An entry of the audit log as the admin API shows it: `AuditEntry` in `Schemas/admin.openapi.yaml`.
struct AdminAuditEntry: AdminDocument, Equatable, Sendable {
    let time: String
    let actor: String
    let origin: String
    let action: String
    let target: String
    let details: JSON?

    init(json: ByteBuffer) throws(CommandFailure) {
        let fields = try AdminResponse.decode(Fields.self, from: json)
        self.time = fields.time
        self.actor = fields.actor
        self.origin = fields.origin
        self.action = fields.action
        self.target = fields.target
        self.details = .field("details", of: json)
    }

    private struct Fields: Decodable {
        let time: String
        let actor: String
        let origin: String
        let action: String
        let target: String
    }
}

/// The audit log as people read it.
enum AuditTable {
    static func table(_ entries: [AdminAuditEntry], in timeZone: TimeZone) -> Table {
        Table(
            [.text("TIME"), .text("WHO"), .text("FROM"), .text("WHAT"), .text("ON"), .text("DETAILS")],
            entries.map { entry in
                [
                    Cell(ShownTime.moment(entry.time, in: timeZone)), Cell(entry.actor), Cell(entry.origin),
                    Cell(entry.action), Cell(entry.target), .optional(entry.details) { $0.description },
                ]
            }
        )
    }
}
