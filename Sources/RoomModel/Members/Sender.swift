package import NIOCore

/// The originator of a frame, as it stands in the frame: `{"id":…,"clientData":…,"authData":…}` or `{"id":…,"kind":…}`.
///
/// The JSON is encoded once, when the member connects, authenticates or updates its data, and shared by all of its
/// messages.
package struct Sender: Equatable, Sendable {
    /// The `client_id`; `nil` for the broker itself, for REST and for administrators.
    package let clientID: ClientID?
    /// The whole JSON object.
    package let json: ByteBuffer
    /// The same without `authData`; `nil` where there is none.
    package let jsonWithoutAuthData: ByteBuffer?

    package init(clientID: ClientID?, json: ByteBuffer, jsonWithoutAuthData: ByteBuffer? = nil) {
        self.clientID = clientID
        self.json = json
        self.jsonWithoutAuthData = jsonWithoutAuthData
    }

    /// - Parameters:
    ///   - clientData: one JSON value, as the client sent it.
    ///   - authData: one JSON value, the `data` of the client's token.
    package static func member(_ id: ClientID, clientData: ByteBuffer?, authData: ByteBuffer? = nil) -> Sender {
        var json = ByteBuffer()
        json.reserveCapacity(48 + (clientData?.readableBytes ?? 0) + (authData?.readableBytes ?? 0))
        json.writeString("{\"id\":\"\(id.text)\"")
        if let clientData {
            json.writeString(",\"clientData\":")
            json.writeImmutableBuffer(clientData)
        }
        guard let authData else {
            json.writeString("}")
            return Sender(clientID: id, json: json)
        }
        var bare = json
        bare.writeString("}")
        json.writeString(",\"authData\":")
        json.writeImmutableBuffer(authData)
        json.writeString("}")
        return Sender(clientID: id, json: json, jsonWithoutAuthData: bare)
    }

    /// The same member, with its `authData` kept from sight.
    package var withoutAuthData: Sender {
        guard let jsonWithoutAuthData else { return self }
        return Sender(clientID: self.clientID, json: jsonWithoutAuthData)
    }

    /// The sender of the broker's own frames.
    package static let broker = Sender(clientID: nil, json: ByteBuffer(string: #"{"id":"roomline","kind":"broker"}"#))

    /// A publish by REST.
    package static let rest = Sender(clientID: nil, json: ByteBuffer(string: #"{"id":"rest","kind":"rest"}"#))
}

/// The `client_id` of a member. Ours have 15 characters of `0-9 A-Z a-z` (89 bits), so that Swift keeps them inline.
package struct ClientID: Hashable, Sendable, CustomStringConvertible {
    package static let length = 15

    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// Makes an id from 128 random bits.
    package init(high: UInt64, low: UInt64) {
        let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
        var (high, low) = (high, low)
        self.text = String(unsafeUninitializedCapacity: Self.length) { bytes in
            for index in 0..<Self.length {
                if index < 8 {
                    bytes[index] = alphabet[Int(high % 62)]
                    high /= 62
                } else {
                    bytes[index] = alphabet[Int(low % 62)]
                    low /= 62
                }
            }
            return Self.length
        }
    }

    package var description: String { self.text }
}
