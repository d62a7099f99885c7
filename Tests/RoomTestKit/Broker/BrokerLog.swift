import Foundation
import NIOConcurrencyHelpers
import NIOCore

/// The stderr of a broker's process, line by line as it comes.
final class BrokerLog: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// The parts of a log that are looked at from elsewhere.
    struct Record: Sendable {
        /// The newest lines, for a failure's text.
        var tail: [String] = []
        /// Lines of level error and above: no test asks for any.
        var alarms: [String] = []
    }

    static let keptLines = 40

    private let record: NIOLockedValueBox<Record>
    private let listening: EventLoopPromise<BrokerPorts>
    private var unfinished = ByteBuffer()

    /// - Parameter listening: gets the ports that the broker listens on; fails when the log ends without them.
    init(record: NIOLockedValueBox<Record>, listening: EventLoopPromise<BrokerPorts>) {
        self.record = record
        self.listening = listening
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.unfinished.writeImmutableBuffer(self.unwrapInboundIn(data))
        while let end = self.unfinished.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) {
            let line = self.unfinished.readString(length: end - self.unfinished.readerIndex) ?? ""
            self.unfinished.moveReaderIndex(forwardBy: 1)
            self.read(line)
        }
        self.unfinished.discardReadBytes()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.listening.fail(
            BrokerFailure(reason: "the broker does not listen", log: self.record.withLockedValue(\.tail))
        )
    }

    private func read(_ line: String) {
        let entry = BrokerLogLine(line)
        self.record.withLockedValue { record in
            if record.tail.count >= Self.keptLines { record.tail.removeFirst() }
            record.tail.append(line)
            if entry?.isAlarm ?? false { record.alarms.append(line) }
        }
        if let ports = entry?.ports { self.listening.succeed(ports) }
    }
}

/// A line of the broker's log in JSON.
private struct BrokerLogLine: Decodable {
    let level: String
    let message: String
    let metadata: [String: String]?

    init?(_ line: String) {
        guard let decoded = try? JSONDecoder().decode(Self.self, from: Data(line.utf8)) else { return nil }
        self = decoded
    }

    var isAlarm: Bool { ["error", "critical"].contains(self.level) }

    /// The ports, in the line that says that the broker is listening.
    var ports: BrokerPorts? {
        guard self.message == "listening", let tcp = self.port("tcp.address") else { return nil }
        return BrokerPorts(tcp: tcp, http: self.port("http.address"))
    }

    private func port(_ name: String) -> Int? {
        self.metadata?[name]?.split(separator: ":").last.flatMap { Int($0) }
    }
}
