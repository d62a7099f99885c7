/// Clients that come and go, so many at a time: connect, handshake, subscribe, disconnect.
final class ChurnTraffic: Traffic {
    private let clients: Int
    private let rooms: Int
    private let open: (_ room: Int) -> Void
    private var present = 0
    private var count = 0
    private var hasEnded = false

    /// - Parameter open: begins to open a connection to a room.
    init(clients: Int, rooms: Int, open: @escaping (_ room: Int) -> Void) {
        self.clients = clients
        self.rooms = rooms
        self.open = open
    }

    func begin(at time: Int64) {
        for _ in 0..<self.clients { self.openNext() }
    }

    private func openNext() {
        self.present += 1
        self.count += 1
        self.open(self.count % self.rooms)
    }

    func received(
        _ result: FrameScanner.Result,
        by connection: BenchConnection,
        at time: Int64,
        _ meter: RoundMeter
    ) -> BenchFailure? { nil }

    func opened(_ connection: BenchConnection, at time: Int64, _ meter: RoundMeter) {
        connection.close()
    }

    func closed(_ connection: BenchConnection, at time: Int64, _ meter: RoundMeter) {
        meter.record(time - connection.start)
        self.present -= 1
        if !self.hasEnded { self.openNext() }
    }

    func end() {
        self.hasEnded = true
    }

    var isDrained: Bool { self.present == 0 }
}
