import RoomModel

extension RoomView {
    /// Where a subscriber starts that is let in after message `seq`.
    ///
    /// - Parameter windowAfter: the memory window holds every message above this `seq`.
    package func grant(_ join: JoinCommand, seq: UInt64, windowAfter: UInt64) -> JoinGrant {
        switch join.start {
        case .live(let historyCount):
            var grant = JoinGrant(epoch: self.epoch, seq: seq)
            let wanted = UInt64(min(historyCount, self.historyReplay, join.historyDepth))
            let after = max(self.storedAfter, self.redactions.start(of: wanted, through: seq))
            if wanted > 0, self.hasLog, after < seq {
                grant.replay = .history(after: after, redactions: self.redactions.seqs(after: after, through: seq))
            }
            return grant
        case .since(let position):
            guard position.epoch == self.epoch, position.seq <= seq else {
                let gap = Gap(from: 1, through: seq, reason: self.wasCleared(position.epoch) ? .cleared : .epoch)
                return JoinGrant(epoch: self.epoch, seq: seq, recovered: false, gap: gap)
            }
            let granted = self.recover(
                after: position.seq,
                seq: seq,
                windowAfter: windowAfter,
                loss: self.storeLoss
            )
            return granted.limited(to: join.historyDepth, after: position.seq)
        case .resync(let last, let policy):
            var grant = self.recover(after: min(last, seq), seq: seq, windowAfter: windowAfter, loss: .slow)
            grant.recovered = nil
            if policy == .latest, grant.gap != nil {
                grant.gap?.through = seq
                grant.replay = .none
            }
            return grant
        }
    }

    /// Whether the room of that epoch was cleared, as far as is known.
    private func wasCleared(_ epoch: Epoch?) -> Bool { epoch.map { self.clearedEpochs.contains($0) } ?? false }

    /// The store holds every message above this `seq`.
    private var storedAfter: UInt64 { self.oldestStored - min(1, self.oldestStored) }

    private var storeLoss: Gap.Reason { self.hasLog && self.hasExpired ? .expired : .trimmed }

    private func recover(after: UInt64, seq: UInt64, windowAfter: UInt64, loss: Gap.Reason) -> JoinGrant {
        var grant = JoinGrant(epoch: self.epoch, seq: seq, recovered: true)
        if after >= seq { return grant }
        if after >= max(windowAfter, self.prunedThrough) {
            grant.replay = .window(after: after)
            return grant
        }
        let start = self.hasLog ? min(self.storedAfter, windowAfter) : windowAfter
        let from = max(after, start, self.prunedThrough)
        if from > after {
            grant.recovered = false
            let reason = from <= self.prunedThrough ? .trimmed : loss
            grant.gap = Gap(from: after + 1, through: min(from, seq), reason: reason)
        }
        if from < seq { grant.replay = from >= windowAfter ? .window(after: from) : .store(after: from) }
        return grant
    }
}

extension JoinGrant {
    /// A token lets its member read only so many of the newest messages: those before are a gap, in place of what else
    /// would be missing there.
    fileprivate func limited(to depth: Int, after seen: UInt64) -> JoinGrant {
        let floor = self.seq - min(self.seq, UInt64(clamping: depth))
        guard floor > seen, floor > (self.gap?.through ?? 0) else { return self }
        var limited = self
        limited.recovered = false
        limited.gap = Gap(from: seen + 1, through: floor, reason: .denied)
        limited.replay =
            switch self.replay {
            case .window where floor < self.seq: .window(after: floor)
            case .store where floor < self.seq: .store(after: floor)
            default: .none
            }
        return limited
    }
}
