import Foundation
import Testing

@testable import RoomClient

struct ConfigurationTests {
    @Test func `a client is made without a connection`() async throws {
        let client = try RoomClient("tcp://127.0.0.1:1", channel: "test", member: MemberProfile(name: "Ann"))
        #expect(client.clientID == nil)
        #expect(await client.state() == "idle")
    }

    @Test func `a URL that is none is told when the client is made`() async {
        #expect(await failure { try RoomClient("http://localhost", channel: "test") }?.code == .invalidURL)
    }

    @Test func `member data that has no JSON is told when the client is made`() async {
        let error = await failure { try RoomClient("tcp://localhost", channel: "test", member: [Double.infinity]) }
        #expect(error?.code == .encodingFailed)
    }

    @Test func `certificates that are not there are told when the client is made`() async {
        var configuration = RoomClient.Configuration()
        configuration.trustedCertificates = "missing.pem"
        let error = await failure {
            try RoomClient("tls://localhost", channel: "test", configuration: configuration)
        }
        #expect(error?.code == .connectionFailed && error?.isRetryable == false)
        #expect(error?.message.contains("missing.pem") == true)
        #expect(
            await failure { try RoomClient("tcp://localhost", channel: "test", configuration: configuration) } == nil
        )
    }

    @Test func `a file without a certificate is told in words for people`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).pem")
        try Data("not a certificate".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var configuration = RoomClient.Configuration()
        configuration.trustedCertificates = file.path
        let error = await failure {
            try RoomClient("tls://localhost", channel: "test", configuration: configuration)
        }
        #expect(
            error?.message
                == "the trusted certificates from \(file.path) cannot be read: there is no certificate in PEM form"
        )
    }

    @Test(arguments: [(0, 1), (5, 5), (7_200, 3_600)])
    func `the heartbeat is kept within what a broker takes`(seconds: Int, kept: Int) {
        var configuration = RoomClient.Configuration()
        configuration.heartbeat = .seconds(seconds)
        #expect(configuration.heartbeat == .seconds(kept))
    }
}
