import Foundation
import RoomClient
import Testing

@testable import Scaledrone

/// Which methods are called of classes that were written for one version or the other.
struct DelegateShapeTests {
    /// What was called, in order.
    class Log {
        var calls: [String] = []
    }

    final class Newer: Log, ScaledroneDelegate, ScaledroneAuthenticateDelegate, ScaledroneRoomDelegate {
        func scaledroneDidConnect(scaledrone: Scaledrone, error: (any Error)?) { self.calls.append("connect") }
        func scaledroneDidReceiveError(scaledrone: Scaledrone, error: (any Error)?) { self.calls.append("error") }
        func scaledroneDidDisconnect(scaledrone: Scaledrone, error: (any Error)?) { self.calls.append("disconnect") }
        func scaledroneDidAuthenticate(scaledrone: Scaledrone, error: (any Error)?) {
            self.calls.append("authenticate")
        }
        func scaledroneRoomDidConnect(room: ScaledroneRoom, error: (any Error)?) { self.calls.append("room") }
        func scaledroneRoomDidReceiveMessage(room: ScaledroneRoom, message: ScaledroneMessage) {
            self.calls.append("message \(message.data)")
        }
    }

    final class Version03: Log, ScaledroneDelegate, ScaledroneAuthenticateDelegate, ScaledroneRoomDelegate {
        func scaledroneDidConnect(scaledrone: Scaledrone, error: NSError?) { self.calls.append("connect") }
        func scaledroneDidReceiveError(scaledrone: Scaledrone, error: NSError?) {
            self.calls.append("error \(error?.userInfo["error"] ?? "none")")
        }
        func scaledroneDidDisconnect(scaledrone: Scaledrone, error: NSError?) { self.calls.append("disconnect") }
        func scaledroneDidAuthenticate(scaledrone: Scaledrone, error: NSError?) { self.calls.append("authenticate") }
        func scaledroneRoomDidConnect(room: ScaledroneRoom, error: NSError?) { self.calls.append("room") }
        func scaledroneRoomDidReceiveMessage(room: ScaledroneRoom, message: Any, member: ScaledroneMember?) {
            self.calls.append("message \(message) of \(member?.id ?? "nobody")")
        }
    }

    /// As 0.5.0 had it, between the two.
    final class Version05: Log, ScaledroneDelegate, ScaledroneRoomDelegate {
        func scaledroneDidConnect(scaledrone: Scaledrone, error: (any Error)?) { self.calls.append("connect") }
        func scaledroneRoomDidConnect(room: ScaledroneRoom, error: (any Error)?) { self.calls.append("room") }
        func scaledroneRoomDidReceiveMessage(room: ScaledroneRoom, message: Any, member: ScaledroneMember?) {
            self.calls.append("message \(message)")
        }
    }

    final class Both: Log, ScaledroneDelegate, ScaledroneRoomDelegate {
        func scaledroneDidConnect(scaledrone: Scaledrone, error: (any Error)?) { self.calls.append("newer connect") }
        func scaledroneDidConnect(scaledrone: Scaledrone, error: NSError?) { self.calls.append("connect of 0.3") }
        func scaledroneRoomDidReceiveMessage(room: ScaledroneRoom, message: ScaledroneMessage) {
            self.calls.append("newer message")
        }
        func scaledroneRoomDidReceiveMessage(room: ScaledroneRoom, message: Any, member: ScaledroneMember?) {
            self.calls.append("message of 0.3")
        }
    }

    /// Calls them all, as the client does.
    @discardableResult
    private static func callAll(
        _ delegate: any ScaledroneDelegate & ScaledroneRoomDelegate,
        _ authenticateDelegate: (any ScaledroneAuthenticateDelegate)? = nil,
        on scaledrone: Scaledrone = Scaledrone(channelID: "default", data: nil)
    ) throws -> Scaledrone {
        let room = scaledrone.subscribe(roomName: "lobby")
        let error: (any Error)? = ClientError.notConnected.nsError
        delegate.scaledroneDidConnect(scaledrone: scaledrone, error: nil as (any Error)?)
        delegate.scaledroneDidReceiveError(scaledrone: scaledrone, error: error)
        authenticateDelegate?.scaledroneDidAuthenticate(scaledrone: scaledrone, error: error)
        delegate.scaledroneRoomDidConnect(room: room, error: error)
        let message = ScaledroneMessage(
            value: try FoundationValue(JSON("\"hello\"")),
            memberID: nil,
            time: nil,
            member: nil,
            messageID: nil
        )
        delegate.scaledroneRoomDidReceiveMessage(room: room, message: message)
        delegate.scaledroneDidDisconnect(scaledrone: scaledrone, error: error)
        return scaledrone
    }

