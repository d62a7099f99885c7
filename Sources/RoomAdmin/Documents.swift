public import Foundation
package import NIOCore
public import RoomClient
@_exported public import RoomDocuments
import RoomJSON

// What a document has as JSON, in the type that the clients have for it.

extension AdminAuditEntry {
    /// The requested change; never a secret.
    public var details: JSON? { self.detailsBytes.map { JSON(unchecked: $0) } }
}

extension AdminMember {
    /// The data that the client gives of itself; `nil`: none.
    public var clientData: JSON? { self.clientDataBytes.map { JSON(unchecked: $0) } }

    /// The data of its token; `nil` where it has none.
    public var authData: JSON? { self.authDataBytes.map { JSON(unchecked: $0) } }
}

extension AdminMessage {
    /// The message, byte for byte; `nil` where it is nested too deep to be shown.
    public var message: JSON? { self.messageBytes.map { JSON(unchecked: $0) } }

    /// The time at which it was published.
    public var date: Date { Date(timeIntervalSince1970: Double(self.timestamp)) }
}

extension AdminMessage.Sender {
    /// The data that the client gives of itself.
    public var clientData: JSON? { self.clientDataBytes.map { JSON(unchecked: $0) } }
}

extension AdminHistoryPage {
    /// The entries as values, in the order of the log.
    ///
    /// - Throws: ``AdminError/Code/unexpectedAnswer``.
    public func messages() throws(AdminError) -> [AdminMessage] {
        let names = AdminMessage.names
        var messages: [AdminMessage] = []
        for entry in self.entries { messages.append(try AdminMessage(json: entry, names: names)) }
        return messages
    }

    var isEmpty: Bool { self.entries.isEmpty && self.lost == nil }

    /// The place of its last entry; `nil` where it has none.
    func lastSeq() throws(AdminError) -> UInt64? {
        guard let last = self.entries.last else { return nil }
        return try Self.seq(of: last)
    }

    /// The place of an entry in the log.
    package static func seq(of entry: ByteBuffer) throws(AdminError) -> UInt64 { try AdminMessage(json: entry).seq }
}

extension AdminStatistics.SlowMember {
    /// The data that the client gives of itself.
    public var clientData: JSON? { self.clientDataBytes.map { JSON(unchecked: $0) } }
}

extension AdminStatistics.BusyConnection {
    /// The data that the client gives of itself.
    public var clientData: JSON? { self.clientDataBytes.map { JSON(unchecked: $0) } }
}

extension AdminChannel {
    /// The value of a setting, such as `authentication` or `limits`; `nil` where the broker does not have it, or it is null.
    public func setting(_ name: String) -> JSON? { self[name].map { JSON(unchecked: $0.bytes) } }
}

extension AdminSanction {
    /// The subject that it is for.
    public var subject: AdminSubject {
        if let user { return .user(user) }
        if let clientId { return .client(clientId) }
        return .address(self.address ?? "")
    }
}
