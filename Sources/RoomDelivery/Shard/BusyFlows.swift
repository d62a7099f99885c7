import NIOCore
import RoomModel

/// Knows the flows of an event loop that wait for lack of credit, how much of the loop they use, and how many of them have waited
/// for long. A flow that never waits costs nothing here.
struct BusyFlows {
    private struct Entry {
        let flow: any Flow
        /// The units that the flow had cost at the sample before, or when it was entered.
        var spent: Int
        /// Samples on end in which it has used more than half of the loop.
        var dominated = 0
    }

    /// The time and the work that the event loop has used up to now.
    struct Usage {
        var time: NIODeadline
        /// The processor time of the loop's thread.
        var processorTime: TimeAmount
        /// Units of all flows.
        var work: Int

        /// The part of the time since an earlier one that some of the work has used, in percent: the processor time
        /// divided in proportion to the units, because how long a unit takes depends on the machine.
        ///
        /// - Parameter total: the units of all, if they are more than those of the flows.
        fileprivate func percent(of units: Int, since earlier: Usage, total: Int = 0) -> Int {
            let elapsed = Double((self.time - earlier.time).nanoseconds)
            let used = Double((self.processorTime - earlier.processorTime).nanoseconds)
            let work = Double(max(self.work - earlier.work, total))
            guard elapsed > 0, work > 0 else { return 0 }
            return Int((100 * min(used / elapsed, 1) * min(Double(units) / work, 1)).rounded())
        }
    }

    /// How many flows are entered; those beyond are only counted.
    static let most = 1_000
    /// How many a sample names.
    static let named = 10
    /// Samples on end after which a flow is reported.
    static let patience = 10
    /// A flow that waits for less is not held back: it has sent a burst, and has its next turn a moment later.
    static let leastWait = TimeAmount.milliseconds(100)

    private var entries: [Entry] = []
    /// Flows whose waits have become long since the last sample, or ended after that.
    private var count = 0
    /// Numbers the time between two samples.
    private var period = 1
    /// As of the last sample.
    private var usage: Usage?
    /// As of the last sample.
    private(set) var latest = BusyConnections()

    /// Whether the flow has not had to wait since the last sample.
    func isNew(_ flow: some Flow) -> Bool { flow.share.busy.period != self.period }

    /// The flow has to wait, for the first time since the last sample.
    mutating func ranOutOfCredit(_ flow: some Flow) {
        flow.share.busy.period = self.period
        guard flow.description != nil else { return }
        guard !flow.share.busy.isEntered, self.entries.count < Self.most else { return }
        flow.share.busy.isEntered = true
        self.entries.append(Entry(flow: flow, spent: flow.share.spent))
    }

    /// The flow has waited for so long by now.
    mutating func waited(_ flow: any Flow, _ time: TimeAmount) {
        guard time >= Self.leastWait, flow.share.busy.longWaitPeriod != self.period, flow.description != nil else {
            return
        }
        flow.share.busy.longWaitPeriod = self.period
        self.count += 1
    }

    /// Looks what the flows have used since the sample before, and forgets those that have not had to wait. To be called
    /// once a second.
    ///
    /// - Returns: flows that have used more than half of the loop in ten samples on end; each is returned once.
    mutating func sample(_ usage: Usage, _ rooms: BusyRooms.Sample = .init()) -> [BusyConnections.Connection] {
        var kept: [Entry] = []
        var addresses: [IPAddress: (connections: Int, units: Int)] = [:]
        var users: [(flow: any Flow, percent: Int)] = []
        var dominant: [BusyConnections.Connection] = []
        for var entry in self.entries {
            let flow = entry.flow
            if flow.share.isWaiting, let since = flow.share.heldSince { self.waited(flow, usage.time - since) }
            guard self.hasWaited(flow) else {
                flow.share.busy.isEntered = false
                continue
            }
            let units = flow.share.spent - entry.spent
            let percent = self.usage.map { usage.percent(of: units, since: $0) } ?? 0
            if percent > 0 { users.append((flow, percent)) }
            if let address = flow.description?.address {
                let earlier = addresses[address.network] ?? (0, 0)
                addresses[address.network] = (earlier.connections + 1, earlier.units + units)
            }
            entry.spent = flow.share.spent
            entry.dominated = percent > 50 ? entry.dominated + 1 : 0
            if entry.dominated >= Self.patience, !flow.share.busy.isReported {
                flow.share.busy.isReported = true
                if let description = flow.description { dominant.append(.init(flow: description, percent: percent)) }
            }
            kept.append(entry)
        }
        let busiest = users.sorted { $0.percent > $1.percent }.prefix(Self.named)
        self.latest = BusyConnections(
            count: self.count,
            busiest: busiest.compactMap { flow, percent in
                flow.description.map { .init(flow: $0, percent: percent) }
            },
            addresses: self.busiest(addresses, usage),
            rooms: self.busiest(rooms, usage)
        )
        self.entries = kept
        self.count = 0
        self.period += 1
        self.usage = usage
        return dominant
    }

    private func busiest(
        _ addresses: [IPAddress: (connections: Int, units: Int)],
        _ usage: Usage
    ) -> [BusyConnections.Address] {
        guard let earlier = self.usage else { return [] }
        return addresses.sorted { $0.value.units > $1.value.units }.prefix(Self.named).compactMap { address, use in
            let percent = usage.percent(of: use.units, since: earlier)
            return percent > 0 ? .init(address: address, connections: use.connections, percent: percent) : nil
        }
    }

    private func busiest(_ sample: BusyRooms.Sample, _ usage: Usage) -> [BusyConnections.Room] {
        guard let earlier = self.usage else { return [] }
        return sample.rooms.compactMap { room, units in
            let percent = usage.percent(of: units, since: earlier, total: sample.units)
            return percent > 0 ? .init(room: room, percent: percent) : nil
        }
    }

    /// Whether the flow has had to wait since the last sample. It may also have waited all the time.
    private func hasWaited(_ flow: any Flow) -> Bool {
        flow.share.busy.period == self.period || flow.share.isWaiting && !flow.share.hasCredit
    }
}

/// The mark that `BusyFlows` keeps with each flow.
struct BusyMark {
    /// The last one in which the flow had to wait.
    fileprivate var period = 0
    /// The last one in which it had waited for long.
    fileprivate var longWaitPeriod = 0
    fileprivate var isEntered = false
    fileprivate var isReported = false
}
