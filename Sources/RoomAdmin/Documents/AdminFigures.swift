/// What the broker did at one moment of the last hour: `Figures` in `Schemas/admin.openapi.yaml`.
public struct AdminFigures: Decodable, Equatable, Sendable {
    /// The time of the sample.
    public let time: AdminTime
    /// How many clients were connected.
    public let connections: Int
    /// The connections by wire format.
    public let wireFormats: [String: Int]
    /// How many rooms had members.
    public let rooms: Int
    /// A client counts in each room that it is in.
    public let members: Int
    // The following are `nil` where they were not known at that moment.
    /// The memory of the broker.
    public let residentBytes: UInt64?
    /// Messages a second since the sample before.
    public let publishes: Double?
    /// Deliveries a second since the sample before.
    public let deliveries: Double?
    /// The median of the commit times since the sample before, in seconds.
    public let commitMedian: Double?
    /// Their 99th percentile.
    public let commit99th: Double?
    /// How late event loops got to new work since the sample before, in seconds: the 99th percentile.
    public let loop99th: Double?
    /// The longest such time of the last ten seconds.
    public let loopLongest: Double?

    // The decoder makes `commit99Th` of `commit_99th`.
    private enum CodingKeys: String, CodingKey {
        case time, connections, wireFormats, rooms, members, residentBytes, publishes, deliveries, commitMedian
        case commit99th = "commit99Th"
        case loop99th = "loop99Th"
        case loopLongest
    }
}

/// The samples of the last hour: `FigureList` in `Schemas/admin.openapi.yaml`.
public struct AdminFigureList: AdminDocument, Decodable, Equatable, Sendable {
    /// A sample for every five seconds, the oldest first.
    public let samples: [AdminFigures]
}
