import NIOCore

@testable import RoomModel
@testable import RoomServer

/// Addresses, networks and places to listen on are the same when they are read as they are written; addresses are what the
/// system takes them for.
enum AddressesFuzz: FuzzTarget {
    static let name = "addresses"

    static func check(_ bytes: UnsafeRawBufferPointer) throws {
        let text = bytes.text
        try self.checkAddress(text)
        if let range = AddressRange(text) {
            try demand(AddressRange("\(range)") == range, "the network \(range)")
            if let first = IPAddress(String(text.prefix { $0 != "/" })) {
                try demand(range.contains(first), "\(range) does not contain its first address")
            }
        }
        if let place = ListenAddress(text) {
            try demand(ListenAddress("\(place)") == place, "the place \(place)")
        }
        let peer = IPAddress(v4: 0x7f00_0001)
        let trusted = ["127.0.0.0/8", "::1"].compactMap { AddressRange($0) }
        let client = ForwardedFor.client([text], peer: peer, trusted: trusted)
        try demand(client != nil, "X-Forwarded-For made somebody nobody")
        for scale in [UnitScale.bytes, .milliseconds] {
            guard let value = scale.parse(text) else { continue }
            try demand(scale.parse(scale.format(value)) == value, "\(value) is written as \(scale.format(value))")
        }
        if let id = UniqueID(bytes) {
            try demand("\(id)".lowercased() == text.lowercased() && UniqueID("\(id)".utf8) == id, "the id \(id)")
        }
    }

    private static func checkAddress(_ text: String) throws {
        let address = IPAddress(text)
        if let address { try demand(IPAddress("\(address)") == address, "the address \(address)") }
        // The system knows the zones of this machine, and takes a text up to its first NUL.
        guard !text.utf8.contains(UInt8(ascii: "%")), !text.utf8.contains(0) else { return }
        let known = try? SocketAddress(ipAddress: text, port: 0)
        try demand(
            (known != nil) == (address != nil),
            "to the system \(text) is \(known == nil ? "none" : "an address")"
        )
    }
}
