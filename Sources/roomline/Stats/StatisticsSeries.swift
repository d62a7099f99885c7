/// How one figure went: its values and when each of them came, the newest last.
struct StatisticsSeries: Equatable, Sendable {
    /// The time that graphs show, and how many points all figures together have in it.
    struct Frame: Equatable, Sendable {
        let start: Duration
        let end: Duration
        let points: Int

        var span: Duration { self.end - self.start }
    }

    /// A graph begins so long ago at most.
    static let span = Duration.seconds(3_600)
    /// With more of them, the oldest go.
    private static let mostPoints = 4_000

    private(set) var values: [Double] = []
    private(set) var times: [Duration] = []

    mutating func append(_ value: Double, at time: Duration) {
        self.values.append(value)
        self.times.append(time)
        let old = self.times.prefix { time - $0 > Self.span }.count
        let surplus = max(old, self.times.count - Self.mostPoints)
        self.values.removeFirst(surplus)
        self.times.removeFirst(surplus)
    }

    /// The values as a graph of so many columns has them: as they are where there are columns enough, else the highest of each
    /// column's time, so that no peak is lost.
    ///
    /// - Returns: behind how many empty columns they begin.
    func graph(columns: Int, of frame: Frame?) -> (values: [Double], skipped: Int) {
        guard let frame, columns > 0 else { return (self.values, 0) }
        guard frame.points > columns, frame.span > .zero else {
            return (self.values, max(min(frame.points, columns) - self.values.count, 0))
        }
        var highest = [Double?](repeating: nil, count: columns)
        for (time, value) in zip(self.times, self.values) {
            let column = Int((time - frame.start) / frame.span * Double(columns))
            let place = min(max(column, 0), columns - 1)
            highest[place] = max(highest[place] ?? value, value)
        }
        let skipped = highest.prefix { $0 == nil }.count
        var last = 0.0
        // A column in which nothing came is as the one before.
        let shown = highest.dropFirst(skipped).map { value in
            last = value ?? last
            return last
        }
        return (shown, skipped)
    }
}
