import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Floods a room over a plain socket, so that publishing costs little beside what is measured. Each burst is sent when the
/// one before is acknowledged.
struct BurstPublisher {
    static let room = "burst"
    static let rounds = 5
    static let messages = 200_000
    private static let burst = 500
    private let descriptor: Int32

    init(url: String) throws {
        self.descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(URLComponents(string: url)?.port ?? 10_000).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(self.descriptor, $0, size) }
        }
        guard result == 0 else { throw POSIXError(.ECONNREFUSED) }
    }

    func run() throws {
        self.send(#"{"type":"handshake","channel":"\#(ClientBenchmark.channel)","callback":0}"# + "\n")
        self.waitForLine()
        let text = String(repeating: "x", count: 128)
        let frame = #"{"type":"publish","room":"\#(Self.room)","message":"\#(text)"}"# + "\n"
        let last = #"{"type":"publish","room":"\#(Self.room)","message":"\#(text)","callback":1}"# + "\n"
        let burst = String(repeating: frame, count: Self.burst - 1) + last
        for _ in 0..<(Self.rounds * Self.messages / Self.burst) {
            self.send(burst)
            self.waitForLine()
        }
        close(self.descriptor)
    }

    private func send(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var sent = 0
            while sent < bytes.count {
                let count = write(self.descriptor, bytes.baseAddress.map { $0 + sent }, bytes.count - sent)
                if count <= 0 { return }
                sent += count
            }
        }
    }

    private func waitForLine() {
        var byte: UInt8 = 0
        while read(self.descriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") {}
    }
}
