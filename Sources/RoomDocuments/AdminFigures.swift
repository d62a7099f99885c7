package import RoomWire

/// A sample of the work of the broker in the last hour: `Figures` in `Schemas/admin.openapi.yaml`.
public struct AdminFigures: Equatable, Sendable {
    /// The time of the sample.
    public package(set) var time = AdminTime(rawValue: "")
    /// How many clients were connected.
    public package(set) var connections = 0
    /// The connections by wire format.
    public package(set) var wireFormats: [String: Int] = [:]
    /// How many rooms had members.
    public package(set) var rooms = 0
    /// A client counts in each room that it is in.
    public package(set) var members = 0
    // The following are `nil` where they were not known at that moment.
    /// The memory of the broker.
    public package(set) var residentBytes: UInt64?
    /// Messages a second since the sample before.
    public package(set) var publishes: Double?
    /// Deliveries a second since the sample before.
    public package(set) var deliveries: Double?
    /// The median of the commit times since the sample before, in seconds.
    public package(set) var commitMedian: Double?
    /// The 99th percentile of the commit times.
    public package(set) var commit99th: Double?
    /// How late event loops got to new work since the sample before, in seconds: the 99th percentile.
    public package(set) var loop99th: Double?
    /// The longest such time of the last ten seconds.
    public package(set) var loopLongest: Double?
}

extension AdminFigures: AdminDocument {
    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("time", &self.time)
        try visitor.field("connections", &self.connections)
        try visitor.field("wire_formats", &self.wireFormats)
        try visitor.field("rooms", &self.rooms)
        try visitor.field("members", &self.members)
        try visitor.field("resident_bytes", &self.residentBytes)
        try visitor.field("publishes", &self.publishes)
        try visitor.field("deliveries", &self.deliveries)
        try visitor.field("commit_median", &self.commitMedian)
        try visitor.field("commit_99th", &self.commit99th)
        try visitor.field("loop_99th", &self.loop99th)
        try visitor.field("loop_longest", &self.loopLongest)
    }
}

/// The samples of the last hour: `FigureList` in `Schemas/admin.openapi.yaml`.
public struct AdminFigureList: Equatable, Sendable {
    /// A sample for every five seconds, the oldest first.
    public package(set) var samples: [AdminFigures] = []
}

extension AdminFigureList: AdminDocument {
    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("samples", &self.samples)
    }
}
