package import NIOCore
import RoomModel

/// Tells a message's text from others without having it.
package struct TextMark: Hashable, Sendable {
    /// `StableHash` of the text's bytes.
    package var hash: UInt64
    /// How many bytes it has.
    package var count: Int

    package init(hash: UInt64, count: Int) {
        self.hash = hash
        self.count = count
    }

    /// - Parameter text: the message as JSON, byte for byte as it was published.
    package init(of text: ByteBuffer) {
        self.init(hash: StableHash.of(text), count: text.readableBytes)
    }
}
