/// The loads that the generator puts on the broker, in the order in which they are measured: `idle` is the first,
/// because it needs a broker whose memory nobody has used before.
package enum Workload: String, Codable, CaseIterable, Sendable, CustomStringConvertible {
    /// Many connections are opened, and then nothing is said.
    case idle
    /// Bursts into rooms with many members; the next burst when all have the last one.
    case fanout
    /// One message at a time in each of many rooms, so that nothing can be coalesced.
    case rooms
    /// Messages at a fixed rate, whatever the broker does.
    case latency
    /// Connect, handshake, subscribe, disconnect.
    case churn
    /// Bursts of acknowledged publishes; the next burst when all are acknowledged.
    case durable

    package var description: String { self.rawValue }

    /// The noun, in the plural, for the operations that are counted.
    package var operation: String {
        switch self {
        case .idle: "connections"
        case .fanout, .rooms, .latency: "deliveries"
        case .churn: "cycles"
        case .durable: "acknowledgements"
        }
    }

    /// Which settings it has; the others are `nil`.
    var standard: WorkloadSettings {
        switch self {
        case .idle: WorkloadSettings(members: 5_000, rooms: 50)
        case .fanout: WorkloadSettings(members: 200, rooms: 4, publishers: 4, size: 128, burst: 32)
        case .rooms: WorkloadSettings(members: 500, rooms: 50, publishers: 50, size: 128, burst: 1)
        case .latency: WorkloadSettings(members: 100, rooms: 1, publishers: 1, size: 128, rate: 200)
        case .churn: WorkloadSettings(members: 32, rooms: 50)
        case .durable: WorkloadSettings(rooms: 8, publishers: 8, size: 128, burst: 32)
        }
    }
}
