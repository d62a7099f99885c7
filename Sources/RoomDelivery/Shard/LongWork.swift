/// Work that is too much for one turn of an event loop, done step by step in turns with the connections
/// (`FairQueue`). Confined to the loop.
final class LongWork: Flow {
    var share: WorkShare
    private let sharedTurns: WorkGroup?
    private let flows: FairQueue
    /// Does the next step, and gives what it has cost; `nil`: nothing is left to do.
    private let step: () -> Int?
    private var isDone = false
    private var completions: [() -> Void] = []

    /// - Parameters:
    ///   - group: those whom it shares its turns with; `nil`: it has its own.
    ///   - share: what is left to those for whom it is done.
    init(
        in flows: FairQueue,
        sharing group: WorkGroup? = nil,
        share: WorkShare = WorkShare(),
        step: @escaping () -> Int?
    ) {
        self.share = share
        self.flows = flows
        self.sharedTurns = group
        self.step = step
    }

    var group: WorkGroup { self.sharedTurns ?? .flow(ObjectIdentifier(self)) }

    var description: FlowDescription? { nil }

    var isInSession: Bool { false }

    /// Does nothing before the loop has looked at its sockets: what comes until then is one with it.
    func beginLater() {
        self.flows.wait(self)
    }

    /// Does what can be done now; the rest follows in turns.
    func takeTurn() {
        guard self.flows.begin(self) else { return }
        let spent = self.share.spent
        var isLeft = true
        while isLeft, self.share.hasCredit {
            if let cost = self.step() { self.share.spend(cost) } else { isLeft = false }
        }
        self.flows.worked(self, since: spent)
        if isLeft { self.flows.wait(self) } else { self.finish() }
    }

    /// Calls back when all is done: at once where it is.
    func whenDone(_ completion: @escaping () -> Void) {
        if self.isDone { completion() } else { self.completions.append(completion) }
    }

    private func finish() {
        self.isDone = true
        let completions = self.completions
        self.completions = []
        for complete in completions { complete() }
    }
}
