package import NIOCore

/// Turns one line from a broker into what it tells its client: the counterpart of ``FrameDecoder``.
///
/// The line is read once. JSON values stay slices of it, byte for byte. JSON is taken strictly, but fields that we do not
/// know are ignored and types that we do not know come out as such, so that brokers can be newer than clients.
package struct BrokerFrameDecoder: Sendable {
    /// How deep arrays and objects may stand in each other: more than any broker lets through.
    package let nestingLimit: Int

    package init(nestingLimit: Int = 512) {
        self.nestingLimit = nestingLimit
    }

    package func decode(_ line: ByteBuffer) throws(BrokerFrameError) -> BrokerFrame {
        try BrokerFrameReader.read(line, nestingLimit: self.nestingLimit) { reader throws(BrokerFrameError) in
            try reader.frame()
        }
    }
}
