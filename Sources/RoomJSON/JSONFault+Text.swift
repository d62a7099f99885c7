package import RoomModel

/// The code and the text by which a peer or a person is told of a fault.
extension JSONFault {
    package var code: Code {
        switch self.kind {
        case .malformed: .malformedJSON
        case .invalidUTF8: .invalidUTF8
        case .nestingTooDeep: .nestingTooDeep
        }
    }

    package func text(in bytes: UnsafeRawBufferPointer, nestingLimit: Int) -> String {
        let place = self.offset < bytes.count ? "at byte \(self.offset + 1)" : "at the end, after \(bytes.count) bytes"
        return switch self.kind {
        case .malformed: "malformed JSON \(place): expected \(self.expected)"
        case .invalidUTF8: "invalid UTF-8 \(place)"
        case .nestingTooDeep: "more than \(nestingLimit) levels of nesting \(place)"
        }
    }
}
