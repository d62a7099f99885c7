package import NIOCore

/// Who caused a frame, as it stands in the frame: `{"id":…,"clientData":…}` or `{"id":…,"kind":…}`.
///
/// The JSON is encoded once, when the member connects or updates its data, and shared by all of its messages.
package struct Sender: Equatable, Sendable {
    /// The `client_id`; `nil` for the broker itself and for REST.
    package let clientID: ClientID?
    /// The whole JSON object.
    package let json: ByteBuffer

    package init(clientID: ClientID?, json: ByteBuffer) {
        self.clientID = clientID
        self.json = json
    }

    package static func member(_ id: ClientID, clientData: ByteBuffer?) -> Sender {
        var json = ByteBuffer()
        json.reserveCapacity(32 + (clientData?.readableBytes ?? 0))
        json.writeString("{\"id\":\"\(id.text)\"")
        if let clientData {
            json.writeString(",\"clientData\":")
            json.writeImmutableBuffer(clientData)
        }
        json.writeString("}")
        return Sender(clientID: id, json: json)
    }

    /// What the broker says itself.
    package static let broker = Sender(clientID: nil, json: ByteBuffer(string: #"{"id":"roomline","kind":"broker"}"#))
}
