/// The name of a room: 1 to 200 bytes of UTF-8 without control characters, compared byte by byte.
///
/// Swift compares strings by canonical equivalence ("é" composed equals "é" decomposed); the protocol (§3, room names)
/// does not. The hash is explicit so that a room has the same owner loop in every run.
package struct RoomName: Hashable, Sendable, CustomStringConvertible {
    package let text: String
    /// FNV-1a over the bytes.
    package let stableHash: UInt64

    /// Takes any text; `RoomNameRule` in the decoder decides which names a client may use.
    package init(_ text: String) {
        self.text = text
        self.stableHash = StableHash.of(text)
    }

    /// Rooms whose name starts with this have presence (Scaledrone v3).
    package static let observablePrefix = "observable-"

    package var isObservable: Bool { self.text.utf8.starts(with: Self.observablePrefix.utf8) }

    package var description: String { self.text }

    package static func == (left: RoomName, right: RoomName) -> Bool {
        guard left.stableHash == right.stableHash else { return false }
        var (left, right) = (left.text, right.text)
        return left.withUTF8 { left in right.withUTF8 { right in left.elementsEqual(right) } }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(self.stableHash)
    }
}