    /// What an app may pass, typed as its own code has it.
    private static func callWithEachError(
        _ delegate: any ScaledroneDelegate & ScaledroneRoomDelegate,
        _ authenticateDelegate: (any ScaledroneAuthenticateDelegate)?
    ) {
        let scaledrone = Scaledrone(channelID: "default", data: nil)
        let room = scaledrone.subscribe(roomName: "lobby")
        let older: NSError? = ClientError.notConnected.nsError
        let newer: (any Error)? = older
        delegate.scaledroneDidConnect(scaledrone: scaledrone, error: nil)
        delegate.scaledroneDidConnect(scaledrone: scaledrone, error: older)
        delegate.scaledroneDidConnect(scaledrone: scaledrone, error: newer)
        delegate.scaledroneDidReceiveError(scaledrone: scaledrone, error: nil)
        delegate.scaledroneDidReceiveError(scaledrone: scaledrone, error: older)
        delegate.scaledroneDidReceiveError(scaledrone: scaledrone, error: newer)
        delegate.scaledroneDidDisconnect(scaledrone: scaledrone, error: nil)
        delegate.scaledroneDidDisconnect(scaledrone: scaledrone, error: older)
        delegate.scaledroneDidDisconnect(scaledrone: scaledrone, error: newer)
        authenticateDelegate?.scaledroneDidAuthenticate(scaledrone: scaledrone, error: nil)
        authenticateDelegate?.scaledroneDidAuthenticate(scaledrone: scaledrone, error: older)
        authenticateDelegate?.scaledroneDidAuthenticate(scaledrone: scaledrone, error: newer)
        delegate.scaledroneRoomDidConnect(room: room, error: nil)
        delegate.scaledroneRoomDidConnect(room: room, error: older)
        delegate.scaledroneRoomDidConnect(room: room, error: newer)
    }

    private static func thrice(_ calls: String...) -> [String] { calls.flatMap { [$0, $0, $0] } }

    @Test
    func `through the protocol's type the app's own method is called, whatever error is passed`() {
        let newer = Newer()
        Self.callWithEachError(newer, newer)
        #expect(newer.calls == Self.thrice("connect", "error", "disconnect", "authenticate", "room"))
        let former = Version03()
        Self.callWithEachError(former, former)
        let calls = former.calls.map { $0.hasPrefix("error") ? "error" : $0 }
        #expect(calls == Self.thrice("connect", "error", "disconnect", "authenticate", "room"))
        #expect(former.calls.count { $0 == "error none" } == 1)
        let both = Both()
        Self.callWithEachError(both, nil)
        #expect(both.calls == Self.thrice("newer connect"))
    }

    @Test
    func `on the class itself the app's own method is called, too`() {
        let scaledrone = Scaledrone(channelID: "default", data: nil)
        let (newer, former) = (Newer(), Version03())
        newer.scaledroneDidConnect(scaledrone: scaledrone, error: nil)
        former.scaledroneDidConnect(scaledrone: scaledrone, error: nil)
        #expect(newer.calls == ["connect"])
        #expect(former.calls == ["connect"])
    }

    @Test
    func `a class with the newer methods is called once each`() throws {
        let delegate = Newer()
        try Self.callAll(delegate, delegate)
        #expect(delegate.calls == ["connect", "error", "authenticate", "room", "message hello", "disconnect"])
    }

    /// Two methods with a wrong signature, and others that are not there.
    final class Wrong: Log, ScaledroneDelegate, ScaledroneRoomDelegate {
        func scaledroneDidConnect(scaledrone: Scaledrone, error: String?) { self.calls.append("connect") }
        func scaledroneRoomDidConnect(_ room: ScaledroneRoom, error: (any Error)?) { self.calls.append("room") }
        func scaledroneDidDisconnect(scaledrone: Scaledrone, error: (any Error)?) {}
        func scaledroneRoomDidReceiveMessage(room: ScaledroneRoom, message: ScaledroneMessage) {}
    }

    @Test
    func `a method with a wrong signature is not called, and the client warns of it`() throws {
        let delegate = Wrong()
        let scaledrone = try Self.callAll(delegate)
        _ = try Self.callAll(delegate, on: scaledrone)
        #expect(delegate.calls.isEmpty)
        let methods = [
            "scaledroneDidConnect(scaledrone:error:)", "scaledroneDidReceiveError(scaledrone:error:)",
            "scaledroneRoomDidConnect(room:error:)",
        ]
        #expect(scaledrone.warnings.count == methods.count)
        for method in methods {
            #expect(scaledrone.warnings.contains { $0.hasPrefix("Wrong has no method \(method) ") }, "\(method)")
        }
        #expect(try Self.callAll(Newer()).warnings.isEmpty)
        #expect(try Self.callAll(Version03()).warnings.isEmpty)
    }

    @Test
    func `a class with the methods of version 0.3 is called once each`() throws {
        let delegate = Version03()
        try Self.callAll(delegate, delegate)
        let error = "error not connected: call connect() first"
        #expect(
            delegate.calls == ["connect", error, "authenticate", "room", "message hello of nobody", "disconnect"]
        )
    }

    @Test
    func `a class with some methods of each version is called once each`() throws {
        let delegate = Version05()
        try Self.callAll(delegate)
        #expect(delegate.calls == ["connect", "room", "message hello"])
    }

    @Test
    func `of a class with both the newer methods are called`() throws {
        let delegate = Both()
        try Self.callAll(delegate)
        #expect(delegate.calls == ["newer connect", "newer message"])
    }
}
