import NIOCore
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

    @Test func `rooms`() throws {
        let summaries: [AdminRoomSummary] = try Golden.documents(
            #"[{"name":"lobby","members":12},{"name":"r\u00f6\u202eom","members":7}]"#
        )
        try Golden.expect(RoomTables.list(summaries).lines(.plain), "room-list")
        let room: AdminRoom = try Golden.document(
            #"{"channel":"shop","name":"lobby","members":12,"subscribers":10,"epoch":"5f3c9a1e7b240d86","seq":41,"#
                + #""history":null,"observable":true,"window":{"bytes":4096,"chunks":2}}"#
        )
        try Golden.expect(RoomTables.sheet(room).lines(.plain), "room-show")
    }

    @Test func `members`() throws {
        let members: [AdminMember] = try Golden.documents(
            #"[{"id":"Kf3Qz81LmXw0TbR","client_data":{"name":"Luke","color":"teal"},"auth_data":{"user":7},"#
                + #""connection":{"address":"127.0.0.1","carrier":"json","connected_at":"2026-11-21T15:12:07.120Z","#
                + #""lag":3,"queued_bytes":120}},{"id":"away","client_data":[1],"connection":null},"#
                + #"{"id":"nameless","connection":{"address":null,"carrier":"text","#
                + #""connected_at":"2026-11-21T15:12:08.000Z","lag":0,"queued_bytes":0}}]"#
        )
        try Golden.expect(MemberTables.list(members, in: Golden.utc).lines(.plain), "member-list")
        try Golden.expect(MemberTables.list(members, in: Golden.utc).lines(.trueColor), "member-list-colours")
        let sheets = members.map { MemberTables.sheet($0, in: Golden.utc).lines(.plain) }
        try Golden.expect(Array(sheets.joined(separator: [""])), "member-show")
    }

    @Test func `messages`() throws {
        let messages: [AdminMessage] = try Golden.documents(
            #"[{"type":"publish","room":"r","id":"i","timestamp":1795273927,"seq":41,"message":"hi\nthere","#
                + #""sender":{"id":"a","clientData":{"name":"Luke"}}},{"type":"publish","room":"r","id":"i","#
                + #""timestamp":1795273928,"seq":42,"message":{"n":1.0,"a":[ 2 ]},"sender":{"id":"rest","kind":"service"}}]"#
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
        try Golden.expect(TraceSheet.sheet(trace, in: Golden.utc).lines(.plain), "trace")
    }

    @Test func `statistics`() throws {
        let statistics: AdminStatistics = try Golden.document(
            #"{"time":"2026-11-21T15:12:07.120Z","connections":12,"rooms":3,"publishes":100,"deliveries":900,"#
                + #""channels":[{"id":"default","connections":10,"rooms":2},{"id":"shop","connections":2,"rooms":1}]}"#
        )
        let sheet = StatisticsTables.sheet(statistics, in: Golden.utc).lines(.plain)
        try Golden.expect(sheet + [""] + StatisticsTables.channels(statistics).lines(.plain), "stats")
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
