import Logging
import RoomCore
import RoomDelivery
import RoomModel

extension Logger {
    func warn(of report: BusyReports.Report) {
        let (flow, percent) = (report.connection.flow, report.connection.percent)
        var metadata: Metadata = [
            "peer.address": "\(flow.address.map { "\($0)" } ?? "unknown")", "loop.percent": "\(percent)",
            "unreported": "\(report.unreported)",
        ]
        if let connection = flow.connection { metadata["connection"] = "\(connection.shard)-\(connection.number)" }
        if let member = flow.member {
            metadata["channel"] = "\(member.channel.text)"
            metadata["client.id"] = "\(member.id.text)"
        }
        self.warning("a connection uses most of an event loop, others are served before it", metadata: metadata)
    }
}
