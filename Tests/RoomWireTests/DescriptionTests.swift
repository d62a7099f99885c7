import RoomJSON
import RoomModel
import Testing

@testable import RoomWire

/// Every frame is described as its schema in `Schemas/wire` has it, and every schema has its description.
@Suite struct DescriptionTests {
    private static let described: [String: [ListedField]] = [
        "client-handshake": FieldListing.fields(of: HandshakeRequest.self),
        "client-authenticate": FieldListing.fields(of: AuthenticateRequest.self),
        "client-update": FieldListing.fields(of: UpdateRequest.self),
        "client-subscribe": FieldListing.fields(of: SubscribeRequest.self),
        "client-unsubscribe": FieldListing.fields(of: RoomSelection.self),
        "client-members": FieldListing.fields(of: MembersRequest.self),
        "client-history": FieldListing.fields(of: HistoryRequest.self),
        "client-moderate": FieldListing.fields(of: ModerationRequest.self),
        "broker-observable-members": FieldListing.fields(of: ObservableMembers.self),
        "broker-observable-member-join": FieldListing.fields(of: PresenceEvent.self),
        "broker-observable-member-leave": FieldListing.fields(of: PresenceEvent.self),
        "broker-observable-member-update": FieldListing.fields(of: PresenceEvent.self),
        "broker-gap": FieldListing.fields(of: GapEvent.self),
        "broker-message-redacted": FieldListing.fields(of: RedactionEvent.self),
        "broker-room-cleared": FieldListing.fields(of: ClearingEvent.self),
        "broker-notice": FieldListing.fields(of: NoticeEvent.self),
        "broker-muted": FieldListing.fields(of: MuteEvent.self),
        "broker-unmuted": FieldListing.fields(of: MuteEvent.self).filter { $0.name == "room" },
        "broker-removed": FieldListing.fields(of: Removal.self),
        "broker-goodbye": FieldListing.fields(of: Goodbye.self),
        "broker-error": FieldListing.fields(of: ReplyError.self),
        "broker-handshake-reply": FieldListing.fields(of: HandshakeReply.self),
        "broker-subscribe-reply": FieldListing.fields(of: SubscribeReply.self),
        "broker-subscribe-rooms-reply": FieldListing.fields(of: RoomsReply.self),
        "broker-members-reply": FieldListing.fields(of: MembersReply.self),
        "broker-history-reply": FieldListing.fields(of: HistoryReply.self),
        "broker-redact-reply": FieldListing.fields(of: RedactReply.self),
        "broker-redact-all-reply": FieldListing.fields(of: RedactAllReply.self),
        "broker-moderation-reply": FieldListing.fields(of: ModerationStateReply.self),
    ]

    /// Frames that are written and read by hand, because they come so often or have no fields of their own, and answers that have some
    /// of the fields of another one. (That to a clearing has those of a subscribe, and no schema of its own.)
    private static let undescribed: Set = [
        "client-publish", "client-ping", "client-pong", "client-rooms", "broker-publish", "broker-history-message",
        "broker-publish-reply", "broker-done-reply", "broker-ping", "broker-pong", "broker-rooms-reply",
        "broker-unsubscribe-rooms-reply",
    ]

    /// Where a description is meant to differ: what the SDK does without, so that it can read what older brokers send, and what no
    /// broker writes.
    private static let exceptions: [String: Set<String>] = [
        "broker-observable-members": ["count is required"], "broker-members-reply": ["count is required"],
        "broker-removed": ["code is required"], "broker-error": ["code is required"],
        "broker-subscribe-reply": ["epoch is required", "seq is required"],
        "broker-subscribe-rooms-reply": ["rooms: only one of them has retry_after_ms"],
    ]

    private static let envelope: Set = ["type", "callback"]

    @Test(arguments: Self.described.keys.sorted())
    func `a description and its schema agree`(name: String) throws {
        let schema = try WireSchema(name)
        let fields = try #require(Self.described[name]).filter { $0.name != "id" && $0.name != "sender" }
        let differences = try schema.differences(from: fields, envelope: Self.envelope)
        #expect(Set(differences) == Self.exceptions[name] ?? [])
        // it would be noticed if one of the fields were forgotten
        for index in fields.indices {
            var rest = fields
            rest.remove(at: index)
            #expect(try schema.differences(from: rest, envelope: Self.envelope).count > differences.count)
        }
    }

    @Test func `each schema has a description`() throws {
        #expect(try Set(WireSchema.names()) == Self.undescribed.union(Self.described.keys))
    }

    @Test func `each type of frame has a schema`() throws {
        let names = try WireSchema.names()
        for type in FrameType.allCases { #expect(names.contains("client-\(type.name)"), "\(type)") }
        for type in BrokerFrameType.allCases {
            #expect(names.contains("broker-\(type.name)".replacing("_", with: "-")), "\(type)")
        }
    }
}
