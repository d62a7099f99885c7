/// The broker's state and activity at one moment of the past.
package struct FigureSample: Equatable, Sendable {
    /// Unix milliseconds.
    package var time: Int64
    package var connections: Int
    /// Open connections by the name of their wire format.
    package var wireFormats: [String: Int]
    package var rooms: Int
    package var members: Int
    /// Messages a second since the sample before; `nil` in the first one.
    package var publishes: Double?
    /// Copies of them a second.
    package var deliveries: Double?
    /// `nil` where the system does not say it.
    package var residentBytes: Int?
    /// Seconds; `nil` where nothing was committed since the sample before.
    package var commitMedian: Double?
    package var commit99th: Double?
    /// How long event loops took to get to new work since the sample before, in seconds.
    package var loop99th: Double?
    package var loopLongest: Double?
}
