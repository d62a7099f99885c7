import NIOCore
import RoomJSON
import Testing

@testable import RoomCluster

struct StreamSettingsTests {
    private static let stream = ClusterName.standard.partition(7)

    private var settings: StreamSettings {
        var settings = StreamSettings()
        settings.origin = ClusterOrigin(id: "a1", hasData: false)
        return settings
    }

    private func configuration(
        replicas: Int = 3,
        subject: String = "rl.p.007",
        partitions: String = "16"
    ) throws -> JSONTree {
        let text = """
            {"name":"RL_P007","subjects":["\(subject)"],"retention":"limits","storage":"file","allow_direct":true,\
            "num_replicas":\(replicas),"metadata":{"roomline.partitions":"\(partitions)","roomline.origin":"a1","_nats.ver":"2.15.1"}}
            """
        return try JSONTree.read(ByteBuffer(string: text))
    }

    @Test
    func `streams and subjects are named after the cluster`() {
        #expect(Self.stream.stream == "RL_P007")
        #expect(Self.stream.subject == "rl.p.007")
        #expect(ClusterName("chat")?.control.stream == "CHAT_CONTROL")
        #expect(ClusterName("chat")?.redacted == StreamName(stream: "CHAT_REDACTED", subject: "chat.redacted.>"))
        #expect(StreamSettings(partitions: 4).streams.count == 6)
    }

    @Test
    func `a stream that is as it should be is taken`() throws {
        #expect(self.settings.objection(to: try self.configuration(), of: Self.stream) == nil)
    }

    @Test
    func `a stream that is otherwise is refused, with what would be right`() throws {
        for configuration in [
            try self.configuration(replicas: 1), try self.configuration(subject: "rl.p.008"),
            try self.configuration(partitions: "32"), .null,
        ] {
            let objection = self.settings.objection(to: configuration, of: Self.stream)
            #expect(objection?.code == .streamDiffers)
            #expect(objection?.text.contains("RL_P007") == true)
        }
    }

    @Test
    func `a node whose files are not the cluster's is refused, with what to do`() {
        let (empty, full) = (ClusterOrigin(id: "a1", hasData: false), ClusterOrigin(id: "a1", hasData: true))
        for (followed, found) in [
            (.none, nil), (.none, empty), (.begins(id: "a1"), nil), (.begins(id: "a1"), full),
            (.follows(id: "a1", place: 7), empty),
            (.follows(id: "a1", place: 7), full),
        ] as [(FollowedCluster, ClusterOrigin?)] {
            var settings = StreamSettings()
            settings.followed = followed
            #expect(settings.objection(toCluster: found) == nil)
        }
        for (followed, found, code, advice) in [
            (.none, full, .originDiffers, "restore the backup of another node"),
            (.begins(id: "b2"), empty, .originDiffers, "give it another name"),
            (.follows(id: "b2", place: 7), empty, .originDiffers, "cluster begin --lost-log"),
            (.follows(id: "b2", place: 7), nil, .streamsGone, "cluster begin --lost-log"),
        ] as [(FollowedCluster, ClusterOrigin?, ClusterFailure.Code, String)] {
            var settings = StreamSettings()
            settings.followed = followed
            let objection = settings.objection(toCluster: found)
            #expect(objection?.code == code)
            #expect(objection?.text.contains(advice) == true)
        }
    }

    @Test
    func `a control stream that ends before what the node has followed is refused`() {
        var settings = StreamSettings()
        settings.followed = .follows(id: "a1", place: 7)
        let origin = ClusterOrigin(id: "a1", hasData: false)
        #expect(settings.objection(toCluster: origin, endingAt: 7) == nil)
        #expect(settings.objection(toCluster: origin, endingAt: 6)?.code == .streamsGone)
    }

    @Test
    func `the origin is in the streams, and in the name of the logs`() {
        var settings = StreamSettings()
        settings.origin = ClusterOrigin(id: "a1", hasData: true)
        let made = settings.configuration(of: Self.stream)
        #expect(ClusterOrigin(metadata: made["metadata"]) == settings.origin)
        #expect(settings.objection(to: made, of: Self.stream) == nil)
        settings.origin?.id = "b2"
        #expect(settings.objection(to: made, of: Self.stream)?.code == .streamDiffers)
        let parts = StreamSettings.parts(ofLog: settings.logName)
        #expect(parts.name == "rl" && parts.id == "b2")
    }

    @Test(arguments: [("2.12.8", true), ("2.15.1", true), ("3.0.0-beta.1", true), ("2.12.7", false), ("2.9.10", false)])
    func `the floor is 2.12.8`(text: String, isEnough: Bool) throws {
        let version = try #require(ServerVersion(text))
        #expect((version >= .oldest) == isEnough)
    }

    @Test(arguments: ["", "2", "2.12", "2.12.x", "2..8", "v2.12.8"])
    func `what is not a version is none`(text: String) { #expect(ServerVersion(text) == nil) }

    @Test
    func `place and time are read from the subject for the answer`() throws {
        let place = try #require(DeliveryPlace("$JS.ACK.RL_P000.17-1.1.42.3.1764058314567455200.0"))
        #expect(place.place == 42 && place.number == 3 && place.nanoseconds == 1_764_058_314_567_455_200)
        #expect(DeliveryPlace("$JS.FC.RL_P000.17-1.abc") == nil)
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", Int64(0)), ("2000-02-29T12:00:00.5Z", 951_825_600_500_000_000),
        ("2026-11-25T08:11:57.594840252Z", 1_795_594_317_594_840_252),
    ])
    func `a direct answer's time is read`(text: String, nanoseconds: Int64) {
        #expect(StreamTime.nanoseconds(text) == nanoseconds)
    }

    @Test(arguments: ["", "Z", "2026-11-25", "2026-13-25T00:00:00Z", "2026-11-25T00:00Z", "2026-11-25T00:00:00"])
    func `what is not a time is none`(text: String) { #expect(StreamTime.nanoseconds(text) == nil) }
}
