package import NIOCore
package import RoomModel

/// Decodes one line from a broker: the counterpart of ``FrameDecoder``.
///
/// The line is read once. JSON values stay slices of it, byte for byte. JSON is taken strictly, but fields that we do not
/// know are ignored and types that we do not know come out as such, so that brokers can be newer than clients.
package struct BrokerFrameDecoder: Sendable {
    /// How deep arrays and objects may stand in each other: more than any broker lets through.
    private static let nestingLimit = 512

    package init() {}

    package func decode(_ line: ByteBuffer) throws(BrokerFrameError) -> BrokerFrame {
        try BrokerFrameReader.read(line, nestingLimit: Self.nestingLimit) { reader throws(BrokerFrameError) in
            try reader.frame()
        }
    }
}

/// An error in a line from the broker: it is not JSON, or a known field has a wrong value.
package struct BrokerFrameError: Error, Hashable, Sendable {
    /// As a broker would call the same fault in a client's frame.
    package let code: Code
    /// Names the field and the frame that it stands in.
    package let text: String

    init(_ code: Code, _ text: String) {
        self.code = code
        self.text = text
    }
}

extension BrokerFrameError {
    /// - Parameter subject: the frame.
    init(_ fault: FieldFault, in subject: StaticString) {
        let error = RequestError(fault)
        self.init(error.code, "\(subject): \(error.text)")
    }
}
