import Foundation
import NIOCore
import RoomClient

/// A message as the history has it: a publish frame.
struct AdminMessage: AdminDocument, Equatable, Sendable {
    struct Sender: Decodable, Equatable, Sendable {
        let id: String
        /// What it is, where it is no member.
        let kind: String?
        let clientData: JSON?
    }

    let id: String
    let seq: UInt64
    /// Unix seconds.
    let timestamp: Int64
    let sender: Sender
    /// `nil` where it is nested too deep to be shown.
    let message: JSON?

    init(json: ByteBuffer) throws(CommandFailure) {
        let fields = try AdminResponse.decode(Fields.self, from: json)
        self.id = fields.id
        self.seq = fields.seq
        self.timestamp = fields.timestamp
        self.sender = fields.sender
        self.message = .field("message", of: json)
    }

    private struct Fields: Decodable {
        let id: String
        let seq: UInt64
        let timestamp: Int64
        let sender: Sender
    }

    var date: Date { Date(timeIntervalSince1970: Double(self.timestamp)) }

    var person: Person {
        if let kind = self.sender.kind { return Person(id: self.sender.id, name: "\(self.sender.id) (\(kind))") }
        return Person(id: self.sender.id, clientData: self.sender.clientData)
    }

    /// The text of a message that is one; of another its JSON.
    var shownText: String { self.message?.string ?? self.message?.description ?? "…" }
}
