import RoomTestKit

/// A plain-text client of a simulated run: it sees the messages of the lobby in the order of its log, each once.
final class SimulatedTextClient {
    let name: String
    private let ledger: Ledger
    private(set) var connection: TestConnection?
    /// The messages that it has seen on this connection, in order.
    private var seen: [String] = []

    init(name: String, ledger: Ledger) {
        self.name = name
        self.ledger = ledger
    }

    func comeIn(_ broker: TestBroker, shard: Int) {
        if self.connection != nil { self.drop() }
        self.connection = broker.connect(shard: shard)
        self.connection?.sendBytes("iam:\(self.name)\n")
    }

    func say(_ text: String, echoes: Bool) {
        self.connection?.sendBytes(echoes ? "msg:\(text)\n" : "\(text)\n")
    }

    func drop() {
        self.read()
        self.connection?.drop()
        self.ended()
    }

    /// Its connection is gone, with what it has not read.
    func ended() {
        self.checkOrder()
        self.connection = nil
        self.seen = []
    }

    func read() {
        guard let connection else { return }
        for line in connection.receiveLines() { self.got(line) }
        self.ledger.check(!connection.socket.hasOvertaken, "\(self.name) got bytes in the wrong order")
        if connection.isClosed { self.ended() }
    }

    private func got(_ line: String) {
        self.ledger.counted()
        self.ledger.check(line.first != "{", "\(self.name) got JSON: \(line)")
        let parts = line.split(separator: ": ", maxSplits: 1)
        guard let text = parts.last.map(String.init), parts.count == 2, text.first == "m",
            text.dropFirst().first?.isNumber ?? false
        else { return }
        // a line does not say which log it is of
        let isRepeat = self.seen.contains(text) && !self.ledger.sentAgain.contains(text)
        self.ledger.check(!isRepeat, "\(self.name) got \(text) again")
        if let why = self.ledger.forbidden[text] { self.ledger.check(false, "\(self.name) saw \(text): \(why)") }
        self.seen.append(text)
    }

    /// Holds what it has seen against what the others know of the log. What was sent again may be in two logs, of which the others
    /// need not have seen both, and a line does not say which one it is of.
    func checkOrder() {
        var last: [Ledger.Log: (seq: Int, text: String)] = [:]
        for text in self.seen where !self.ledger.sentAgain.contains(text) {
            let places = self.ledger.places(of: text).filter { !Simulation.isImport($0.log.room) }
            guard places.count == 1, let (log, seq) = places.first else { continue }
            if let before = last[log] {
                self.ledger.check(
                    seq > before.seq,
                    "\(self.name) saw \(before.text) before \(text), which are \(before.seq) and \(seq) of \(log)"
                )
            }
            last[log] = (seq, text)
        }
    }
}
