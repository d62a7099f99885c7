/// The jobs that wait for a transaction, and which of them are next: a transaction takes a bounded amount of each kind,
/// so that the flood of one is not what the others wait for.
struct WriteQueue {
    /// Jobs of a kind take turns by those who have caused them (`WriteTurns`). They wait for those of other kinds in no
    /// case: a log that was cleared or replaced meanwhile answers `.reset` by its name.
    enum Lane: Int, CaseIterable {
        /// An append to a log that is stored. A room has one at a time.
        case log
        /// The append that begins a log, which costs most.
        case newLog
        /// A clear or an import.
        case change
        /// Upkeep that nobody waits for.
        case upkeep
        /// The retention of a room that was opened, from now on: the next append stores it too.
        case note
        /// Waits for what is under way, and for the file to be open; writes nothing.
        case opening

        /// The most jobs that one transaction takes.
        fileprivate var mostAtOnce: Int {
            switch self {
            // Each costs a page of 4 KiB at least (decision 0003): as much as four times the bytes of messages.
            case .log: 1_024
            case .newLog, .note: 32
            case .change: 64
            case .upkeep: 1
            case .opening: .max
            }
        }

        /// More are refused to whoever has some waiting. The callers of the other kinds have few at a time.
        fileprivate var mostWaiting: Int {
            switch self {
            case .newLog, .note: 10_000
            case .log, .change, .upkeep, .opening: .max
            }
        }
    }

    /// The most bytes that one transaction takes, beside the first job of each kind.
    static let bytes = 1 << 20
    /// The most messages, beside those of the first job of each kind: 1 MiB of short ones are 10,000.
    static let entries = 2_048

    private var lanes = [OrderedWriteTurns](repeating: OrderedWriteTurns(), count: Lane.allCases.count)

    var isEmpty: Bool { self.lanes.allSatisfy(\.isEmpty) }

    /// A payer that has fewer waiting gets a place where all are taken: nobody can take them all.
    private static let fewWaiting = 16

    /// - Returns: false where too many of the kind wait already.
    mutating func append(_ job: WriteJob) -> Bool {
        let lane = job.lane.rawValue
        let isFull = self.lanes[lane].count >= job.lane.mostWaiting && !job.waitsForAppends
        guard !isFull || job.payer != nil && self.lanes[lane].waiting(of: job.payer) < Self.fewWaiting else {
            return false
        }
        self.lanes[lane].append(job)
        return true
    }

    /// Takes what the next transaction is to store.
    mutating func take() -> [WriteJob] {
        var jobs: [WriteJob] = []
        var (bytes, entries) = (0, 0)
        for lane in Lane.allCases {
            var taken = 0
            while taken < lane.mostAtOnce,
                taken == 0 || bytes < Self.bytes && entries < Self.entries || lane == .opening,
                let job = self.lanes[lane.rawValue].popFirst()
            {
                jobs.append(job)
                bytes += job.bytes
                entries += job.entries
                taken += 1
            }
        }
        return jobs
    }

    /// Takes everything.
    mutating func takeAll() -> [WriteJob] {
        var jobs: [WriteJob] = []
        for lane in self.lanes.indices {
            while let job = self.lanes[lane].popFirst() { jobs.append(job) }
        }
        return jobs
    }
}
