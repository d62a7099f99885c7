/// The rule for the names of rooms (protocol §3): not empty, no control characters, not over the limit.
package enum RoomNameRule {
    /// The error in the name; `nil` if a room can have it.
    package static func fault(in name: String, limit: Int) -> RequestError? {
        var name = name
        return name.withUTF8 { bytes in
            if bytes.isEmpty { return RequestError(.roomNameInvalid, "a room name cannot be empty") }
            if bytes.count > limit {
                return RequestError(
                    .roomNameInvalid,
                    "a room name can have at most \(limit) bytes of UTF-8, not \(bytes.count)"
                )
            }
            return Self.hasControlCharacter(bytes)
                ? RequestError(.roomNameInvalid, "a room name cannot have control characters") : nil
        }
    }

    /// C0, DEL, and C1, which UTF-8 writes as C2 80 to C2 9F.
    private static func hasControlCharacter(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var lead: UInt8 = 0
        for byte in bytes where byte &- 0x20 > 0x7e &- 0x20 {
            if byte < 0x80 || lead == 0xc2 && byte < 0xa0 { return true }
            lead = byte
        }
        return false
    }
}
