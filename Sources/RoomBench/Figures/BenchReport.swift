package import Foundation

/// The report that `roomline bench --json` writes: all that a later run compares itself with.
package struct BenchReport: Codable, Equatable, Sendable {
    /// The version of the report's format; a reader refuses others.
    package static let format = 1

    package var format = Self.format
    /// When the run began, in ISO 8601.
    package var date: String
    /// The generator's version.
    package var version: String
    /// `nil` where it is not known.
    package var brokerVersion: String?
    package var server: String
    package var transport: Transport
    package var channel: String
    package var workloads: [WorkloadResult]

    private enum CodingKeys: String, CodingKey {
        case format, date, version, server, transport, channel, workloads
        case brokerVersion = "broker_version"
    }

    package init(
        date: String,
        version: String,
        brokerVersion: String?,
        server: String,
        transport: Transport,
        channel: String,
        workloads: [WorkloadResult]
    ) {
        self.date = date
        self.version = version
        self.brokerVersion = brokerVersion
        self.server = server
        self.transport = transport
        self.channel = channel
        self.workloads = workloads
    }

    /// As one line of JSON.
    package func encoded() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    /// Why a file is not one that can be compared with.
    package enum ReadingFault: Error, Equatable {
        case noReport
        case otherFormat(Int)
    }

    package static func decode(_ json: Data) throws(ReadingFault) -> BenchReport {
        let decoder = JSONDecoder()
        guard let head = try? decoder.decode(Head.self, from: json) else { throw .noReport }
        guard head.format == Self.format else { throw .otherFormat(head.format) }
        guard let report = try? decoder.decode(BenchReport.self, from: json),
            report.workloads.allSatisfy({ !$0.rounds.isEmpty })
        else { throw .noReport }
        return report
    }

    private struct Head: Decodable {
        let format: Int
        /// The one field that no other JSON is likely to have.
        let workloads: [Empty]

        struct Empty: Decodable {}
    }
}
