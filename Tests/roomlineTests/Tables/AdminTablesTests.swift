import NIOCore
import RoomAdmin
import Testing

@testable import roomline

/// Every table and sheet of the admin commands, from an answer of the API to what people read.
@Suite struct AdminTablesTests {
    private static let limits =
        #"{"connections":null,"rooms":3,"new_room_rate":null,"member_new_room_rate":null,"#
        + #""members_per_room":200,"message_bytes":null,"publish_rate":500,"member_publish_rate":null}"#
    private static let channel =
        #"{"id":"shop","name":"Support \u001b[31mchat","authentication":"required","token_expiry":"live","#
        + #""history":{"count":1000,"age_seconds":2592000},"history_rules":[{"pattern":"^a=b","history":null},"#
        + #"{"pattern":"log$","history":{"count":5,"age_seconds":60}}],"history_order":"oldest_first","#
        + #""durability":"power","presence":"all","members_listed":50,"auth_data_stamps":"never","#
        + #""allowed_origins":["https://a.example","https://b.example"],"limits":\#(limits),"grace_seconds":0.4,"#
        + #""version":7,"locked":["history"],"previous_secrets":[{"expires_at":"2026-11-22T15:12:07.000Z"}]}"#

    @Test func `channels`() throws {
        let channel: AdminChannel = try Golden.document(Self.channel)
        try Golden.expect(ChannelTables.list([channel]).lines(.plain), "channel-list")
        try Golden.expect(ChannelTables.sheet(channel, in: Golden.utc).lines(.plain), "channel-show")
    }

