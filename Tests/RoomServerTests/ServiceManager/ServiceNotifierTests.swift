import Testing

@testable import RoomServer

@Suite struct ServiceNotifierTests {
    private func notifier(_ environment: [String: String]) -> ServiceNotifier? {
        ServiceNotifier(environment: environment, process: 7)
    }

    @Test func `without a socket nobody is told`() {
        #expect(self.notifier([:]) == nil)
        // A path that is relative, of another kind of socket, empty, or too long for an address.
        for address in ["", "run/notify", "vsock:2:1234", "@", "/" + String(repeating: "x", count: 108)] {
            #expect(self.notifier(["NOTIFY_SOCKET": address]) == nil)
        }
        #expect(self.notifier(["NOTIFY_SOCKET": "/run/systemd/notify"]) != nil)
        #expect(self.notifier(["NOTIFY_SOCKET": "@roomline"]) != nil)
    }

    private static let watchdogs: [(environment: [String: String], time: Duration?)] = [
        (["WATCHDOG_USEC": "30000000"], Duration.seconds(30)),
        (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"], .seconds(30)),
        (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "8"], nil),
        (["WATCHDOG_USEC": "0"], nil),
        (["WATCHDOG_USEC": "soon"], nil),
        ([:], nil),
    ]

    @Test func `the watchdog's time is for this process`() {
        for (environment, time) in Self.watchdogs {
            let all = environment.merging(["NOTIFY_SOCKET": "/run/systemd/notify"]) { $1 }
            #expect(self.notifier(all)?.watchdogTime == time, "\(environment)")
        }
    }

    @Test func `a change is told in the words of sd_notify`() {
        #expect(
            ServiceNotifier.Change.starting(microseconds: 5, status: "50 %").text
                == "EXTEND_TIMEOUT_USEC=5\nSTATUS=50 %"
        )
        #expect(ServiceNotifier.Change.ready.text == "READY=1")
        #expect(ServiceNotifier.Change.reloading(microseconds: 5).text == "RELOADING=1\nMONOTONIC_USEC=5")
        #expect(ServiceNotifier.Change.stopping.text == "STOPPING=1")
        #expect(ServiceNotifier.Change.alive.text == "WATCHDOG=1")
    }

    @Test func `a socket that is not there is an error`() throws {
        let notifier = try #require(self.notifier(["NOTIFY_SOCKET": "/nowhere/notify"]))
        #expect(throws: NotifyError(number: 2)) { try notifier.tell(.ready) }
    }
}
