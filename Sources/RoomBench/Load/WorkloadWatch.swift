/// Looks at a workload twice a second: how fast it is, and whether it has stopped.
struct WorkloadWatch {
    /// In seconds.
    static let interval = 0.5
    /// After so many seconds without anything, nothing will come.
    static let patience = 10

    private var lastOperations = 0
    private var lastTime: Int64?
    private var lastCount = -1
    private var still = 0

    /// Operations a second since it was asked last.
    mutating func rate(of operations: Int, at time: Int64) -> Double {
        defer {
            self.lastOperations = operations
            self.lastTime = time
        }
        // A round begins at nothing again.
        guard let before = self.lastTime, time > before, operations >= self.lastOperations else { return 0 }
        return Double(operations - self.lastOperations) / (Double(time - before) / 1e9)
    }

    /// - Parameter count: what grows as long as something happens.
    mutating func isStuck(at count: Int, in phase: WorkloadRun.Phase) -> Bool {
        let waits = phase != .atRest && phase != .closing
        self.still = count == self.lastCount && waits ? self.still + 1 : 0
        self.lastCount = count
        return Double(self.still) * Self.interval >= Double(Self.patience)
    }
}
