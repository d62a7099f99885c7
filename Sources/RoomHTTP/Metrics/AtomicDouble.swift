import Synchronization

/// A floating-point number that several threads add to.
final class AtomicDouble: Sendable {
    private let bits = Atomic<UInt64>(0)

    func load() -> Double { Double(bitPattern: self.bits.load(ordering: .relaxed)) }

    func store(_ value: Double) {
        self.bits.store(value.bitPattern, ordering: .relaxed)
    }

    func add(_ amount: Double) {
        var known = self.bits.load(ordering: .relaxed)
        while true {
            let sum = Double(bitPattern: known) + amount
            let (exchanged, original) = self.bits.weakCompareExchange(
                expected: known,
                desired: sum.bitPattern,
                ordering: .relaxed
            )
            if exchanged { return }
            known = original
        }
    }
}
