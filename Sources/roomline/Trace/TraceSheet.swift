import Foundation

/// A trace as the admin API shows it: `Trace` in `Schemas/admin.openapi.yaml`.
struct AdminTrace: AdminDocument, Decodable, Equatable, Sendable {
    struct Laggard: Decodable, Equatable, Sendable {
        let id: String
        let lag: Int
    }

    let id: String
    let channel: String
    let room: String
    let time: String
    let epoch: String
    let seq: UInt64
    let stored: Bool
    let passed: Int
    let lagging: [Laggard]
}

/// A trace as people read it.
enum TraceSheet {
    static func sheet(_ trace: AdminTrace, in timeZone: TimeZone) -> FactSheet {
        var sheet = FactSheet()
        sheet.add("message", Cell(trace.id))
        sheet.add("channel", Cell(trace.channel))
        sheet.add("room", Cell(trace.room))
        sheet.add("published", Cell(ShownTime.moment(trace.time, in: timeZone)))
        sheet.add("seq", Cell("\(trace.seq) of epoch \(trace.epoch)"))
        sheet.add("stored", Cell(trace.stored ? "yes" : "no, only in memory"))
        sheet.add("sent to", Cell(trace.passed == 1 ? "1 member" : "\(trace.passed) members"))
        sheet.add("not yet to", trace.lagging.map { Cell("\($0.id), \($0.lag) behind") })
        return sheet
    }
}
