import NIOCore
import NIOEmbedded
package import RoomDelivery
import RoomModel
import RoomTransport

/// A test's side of an event stream: it posts what it sends, and keeps what it receives beside the data of events.
package final class TestEventStream {
    /// As after the head of the HTTP response.
    package static let head = "HTTP/1.1 200 OK\r\n\r\n"
    static let refusal = "HTTP/1.1 400 Bad Request\r\n\r\n"

    private let broker: TestBroker
    private let inlet: any EventInlet
    private var received = ""
    /// The text in place of events: the head of the response.
    package private(set) var start: String?
    /// As a browser keeps it.
    package private(set) var lastEventID: String?
    /// Comments, the session's event, and blocks that have no data.
    package private(set) var others: [String] = []
    package private(set) var outcomes: [EventPost.Outcome] = []
    /// The bodies of the posts that were refused since too many others waited.
    private var refused: [String] = []

    init(_ broker: TestBroker, _ inlet: any EventInlet) {
        self.broker = broker
        self.inlet = inlet
    }

    /// Posts a body; the broker has not handled it on return.
    package func post(_ body: String, _ form: EventPost.Form = .frame) {
        self.broker.eventLoop.assumeIsolated().execute { [self] in
            // one that is never answered stays with the inlet
            let post = EventPost(body: ByteBuffer(string: body), form: form) { [weak self] outcome in
                self?.outcomes.append(outcome)
                if outcome == .tooMany { self?.refused.append(body) }
            }
            self.inlet.take(post)
        }
    }

    /// Takes the bodies that the broker has not taken, because too many posts waited.
    package func takeRefused() -> [String] {
        defer { self.refused = [] }
        return self.refused
    }

    /// The data of the events that are whole.
    func messages(in bytes: ByteBuffer) -> [String] {
        self.received += String(buffer: bytes)
        if self.start == nil, let end = self.received.firstRange(of: "\r\n\r\n") {
            self.start = String(self.received[..<end.upperBound])
            self.received.removeSubrange(..<end.upperBound)
        }
        var messages: [String] = []
        var blocks = self.received.split(separator: "\n\n", omittingEmptySubsequences: false)
        self.received = String(blocks.removeLast())
        for block in blocks {
            let fields = block.split(separator: "\n").map { $0.split(separator: ": ", maxSplits: 1).map(String.init) }
            if let place = fields.last(where: { $0.first == "id" }) { self.lastEventID = place.last }
            let data = fields.filter { $0.first == "data" }
            if data.count == 1, !fields.contains(where: { $0.first == "event" }) {
                messages.append(data[0].last ?? "")
            } else {
                self.others.append(String(block))
            }
        }
        return messages
    }
}

extension TestBroker {
    /// A new event stream, whose request has come.
    ///
    /// - Parameters:
    ///   - room: the one that it is for; `nil`: the test posts what it wants.
    ///   - origin: of the web page that opens it.
    package func connectEvents(
        shard: Int = 0,
        from address: String = "127.0.0.1",
        direct: Bool = true,
        room: EventStreamRoom? = nil,
        origin: String? = nil,
        host: String? = nil
    ) -> TestConnection {
        let endpoint = Endpoint(loop: self.eventLoop)
        let socket = endpoint.socket
        let handler = EventStreamHandler(
            shard: self.shards[shard].onLoop,
            settings: self.settings,
            address: IPAddress(address),
            page: WebPage(origin: origin, host: host, isOnThisMachineOnly: true),
            answer: .init(room: room, head: { ByteBuffer(string: TestEventStream.head) }) { error in
                ByteBuffer(string: TestEventStream.refusal + error.code.rawValue)
            }
        ) { _ in direct ? socket : nil }
        endpoint.open(from: address, proxy: nil) { _ in handler }
        self.add(endpoint)
        return TestConnection(broker: self, endpoint: endpoint, events: TestEventStream(self, handler))
    }
}
