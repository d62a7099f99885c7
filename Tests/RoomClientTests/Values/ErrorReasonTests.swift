import Foundation
import NIOCore
import NIOSSL
import Testing

@testable import RoomClient

/// The reasons that people read, instead of the dumps of the libraries below.
@Suite(.timeLimit(.minutes(5)))
struct ErrorReasonTests {
    @Test func `a port where nobody listens is told with the system's reason`() async throws {
        let error = await failure { try await RoomClient("tcp://127.0.0.1:1", channel: "test").connect() }
        #expect(error?.cause != nil)
        #expect(
            error.map { "\($0)" }
                == "connection_failed: cannot connect to 127.0.0.1 port 1 (Connection refused): is the broker running there?"
        )
    }

    @Test func `a name that cannot be resolved is told as such`() async throws {
        // A label of more than 63 bytes: the resolver refuses it without asking anybody.
        let name = String(repeating: "x", count: 64)
        let error = await failure { try await RoomClient("tcp://\(name)", channel: "test").connect() }
        let text = try #require(error.map { "\($0)" })
        #expect(text.hasPrefix("connection_failed: cannot connect to \(name) port 10000 ("))
        #expect(text.hasSuffix("): is the name right?"))
        #expect(text.count { $0 == "(" } == 1 && text.count { $0 == ")" } == 1)
    }

    @Test(
        arguments: [
            (IOError(errnoCode: ECONNRESET, reason: "read(descriptor:pointer:size:)"), "Connection reset by peer"),
            (ChannelError.connectTimeout(.seconds(10)), "no answer within 10.0 seconds"),
            (ChannelError.inputClosed, "the connection ended"),
            (NIOSSLError.uncleanShutdown, "the connection was cut"),
            (NIOSSLError.handshakeFailed(.syscallError), "TLS ended the connection"),
            (NIOSSLError.failedToLoadCertificate, "there is no certificate in PEM form"),
            (RoomClientError.left, "the room was left"),
            (CancellationError(), "the task was cancelled"),
            (ErrorOfAnApp.plain, "plain"),
            (ErrorWithWords(), "no such user"),
        ] as [(any Error, String)]
    )
    func `other errors are told in words`(error: any Error, text: String) {
        #expect(ErrorReason.text(error) == text)
    }

    @Test func `BoringSSL's reason is found in its dump`() {
        let dump = "sslError([Error: 268436526 error:1000042e:SSL routines:OPENSSL_internal:BAD_SIGNATURE at f.cc:1])"
        #expect(ErrorReason.words(in: dump) == "bad signature")
    }

    @Test func `what cannot be decoded says what and where`() throws {
        let move = try JSON(#"{"from":{"row":"one"}}"#)
        let error = #expect(throws: RoomClientError.self) { try move.decode(as: Move.self) }
        #expect(error?.message.contains("(at from.row)") ?? false)
        #expect(error?.message.contains("Context(") == false)
        let missing = #expect(throws: RoomClientError.self) { try JSON("{}").decode(as: Move.self) }
        #expect(missing?.message == #"the JSON value cannot be read as Move: the key "from" is missing"#)
    }

    private struct Move: Decodable {
        struct Square: Decodable { let row: Int }
        let from: Square
    }

    private enum ErrorOfAnApp: Error { case plain }

    private struct ErrorWithWords: LocalizedError {
        var errorDescription: String? { "no such user" }
    }
}
