package import NIOCore
import RoomJSON

/// Takes out of the bytes of a plain-text client what its telnet says to another telnet (RFC 854), however the network split
/// it; a CR NUL, which is how telnet sends the Enter key, becomes a CR LF. Pure; holds none of the bytes.
package struct TelnetFilter: Equatable, Sendable {
    private enum State: Equatable {
        case text
        /// Behind the CR that ends a line, or belongs to one.
        case afterReturn
        /// Behind an IAC.
        case command
        /// Behind a WILL, WONT, DO or DONT: its option comes.
        case option
        /// In a subnegotiation, of which so many bytes are gone.
        case subnegotiation(UInt16)
        /// Behind an IAC within one.
        case subnegotiationCommand(UInt16)
    }

    private enum Byte {
        static let iac: UInt8 = 255
        static let negotiations: ClosedRange<UInt8> = 251...254
        static let begin: UInt8 = 250
        static let end: UInt8 = 240
        static let carriageReturn = UInt8(ascii: "\r")
        static let lineFeed = UInt8(ascii: "\n")
    }

    /// A subnegotiation that is longer is none: what follows is text again.
    static let longestSubnegotiation = 1_024

    private var state = State.text

    package init() {}

    /// The text in these bytes.
    package mutating func text(in bytes: ByteBuffer) -> ByteBuffer {
        if let last = self.lastOfPlainText(bytes) {
            self.state = last == Byte.carriageReturn ? .afterReturn : .text
            return bytes
        }
        var text = ByteBuffer()
        text.reserveCapacity(bytes.readableBytes)
        for byte in bytes.readableBytesView { self.take(byte, into: &text) }
        return text
    }

    /// The last byte of what needs no closer look; `nil`: it does.
    private func lastOfPlainText(_ bytes: ByteBuffer) -> UInt8? {
        guard self.state == .text || self.state == .afterReturn else { return nil }
        return bytes.withUnsafeReadableBytes { bytes in
            guard bytes.firstOffset(of: Byte.iac) == nil, bytes.firstOffset(of: 0) == nil else { return nil }
            return bytes.last
        }
    }

    private mutating func take(_ byte: UInt8, into text: inout ByteBuffer) {
        switch self.state {
        case .text, .afterReturn: self.takeText(byte, into: &text)
        case .command: self.takeCommand(byte, into: &text)
        case .option:
            self.state = .text
            // no option that anybody has had for decades: bytes that are no text end with their line
            if byte == Byte.lineFeed { text.writeMultipleIntegers(Byte.iac, byte) }
        case .subnegotiation(let count):
            if byte == Byte.iac {
                self.state = .subnegotiationCommand(count)
            } else {
                self.goOn(after: count)
            }
        case .subnegotiationCommand(let count):
            if byte == Byte.end {
                self.state = .text
            } else {
                self.goOn(after: count)
            }
        }
    }

    private mutating func goOn(after count: UInt16) {
        self.state = count < Self.longestSubnegotiation ? .subnegotiation(count + 1) : .text
    }

    private mutating func takeText(_ byte: UInt8, into text: inout ByteBuffer) {
        if byte == Byte.iac {
            self.state = .command
            return
        }
        text.writeInteger(byte == 0 && self.state == .afterReturn ? Byte.lineFeed : byte)
        self.state = byte == Byte.carriageReturn ? .afterReturn : .text
    }

    private mutating func takeCommand(_ byte: UInt8, into text: inout ByteBuffer) {
        switch byte {
        case Byte.negotiations: self.state = .option
        case Byte.begin: self.state = .subnegotiation(0)
        case Byte.iac:
            text.writeInteger(byte)
            self.state = .text
        case Byte.end...: self.state = .text
        default:
            // no command of telnet: bytes that are no text either
            text.writeMultipleIntegers(Byte.iac, byte)
            self.state = byte == Byte.carriageReturn ? .afterReturn : .text
        }
    }
}
