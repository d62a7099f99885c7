import NIOCore
package import RoomJSON
import RoomModel

/// A session on its way to another node, as a JSON object. What the member may still publish is not in it: rates are a node's.
extension ResumedSession {
    package var json: JSONTree {
        .object([
            .init("channel", .string(self.channel.text)),
            .init("client_id", .string(self.clientID.text)),
            // as text, so that it stays the same byte for byte
            .init("client_data", .optional(self.clientData) { .string(String(buffer: $0)) }),
            .init("user", .optional(self.user) { .string($0) }),
            .init("address", .optional(self.address) { .string($0.description) }),
            .init("resumes", .integer(self.resumes)),
            .init("rooms", .array(self.rooms.map { .string($0.text) })),
        ])
    }

    /// `nil`: it is no session.
    package init?(_ json: JSONTree) {
        guard let channel = json["channel"]?.stringValue.flatMap({ ChannelID($0) }),
            let client = json["client_id"]?.stringValue,
            case .array(let rooms)? = json["rooms"], case .number(let resumes)? = json["resumes"]
        else { return nil }
        self.init(
            channel: channel,
            clientID: ClientID(client),
            clientData: json["client_data"]?.stringValue.map { ByteBuffer(string: $0) },
            user: json["user"]?.stringValue,
            address: json["address"]?.stringValue.flatMap { IPAddress($0) },
            resumes: UInt32(resumes) ?? 0,
            rooms: rooms.compactMap { $0.stringValue.map { RoomName($0) } }
        )
    }
}
