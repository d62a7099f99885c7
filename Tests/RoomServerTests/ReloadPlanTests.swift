import RoomCore
import RoomModel
import Testing

@testable import RoomServer

@Suite struct ReloadPlanTests {
    private func configuration(_ flags: String...) throws -> ServerConfiguration {
        try ConfigurationLoader.load(flags: flags, environment: ["HOME": "/home/luke"], file: nil).configuration
    }

    @Test func `the log level and the channels change at once, the rest waits`() throws {
        let running = try self.configuration("--max-line", "128KiB")
        let new = try self.configuration("--log-level", "debug", "--channel", "talk", "--max-line", "256KiB")
        let plan = ReloadPlan(from: running, to: new)
        #expect(ReloadPlan.differences(running, plan.configuration) == ["channel", "log-level"])
        #expect(plan.waiting == ["max-line"])
        #expect(plan.configuration.limits.frame.line == 128 * 1024)
        #expect(plan.configuration.channels == new.channels)
    }

    @Test func `the same configuration changes nothing`() throws {
        let running = try self.configuration("--log-level", "debug")
        let plan = ReloadPlan(from: running, to: running)
        #expect(plan.configuration == running)
        #expect(plan.waiting.isEmpty)
    }

    @Test func `a certificate can be in another file, but TLS is not turned on or off`() throws {
        let (one, other) = (try TemporaryFile("one"), try TemporaryFile("other"))
        let plain = try self.configuration()
        let first = try self.configuration("--tls-certificate", one.path, "--tls-key", one.path)
        let second = try self.configuration("--tls-certificate", other.path, "--tls-key", one.path)
        #expect(ReloadPlan(from: first, to: second).configuration.listen.tlsCertificate == other.path)
        #expect(ReloadPlan(from: first, to: second).waiting.isEmpty)
        for (running, new) in [(plain, first), (first, plain)] {
            let plan = ReloadPlan(from: running, to: new)
            #expect(plan.configuration == running)
            #expect(plan.waiting == ["tls-certificate", "tls-key"])
        }
    }
}