    @Test func `a setting that the broker does not have is not shown`() throws {
        let channel: AdminChannel = try Golden.document(Self.channel.replacing(#""presence":"all","#, with: ""))
        let sheet = ChannelTables.sheet(channel, in: Golden.utc).lines(.plain)
        #expect(sheet.contains { $0.hasPrefix("durability") })
        #expect(!sheet.contains { $0.hasPrefix("presence") })
    }

    @Test func `rooms`() throws {
        let summaries: [AdminRoomSummary] = try Golden.documents(
            #"[{"name":"lobby","members":12},{"name":"r\u00f6\u202eom","members":7,"rules":"#
                + #"{"locked":true,"slow_mode_seconds":90,"member_limit":50}}]"#
        )
        try Golden.expect(RoomTables.list(summaries).lines(.plain), "room-list")
        let room: AdminRoom = try Golden.document(
            #"{"channel":"shop","name":"lobby","members":12,"subscribers":10,"epoch":"5f3c9a1e7b240d86","seq":41,"#
                + #""history":null,"observable":true,"window":{"bytes":4096,"chunks":2}}"#
        )
        try Golden.expect(RoomTables.sheet(room).lines(.plain), "room-show")
        let rules: AdminRules = try Golden.document(
            #"{"locked":true,"lock_reason":"back\nat nine","slow_mode_seconds":10,"member_limit":50}"#
        )
        let none: AdminRules = try Golden.document(#"{"locked":false}"#)
        let sheets = [rules, none].map { RoomTables.rules($0, of: "lobby").lines(.plain) }
        try Golden.expect(Array(sheets.joined(separator: [""])), "room-rules")
    }

    @Test func `bans and mutes`() throws {
        let sanctions: [AdminSanction] = try Golden.documents(
            #"[{"kind":"ban","user":"luke","reason":"spam\u001b[31m","author":"uid:0","#
                + #""created":"2026-11-21T15:12:07.120Z","expires":"2026-11-21T17:12:07.120Z"},"#
                + #"{"kind":"ban","room":"lobby","client_id":"Kf3Qz81LmXw0TbR","author":"member:leia","#
                + #""created":"2026-11-21T15:13:00.000Z"},"#
                + #"{"kind":"mute","address":"192.0.2.0/24","author":"token:ops","created":"2026-11-21T15:14:00.000Z"}]"#
        )
        try Golden.expect(SanctionTables.list(sanctions, in: Golden.utc).lines(.plain), "member-bans")
        let sheets = sanctions.map { SanctionTables.sheet($0, in: Golden.utc).lines(.plain) }
        try Golden.expect(Array(sheets.joined(separator: [""])), "member-ban")
    }

    @Test func `admin tokens`() throws {
        let tokens: [AdminToken] = try Golden.documents(
            #"[{"name":"desk","scopes":["moderate"],"created_at":"2026-11-21T15:12:07.120Z","#
                + #""expires_at":"2027-02-19T15:12:07.120Z"},"#
                + #"{"name":"ops","scopes":["read","manage"],"created_at":"2026-11-21T15:13:00.000Z","expires_at":null}]"#
        )
        try Golden.expect(AdminTokenTables.list(tokens, in: Golden.utc).lines(.plain), "admin-token-list")
    }

    @Test func `members`() throws {
        let members: [AdminMember] = try Golden.documents(
            #"[{"id":"Kf3Qz81LmXw0TbR","client_data":{"name":"Luke","color":"teal"},"auth_data":{"user":7},"user":"7","muted":true,"#
                + #""connection":{"address":"127.0.0.1","wire_format":"json","connected_at":"2026-11-21T15:12:07.120Z","#
                + #""lag":3,"queued_bytes":120}},{"id":"away","client_data":[1],"connection":null},"#
                + #"{"id":"nameless","connection":{"address":null,"wire_format":"text","#
                + #""connected_at":"2026-11-21T15:12:08.000Z","lag":0,"queued_bytes":0}}]"#
        )
        try Golden.expect(MemberTables.list(members, in: Golden.utc).lines(.plain), "member-list")
        try Golden.expect(MemberTables.list(members, in: Golden.utc).lines(.trueColor), "member-list-colours")
        let sheets = members.map { MemberTables.sheet($0, in: Golden.utc).lines(.plain) }
        try Golden.expect(Array(sheets.joined(separator: [""])), "member-show")
        let place = members.map { PresentMembers.Presence(room: "lobby", member: $0, json: ByteBuffer()) }
        try Golden.expect(MemberTables.presences(place).lines(.plain), "member-ban-dry-run")
    }

    @Test func `messages`() throws {
        let messages: [AdminMessage] = try Golden.documents(
            #"[{"type":"publish","room":"r","id":"i","timestamp":1795273927,"seq":41,"message":"hi\nthere","#
                + #""sender":{"id":"a","clientData":{"name":"Luke"}}},{"type":"publish","room":"r","id":"i","#
                + #""timestamp":1795273928,"seq":42,"message":{"n":1.0,"a":[ 2 ]},"sender":{"id":"rest","kind":"service"}},"#
                + #"{"type":"publish","room":"r","id":"i","timestamp":1795273929,"seq":43,"message":null,"redacted":true,"#
                + #""sender":{"id":"a","clientData":{"name":"Luke"}}},{"type":"message_redacted","room":"r","id":"i","#
                + #""timestamp":1795273930,"seq":44,"target_seq":43,"target_id":"i","reason":"spam\u001b[2J","#
                + #""sender":{"id":"uid:0","kind":"admin"}},{"type":"message_redacted","room":"r","id":"i","#
                + #""timestamp":1795273931,"seq":45,"target_seq":12,"target_id":"i","sender":{"id":"b"}}]"#
        )
        let lines = messages.map { MessageLine.line($0, in: Golden.utc).rendered(.plain) }
        try Golden.expect(lines, "history-show")
    }

    @Test func `a trace`() throws {
        let trace: AdminTrace = try Golden.document(
            #"{"id":"019aa3c5-7b16-7016-8f21-6c0d5e4b3a16","channel":"shop","room":"lobby","#
                + #""time":"2026-11-21T15:12:07.120Z","epoch":"5f3c9a1e7b240d86","seq":41,"stored":false,"passed":2,"#
                + #""lagging":[{"id":"a","lag":3},{"id":"b","lag":1}]}"#
        )
        try Golden.expect(TraceTable.sheet(trace, in: Golden.utc).lines(.plain), "trace")
    }

    @Test func `statistics`() throws {
        let statistics: AdminStatistics = try Golden.document(
            #"{"time":"2026-11-21T15:12:07.120Z","connections":12,"rooms":3,"members":20,"slow":2,"#
                + #""slowest":[{"channel":"shop","room":"lobby","id":"Kf3Qz81LmXw0TbR","client_data":{"name":"Luke"},"lag":70},"#
                + #"{"channel":"default","room":"r","id":"Kf3Qz81LmXw0TbS","lag":3}],"publishes":100,"deliveries":900,"#
                + #""channels":[{"id":"default","connections":10,"rooms":2,"stored":{"rooms":9,"messages":70123,"bytes":34567890,"#
                + #""bytes_are_estimated":true}},{"id":"shop","connections":2,"rooms":1,"stored":null}],"#
                + #""stored":{"time":"2026-11-21T15:11:30.000Z","rooms":9,"messages":70123,"bytes":34567890,"#
                + #""bytes_are_estimated":true,"file_bytes":39000000}}"#
        )
        let sheet = StatisticsTables.sheet(statistics, in: Golden.utc).lines(.plain)
        try Golden.expect(sheet + [""] + StatisticsTables.channels(statistics).lines(.plain), "stats")
        try Golden.expect(StatisticsTables.slowest(statistics).lines(.plain), "stats-slowest")
    }

    @Test func `statistics with busy connections`() throws {
        let statistics: AdminStatistics = try Golden.document(
            #"{"time":"2026-11-21T15:12:07.120Z","connections":12,"rooms":3,"members":20,"slow":0,"slowest":[],"#
                + #""busy":2,"busiest":[{"channel":"shop","id":"Kf3Qz81LmXw0TbR","client_data":{"name":"Luke"},"#
                + #""address":"192.0.2.1","loop_percent":70},{"address":null,"loop_percent":3}],"#
                + #""busiest_addresses":[{"address":"192.0.2.1","connections":3,"loop_percent":75}],"#
                + #""busiest_rooms":[{"channel":"shop","room":"lobby","loop_percent":40}],"#
                + #""publishes":100,"deliveries":900,"channels":[]}"#
        )
        let addresses = StatisticsTables.busiest(try #require(statistics.busiestAddresses)).lines(.plain)
        let rooms = StatisticsTables.busiest(try #require(statistics.busiestRooms)).lines(.plain)
        #expect(addresses == ["LOOP %  CONNECTIONS  ADDRESS", "    75            3  192.0.2.1"])
        #expect(rooms == ["LOOP %  CHANNEL  ROOM", "    40  shop     lobby"])
        let sheet = StatisticsTables.sheet(statistics, in: Golden.utc).lines(.plain)
        let busiest = StatisticsTables.busiest(try #require(statistics.busiest)).lines(.plain)
        try Golden.expect(sheet + [""] + busiest, "stats-busiest")
    }

    @Test func `the audit log`() throws {
        let entries: [AdminAuditEntry] = try Golden.documents(
            #"[{"time":"2026-11-21T15:12:07.120Z","actor":"token:ops","origin":"127.0.0.1","action":"channel.create","#
                + #""target":"shop","details":{"name":"Shop"}},{"time":"2026-11-21T15:12:06.000Z","actor":"uid:0","#
                + #""origin":"unix","action":"channel.delete","target":"old","details":{}}]"#
        )
        try Golden.expect(AuditTable.table(entries, in: Golden.utc).lines(.plain), "audit")
    }
}
