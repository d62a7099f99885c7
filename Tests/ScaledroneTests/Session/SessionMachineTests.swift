import RoomClient
import Testing

@testable import Scaledrone

/// Each state with each event.
struct SessionMachineTests {
    private typealias Machine = SessionMachine<String, String>

    /// Sessions are named for their number and what they begin with.
    private static func connect(_ machine: inout Machine) -> String? {
        var started: String?
        machine.connected { number, waiting in
            let session = "\(number):" + waiting.joined(separator: ",")
            started = session
            return session
        }
        return started
    }

    private static func ask(_ machine: inout Machine, _ request: String, canWait: Bool = true) -> String {
        switch machine.asked(request, canWait: canWait) {
        case .pass(let session): "pass to \(session)"
        case .wait: "wait"
        case .refuse(let clientError): "refuse: \(clientError.code)"
        }
    }

    private static var idle: Machine { Machine() }

    private static var running: Machine {
        var machine = Machine()
        _ = Self.connect(&machine)
        return machine
    }

    private static var failed: Machine {
        var machine = Self.running
        _ = machine.gaveUp(1, because: ClientError(code: .unknownChannel, text: "no such channel"))
        return machine
    }

    @Test
    func `idle: what can wait waits for the session`() {
        var machine = Self.idle
        let actions = [
            Self.ask(&machine, "a"), Self.ask(&machine, "b"), Self.ask(&machine, "c", canWait: false),
        ]
        #expect(actions == ["wait", "wait", "refuse: not_connected"])
        #expect(Self.connect(&machine) == "1:a,b")
        #expect(machine.current == "1:a,b")
    }

    @Test
    func `idle: there is nothing to disconnect, and what waited does so no more`() {
        var machine = Self.idle
        _ = Self.ask(&machine, "a")
        #expect(machine.disconnected() == nil)
        #expect(Self.connect(&machine) == "1:")
    }

    @Test
    func `idle: nothing gives up`() {
        var machine = Self.idle
        let isNews = machine.gaveUp(1, because: .notConnected)
        #expect(!isNews)
        #expect(!machine.isRunning(1))
        #expect(Self.ask(&machine, "a") == "wait")
    }

    @Test
    func `running: everything goes to the session`() {
        var machine = Self.running
        #expect(machine.isRunning(1))
        #expect(Self.ask(&machine, "a") == "pass to 1:")
        #expect(Self.ask(&machine, "b", canWait: false) == "pass to 1:")
    }

    @Test
    func `running: connecting once more does nothing`() {
        var machine = Self.running
        #expect(Self.connect(&machine) == nil)
        #expect(machine.current == "1:")
    }

    @Test
    func `running: disconnecting ends the session, and the next one knows of it`() {
        var machine = Self.running
        #expect(machine.disconnected() == "1:")
        #expect(machine.current == nil && !machine.isRunning(1))
        #expect(machine.latest == "1:")
        #expect(Self.connect(&machine) == "2:")
        #expect(machine.isRunning(2) && !machine.isRunning(1))
    }

    @Test
    func `running: the session gives up`() {
        var machine = Self.running
        let isNews = machine.gaveUp(1, because: .notConnected)
        #expect(isNews && !machine.isRunning(1))
    }

    @Test
    func `running: a session of before has nothing to give up`() {
        var machine = Self.running
        _ = machine.disconnected()
        _ = Self.connect(&machine)
        let isNews = machine.gaveUp(1, because: .notConnected)
        #expect(!isNews)
        #expect(machine.isRunning(2))
    }

    @Test
    func `failed: everything is refused with the reason`() {
        var machine = Self.failed
        #expect(machine.current == nil && !machine.isRunning(1))
        #expect(Self.ask(&machine, "a") == "refuse: unknown_channel")
        #expect(Self.ask(&machine, "b", canWait: false) == "refuse: unknown_channel")
    }

    @Test
    func `failed: connecting tries again, with nothing of before`() {
        var machine = Self.failed
        _ = Self.ask(&machine, "a")
        #expect(Self.connect(&machine) == "2:")
    }

    @Test
    func `failed: disconnecting makes it as new`() {
        var machine = Self.failed
        #expect(machine.disconnected() == nil)
        #expect(Self.ask(&machine, "a") == "wait")
    }

    @Test
    func `failed: giving up again changes nothing`() {
        var machine = Self.failed
        let isNews = machine.gaveUp(1, because: .notConnected)
        #expect(!isNews)
        #expect(Self.ask(&machine, "a") == "refuse: unknown_channel")
    }
}
